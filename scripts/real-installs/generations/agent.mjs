// An ACP agent up to version `argv[2]`. Appends every received method to the file `argv[3]` and rejects unknown
// methods.
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [newest, log, code = "-32601"] = process.argv.slice(2);
const INITIALIZED = {
  1: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] },
  2: {
    protocolVersion: 2,
    capabilities: { session: { prompt: {} } },
    info: { name: "agent", version: "1" },
    authMethods: [],
  },
};
const write = message => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

createInterface({ input: process.stdin }).on("line", line => {
  const { id, method, params } = JSON.parse(line);
  if (method === undefined) return;
  appendFileSync(log, `${method}${method === "initialize" ? ` ${params.protocolVersion}` : ""}\n`);
  if (id === undefined) return;
  switch (method) {
    case "initialize":
      return write({ id, result: INITIALIZED[Math.min(Number(newest), params.protocolVersion)] });
    case "session/new":
      return write({ id, result: { sessionId: "s" } });
    case "session/prompt":
      write({
        method: "session/update",
        params: {
          sessionId: "s",
          update: { sessionUpdate: "agent_message_chunk", messageId: "m", content: { type: "text", text: "hello" } },
        },
      });
      return write({ id, result: Number(newest) === 2 ? {} : { stopReason: "end_turn" } });
    default:
      write({ id, error: { code: Number(code), message: `no ${method}` } });
  }
});
