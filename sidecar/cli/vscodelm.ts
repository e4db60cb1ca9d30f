/**
 * `symposium-acp-agent vscodelm`: ACP agents as language models, over `lm/*` on stdin and stdout, for any program that
 * implements this protocol.
 *
 * Invariants:
 * - No agent is started before the first request for it.
 * - All started processes have ended before the promise resolves.
 */
import { randomUUID } from "node:crypto";
import { LM_DEFAULTS } from "../../src/protocol/lm/lm";
import { launch } from "../agents/launch";
import { AgentPool } from "../agents/pool";
import { startProcess } from "../process/stdio-process";
import { serveLm } from "../lm/lm-stdio";
import { ToolOffers } from "../lm/tools/tool-offer";
import { toolsComponent } from "../lm/tools/tools-proxy";
import { realClock } from "../rpc/clock";
import { Scope } from "../rpc/scope";
import type { Notify } from "./runtime/log";
import { endEarlierProcesses, openOwnLedger } from "./runtime/command-ledger";
import { clientOnStdio, firstSignal, flushed } from "./runtime/stdio";
import { openEvidence } from "./runtime/tool-evidence";
import { openTrace } from "./runtime/trace-file";

export interface VscodeLmOptions {
  readonly traceFolder: string | undefined;
  /** Also offer the client's tools that agents have themselves. */
  readonly bridgeDuplicates: boolean;
}

/**
 * Resolves with the exit code when the client has disconnected or a signal has arrived. Throws `CannotWrite` before any
 * other work.
 */
export async function serveLmOnStdio(options: VscodeLmOptions, notify: Notify, version: string): Promise<number> {
  const code = await served(options, notify, version);
  await flushed(realClock);
  return code;
}

async function served(
  { traceFolder, bridgeDuplicates }: VscodeLmOptions,
  notify: Notify,
  version: string,
): Promise<number> {
  await using scope = new Scope("symposium-acp-agent", error => notify("error", "A resource was not released", error));
  const trace = traceFolder === undefined ? undefined : scope.add(openTrace(traceFolder, notify)),
    ledger = openOwnLedger(scope, notify);
  endEarlierProcesses(notify);
  const evidence = scope.add(openEvidence(notify));
  const offers = new ToolOffers((name, why) => notify("warn", `The tool “${name}” cannot be offered: ${why}`));
  const pool = scope.add(
    new AgentPool(
      (key, signal) =>
        launch(key, signal, {
          version,
          clock: realClock,
          trace,
          log: notify,
          evidence,
          startProcess: spec =>
            startProcess(spec, {
              clock: realClock,
              ledger,
              report: { started: () => undefined, ended: () => undefined },
              log: (message, detail) => notify("debug", message, detail),
            }),
          proxies: (_, onWarning) => [toolsComponent(offers, { clock: realClock, version }, onWarning)],
        }),
      error => notify("error", "An agent could not be stopped", error),
    ),
  );
  const server = scope.add(
    serveLm(clientOnStdio(notify), {
      clock: realClock,
      pool,
      offers,
      settings: { ...LM_DEFAULTS, bridgeDuplicates },
      cwd: process.cwd(),
      policy: () => "ask",
      date: () => Date.now(),
      freshId: () => randomUUID(),
      // This command persists no sessions between runs.
      keeper: { load: async () => [], save: () => undefined, forget: () => undefined },
      onFacts: () => undefined,
      log: notify,
      onWarning: (what, detail) => notify("warn", what, detail),
    }),
  );
  notify("info", "Ready", { pid: process.pid, version, node: process.version });
  return await Promise.race([server.closed.then(() => 0), firstSignal()]);
}
