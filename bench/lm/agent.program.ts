/**
 * An agent with minimal cost. The number at a prompt's end is the number of text chunks in its answer. The agent can
 * resume any session.
 */
import { createInterface } from "node:readline";

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly sessionId?: string; readonly prompt?: readonly { readonly text?: string }[] };
}

const PIECE = "twenty characters .. ";
let sessions = 0;

const send = (message: object): void => {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
};

createInterface({ input: process.stdin }).on("line", line => {
  const { id, method, params } = JSON.parse(line) as Message; // written by the bench
  if (id === undefined) return;
  if (method === "session/prompt") {
    const pieces = Math.max(
      ...(params?.prompt?.map(({ text }) => Number(/^Go on.*: (\d+)$/.exec(text ?? "")?.[1] ?? 0)) ?? []),
    );
    for (let i = 0; i < pieces; i++)
      send({
        method: "session/update",
        params: {
          sessionId: params?.sessionId,
          update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: PIECE } },
        },
      });
  }
  send({ id, result: answer(method) });
});

function answer(method: string | undefined): object {
  switch (method) {
    case "initialize":
      return { protocolVersion: 1, agentCapabilities: { sessionCapabilities: { resume: {}, close: {} } } };
    case "session/new":
      return { sessionId: `session ${++sessions}` };
    case "session/prompt":
      return { stopReason: "end_turn" };
    default:
      return {};
  }
}
