/**
 * `symposium-acp-agent mcp`: shim for agents that support only stdio MCP servers. Connects stdio to the conductor's
 * endpoint or to a remote server.
 */
import { SHIM_HEADERS, SHIM_TOKEN, SHIM_URL } from "../mcp/shim";
import { joinStdioToHttp, type ShimTarget } from "../mcp/stdio-http-shim";
import { realClock } from "../rpc/clock";
import { isObject } from "../rpc/json";
import { firstSignal, flushed } from "./runtime/stdio";

/**
 * Resolves with the exit code: 0 the agent has disconnected, 1 the server is unreachable, 2 wrong usage. Address, token
 * and headers are in the environment.
 */
export async function runShim(): Promise<number> {
  const { stdin, stdout, stderr } = process,
    target = targetIn(process.env);
  if (!target) {
    stderr.write(
      `Agents start this command in the environment of symposium-acp-agent run-with: ${SHIM_URL}, and ${SHIM_TOKEN} or ${SHIM_HEADERS}, are not set.\n`,
    );
    return 2;
  }
  const disconnected = new Promise<void>(resolve => stdin.once("end", resolve).once("close", () => resolve()));
  const how = await joinStdioToHttp({
    target,
    input: stdin,
    output: stdout,
    ended: Promise.race([disconnected, firstSignal()]),
    clock: realClock,
    complain: sentence => stderr.write(`${sentence}\n`),
  });
  await flushed(realClock);
  return how === "gone" ? 1 : 0;
}

function targetIn({
  [SHIM_URL]: url,
  [SHIM_TOKEN]: token,
  [SHIM_HEADERS]: headers,
}: NodeJS.ProcessEnv): ShimTarget | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  if (token !== undefined) return { kind: "endpoint", url, token };
  const given = headers === undefined ? undefined : recordIn(headers);
  return given && { kind: "theirs", url, headers: given };
}

function recordIn(json: string): Readonly<Record<string, string>> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, String(item)]))
      : undefined;
  } catch {
    return undefined;
  }
}
