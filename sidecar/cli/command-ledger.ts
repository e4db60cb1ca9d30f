/** The ledger of what a command of ours starts, for when it is killed: the next one ends what is left. */
import { homedir } from "node:os";
import path from "node:path";
import type { ProcessDeps } from "../process/child";
import { RUN_ID } from "../process/child-environment";
import { openLedger, reapLeftOvers, type Ledger } from "../process/process-ledger";
import { newRun } from "../process/run-id";
import { realClock } from "../rpc/clock";
import type { Scope } from "../rpc/scope";
import type { Tell } from "./log";

/** Where this process was started by Symposium itself, what it starts belongs to that run, too. */
export function openOwnLedger(scope: Scope, tell: Tell): Ledger {
  const storage = path.join(homedir(), ".symposium", "cache"),
    run = newRun(process.env[RUN_ID]);
  const ledger = openLedger(storage, run, { warn: (message, detail) => tell("warn", message, detail) });
  process.env[RUN_ID] = ledger.run; // what Eliza starts in this process
  scope.defer(() => ledger.close());
  reapLeftOvers(storage).catch((error: unknown) =>
    tell("warn", "What an earlier run left could not be ended", { error: String(error) }),
  );
  return ledger;
}

/** For what a command of ours starts; nobody but the ledger has to be told of it. */
export function ownProcesses(ledger: Ledger, tell: Tell): ProcessDeps {
  return {
    clock: realClock,
    ledger,
    report: { started: () => undefined, ended: () => undefined },
    log: (message, detail) => tell("debug", message, detail),
  };
}
