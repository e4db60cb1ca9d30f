/** `symposium-acp-agent proxy`: a built-in agent extension for any conductor, on stdin and stdout. */
import { builtInExtension } from "../extensions/built-in";
import { serveProxyOnStdio } from "../proxies/stdio";
import { realClock } from "../rpc/clock";
import { Scope } from "../rpc/scope";
import type { OwnProxy } from "./component-spec";
import { ownDeps } from "./runtime/extension-deps";
import type { Notify } from "./runtime/log";
import { endEarlierProcesses, openOwnLedger, ownProcesses } from "./runtime/command-ledger";
import { firstSignal, flushed } from "./runtime/stdio";

/** Resolves with the exit code when the conductor has disconnected or a signal has arrived. */
export async function serveOwnProxy(proxy: OwnProxy, notify: Notify, version: string): Promise<number> {
  const code = await served(proxy, notify, version);
  await flushed(realClock);
  return code;
}

async function served({ command: { id, settings } }: OwnProxy, notify: Notify, version: string): Promise<number> {
  await using scope = new Scope("symposium-acp-agent", error => notify("error", "A resource was not released", error));
  const deps = scope.add(
    ownDeps({
      version,
      processes: ownProcesses(openOwnLedger(scope, notify), notify),
      log: (level, message, detail) => notify(level, message, detail),
    }),
  );
  endEarlierProcesses(notify);
  const extension = await builtInExtension(id);
  if (!extension) throw new Error(`no extension ${id}`); // the parser has validated the id
  const proxy = scope.add(
    serveProxyOnStdio(extension.define(settings, deps), { onWarning: (what, detail) => notify("warn", what, detail) }),
  );
  return await Promise.race([proxy.closed.then(() => 0), firstSignal()]);
}
