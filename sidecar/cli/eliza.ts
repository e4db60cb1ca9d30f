/** `symposium-acp-agent eliza`: the built-in agent for other ACP clients, on stdin and stdout. */
import { serveEliza } from "../eliza/agent";
import { realClock } from "../rpc/clock";
import type { Tell } from "./log";
import { clientOnStdio, firstSignal, flushed } from "./stdio";

/** Resolves with the exit code when the client has disconnected or a signal has arrived. */
export async function serveElizaOnStdio(deterministic: boolean, tell: Tell, version: string): Promise<number> {
  const code = await served(deterministic, tell, version);
  await flushed(realClock);
  return code;
}

async function served(deterministic: boolean, tell: Tell, version: string): Promise<number> {
  await using eliza = serveEliza(clientOnStdio(tell), {
    deterministic,
    version,
    odd: (what, detail) => tell("warn", what, detail),
  });
  return await Promise.race([eliza.closed.then(() => 0), firstSignal()]);
}
