/**
 * `symposium-acp-agent mcp --attach`: started by Symposium's entry in an agent's own configuration (issue 14 item 5).
 * An environment variable contains the address of the servers of the agent's process. Without the variable, and after
 * the servers have closed, the command is an MCP server without tools, so that the agent continues.
 */
import type { Readable, Writable } from "node:stream";
import { ATTACH, ATTACH_TO } from "../mcp/shim";
import { joinStdioToHttp, type ShimTarget } from "../mcp/stdio-http-shim";
import { realClock } from "../rpc/clock";
import { firstSignal, flushed } from "./runtime/stdio";

const ABSENT = "This agent was not started by Symposium. Its tools are available in sessions of Symposium only.";
const GONE = "Symposium is no longer reachable. Start a new session.";

/** Resolves with exit code 0 when the agent closes stdin. */
export async function runAttached(): Promise<number> {
  const { stdin, stdout, stderr, env } = process,
    target = attachTarget(env),
    complain = (sentence: string): void => {
      stderr.write(`${sentence}\n`);
    };
  const ended = Promise.race([
    new Promise<void>(resolve => stdin.once("end", resolve).once("close", () => resolve())),
    firstSignal(),
  ]);
  if (!target) complain(`${ABSENT} ${ATTACH} is not set.`);
  const how =
    target && (await joinStdioToHttp({ target, input: stdin, output: stdout, ended, clock: realClock, complain }));
  if (how !== "ended") await serveNothing(target ? GONE : ABSENT, stdin, stdout, ended);
  await flushed(realClock);
  return 0;
}

/**
 * Uses the first of the two variables that contains an address of this computer. Some agents forward the configured
 * text without expanding it.
 */
export function attachTarget({
  [ATTACH_TO]: passed,
  [ATTACH]: inherited,
}: Readonly<Record<string, string | undefined>>): ShimTarget | undefined {
  for (const value of [passed, inherited]) {
    const [url = "", token = ""] = value?.split("#") ?? [];
    if (URL.canParse(url) && new URL(url).hostname === "127.0.0.1" && token !== "")
      return { kind: "endpoint", url, token };
  }
  return undefined;
}

async function serveNothing(
  sentence: string,
  input: Readable,
  output: Writable,
  ended: Promise<unknown>,
): Promise<void> {
  const [{ Server }, { StdioServerTransport }, { CallToolRequestSchema, ListToolsRequestSchema }] = await Promise.all([
    import("@modelcontextprotocol/sdk/server/index.js"),
    import("@modelcontextprotocol/sdk/server/stdio.js"),
    import("@modelcontextprotocol/sdk/types.js"),
  ]);
  const server = new Server({ name: "symposium", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] }));
  server.setRequestHandler(CallToolRequestSchema, () => ({
    content: [{ type: "text", text: sentence }],
    isError: true,
  }));
  await server.connect(new StdioServerTransport(input, output));
  await ended;
  await server.close();
}
