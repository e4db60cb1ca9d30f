/** `symposium-acp-agent eliza`: the built-in agent for any other ACP client, on stdin and stdout. */
import { serveEliza } from "../agents/eliza/agent";
import { ndjsonChannel } from "../rpc/ndjson";

/** Resolves when stdin ends. */
export async function serveElizaOnStdio(deterministic: boolean, version: string): Promise<void> {
  const ended = new Promise<void>(resolve => process.stdin.once("end", resolve).once("close", () => resolve()));
  await using eliza = serveEliza(ndjsonChannel(process.stdin, process.stdout), { deterministic, version });
  void eliza;
  await ended;
}
