/**
 * Run ids, the values of `SYMPOSIUM_RUN_ID`. A sidecar has one run id, its *run*; each child has `RUN.N`. The ids
 * distinguish the descendants of one agent from another's, and from those of other windows. Pure except for the random
 * number.
 */

/**
 * `outer`: the run id of this process, if it has one. Processes of the new run then also belong to the outer run and
 * end with it.
 */
export function newRun(outer?: string): string {
  const id = `${process.pid}-${random()}${random()}`;
  return outer ? `${outer}.${id}` : id;
}

/** At least 40 bits. Not secret. `node:crypto` takes 3 ms to load (`short-hash.ts`). */
const random = (): string => Math.random().toString(36).slice(2).padEnd(8, "0");

/** Returns the run id of a sidecar's n-th child. */
export function childRunId(run: string, n: number): string {
  return `${run}.${n}`;
}

/** Returns the run of a child's run id. */
export function runOf(runId: string): string {
  return runId.replace(/\.\d+$/, "");
}

/** Whether a process with this run id descends from `run`, at any depth. `run` is a run or the id of one child. */
export function isOfRun(runId: string, run: string): boolean {
  return runId === run || runId.startsWith(`${run}.`);
}
