/**
 * Ledger of the processes that a command starts. If the command is killed, the next run ends the remaining processes.
 */
import { homedir } from "node:os";
import path from "node:path";
import type { ProcessDeps } from "../../process/child";
import { RUN_ID } from "../../process/child-environment";
import { openLedger, reapOrphans, type Ledger } from "../../process/process-ledger";
import { newRun } from "../../process/run-id";
import { realClock } from "../../rpc/clock";
import type { Scope } from "../../rpc/scope";
import type { Notify } from "./log";

/** If Symposium started this process, its children belong to the same run. */
export function openOwnLedger(scope: Scope, notify: Notify): Ledger {
  const storage = path.join(homedir(), ".symposium", "cache"),
    run = newRun(process.env[RUN_ID]);
  const ledger = openLedger(storage, run, { warn: (message, detail) => notify("warn", message, detail) });
  process.env[RUN_ID] = ledger.run; // for processes that Eliza starts in this process
  scope.defer(() => ledger.close());
  reapOrphans(storage).catch((error: unknown) =>
    notify("warn", "Processes of an earlier run could not be stopped", { error: String(error) }),
  );
  return ledger;
}

/** Process dependencies of a command. Only the ledger records starts and exits. */
export function ownProcesses(ledger: Ledger, notify: Notify): ProcessDeps {
  return {
    clock: realClock,
    ledger,
    report: { started: () => undefined, ended: () => undefined },
    log: (message, detail) => notify("debug", message, detail),
  };
}
