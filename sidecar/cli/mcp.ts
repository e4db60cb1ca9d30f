/** `symposium-acp-agent mcp`: what agents that know MCP servers only as programs start in the place of the conductor's endpoint. */
import { SHIM_TOKEN, SHIM_URL } from "../mcp/shim";
import { joinStdioToHttp } from "../mcp/shim-pipe";
import { realClock } from "../rpc/clock";
import { firstSignal, flushed } from "./stdio";

/** Resolves with the exit code: 0 the agent has left, 1 the endpoint is gone, 2 wrong usage. Address and token are in the environment. */
export async function runShim(): Promise<number> {
  const { [SHIM_URL]: url, [SHIM_TOKEN]: token } = process.env, { stdin, stdout, stderr } = process;
  if (url === undefined || token === undefined || !URL.canParse(url)) {
    stderr.write(`This command is started by agents, which are told how by symposium-acp-agent run-with: ${SHIM_URL} and ${SHIM_TOKEN} are not set.\n`);
    return 2;
  }
  const left = new Promise<void>(resolve => stdin.once("end", resolve).once("close", () => resolve()));
  const how = await joinStdioToHttp({
    url, token, input: stdin, output: stdout, ended: Promise.race([left, firstSignal()]), clock: realClock,
    complain: sentence => stderr.write(`${sentence}\n`),
  });
  await flushed(realClock);
  return how === "gone" ? 1 : 0;
}
