/**
 * Run ids, the values of `SYMPOSIUM_RUN_ID`. A sidecar has one, its *run*; each child gets `RUN.N`, so that one agent's
 * descendants can be told from another's, and all of them from those of another window. Pure but for the random number.
 */
import { randomUUID } from "node:crypto";

/**
 * `outer`: the run id that we were started with ourselves, if any. What we start then belongs to it as well, and goes
 * with it.
 */
export function newRun(outer?: string): string {
  return outer ? `${outer}.${randomUUID()}` : randomUUID();
}

/** The run id of a sidecar's n-th child. */
export function childRunId(run: string, n: number): string {
  return `${run}.${n}`;
}

/** The run that a child's run id belongs to. */
export function runOf(runId: string): string {
  return runId.replace(/\.\d+$/, "");
}

/** Whether a process with this run id was started, at whatever depth, in `run`: a whole run, or the id of one child. */
export function isOfRun(runId: string, run: string): boolean {
  return runId === run || runId.startsWith(`${run}.`);
}
