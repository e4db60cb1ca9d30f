/** `symposium-acp-agent eliza`: the built-in agent for other ACP clients, on stdin and stdout. */
import { serveEliza } from "../eliza/agent";
import { realClock } from "../rpc/clock";
import type { Notify } from "./runtime/log";
import { clientOnStdio, firstSignal, flushed } from "./runtime/stdio";

/** Resolves with the exit code when the client has disconnected or a signal has arrived. */
export async function serveElizaOnStdio(deterministic: boolean, notify: Notify, version: string): Promise<number> {
  const code = await served(deterministic, notify, version);
  await flushed(realClock);
  return code;
}

async function served(deterministic: boolean, notify: Notify, version: string): Promise<number> {
  await using eliza = serveEliza(clientOnStdio(notify), {
    deterministic,
    version,
    onWarning: (what, detail) => notify("warn", what, detail),
  });
  return await Promise.race([eliza.closed.then(() => 0), firstSignal()]);
}
