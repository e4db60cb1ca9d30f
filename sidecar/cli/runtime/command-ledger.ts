/**
 * Ledger of the processes that a command starts. If the command is killed, the next run ends the remaining processes.
 */
import { homedir } from "node:os";
import path from "node:path";
import type { ProcessDeps } from "../../process/child";
import { RUN_ID } from "../../process/child-environment";
import { reapOrphans, reapRecorded, reapUnrecorded } from "../../process/orphaned-ledgers";
import { openLedger, type Ledger } from "../../process/process-ledger";
import { newRun } from "../../process/run-id";
import { realClock } from "../../rpc/clock";
import type { Scope } from "../../rpc/scope";
import type { Notify } from "./log";

/** If Symposium started this process, its children belong to the same run. */
export function openOwnLedger(scope: Scope, notify: Notify): Ledger {
  const ledger = openLedger(storage(), newRun(process.env[RUN_ID]), {
    warn: (message, detail) => notify("warn", message, detail),
  });
  process.env[RUN_ID] = ledger.run; // for processes that Eliza starts in this process
  scope.defer(() => ledger.close());
  return ledger;
}

/** Ends the remaining processes of killed commands, in the background. */
export function endEarlierProcesses(notify: Notify): void {
  void reported(reapOrphans(storage()), notify);
}

/** For a command whose start must be fast, together with `endUnrecordedAtEnd`. In the background. */
export function endRecordedProcesses(notify: Notify): void {
  void reported(reapRecorded(storage()), notify);
}

/** Finds the other processes of killed commands after this command's own have ended: it lists all processes. */
export function endUnrecordedAtEnd(scope: Scope, notify: Notify): void {
  scope.defer(() => reported(reapUnrecorded(storage()), notify));
}

async function reported(reaping: Promise<void>, notify: Notify): Promise<void> {
  try {
    await reaping;
  } catch (error) {
    notify("warn", "Processes of an earlier run could not be stopped", { error: String(error) });
  }
}

const storage = (): string => path.join(homedir(), ".symposium", "cache");

/** Process dependencies of a command. Only the ledger records starts and exits. */
export function ownProcesses(ledger: Ledger, notify: Notify): ProcessDeps {
  return {
    clock: realClock,
    ledger,
    report: { started: () => undefined, ended: () => undefined },
    log: (message, detail) => notify("debug", message, detail),
  };
}
