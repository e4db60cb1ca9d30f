/**
 * Encodes the owner of a run in the run id: `RUN.owner-PID-START-PLACE.N`. Every process of a sidecar has this id in
 * its environment. The id identifies the sidecar, and the process table shows whether that sidecar is alive. No file is
 * needed: processes are found even if the disk was full or the ledger was deleted. Pure.
 *
 * Invariants:
 * - Only runs of the same place are evaluated: a storage folder on one computer or in one container. Elsewhere the same
 *   pid is another process.
 * - A sidecar with an unknown start time adds no owner. Its processes are never orphans.
 */
import type { ProcessEntry } from "./process-list";
import { shortHash } from "./short-hash";

const MARK = /^owner-(\d+)-([0-9a-f]{16})-([0-9a-f]{16})$/;

/** `computer`: see `ProcessTable`. `folder`: the folder of the ledgers. */
export function placeOf(computer: string, folder: string): string {
  return shortHash(`${computer}\n${folder}`);
}

/** Returns the run id for processes of this owner. */
export function ownedRun(run: string, { pid, started }: Pick<ProcessEntry, "pid" | "started">, place: string): string {
  return started === "" ? run : `${run}.owner-${pid}-${shortHash(started)}-${place}`;
}

/** Returns the runs of this place that have a living process and a dead owner. */
export function orphanedRuns(living: readonly ProcessEntry[], place: string): readonly string[] {
  const runs = new Map(living.flatMap(({ runId }) => ownedRunsIn(runId ?? "", place)));
  if (runs.size === 0) return [];
  const owners = new Set(living.map(({ pid, started }) => `${pid}-${shortHash(started)}`));
  return [...runs].flatMap(([run, owner]) => (owners.has(owner) ? [] : [run]));
}

/** Returns the runs of this place that the run id contains, each with its owner. */
function ownedRunsIn(runId: string, place: string): readonly (readonly [run: string, owner: string])[] {
  const parts = runId.split(".");
  return parts.flatMap((part, i) => {
    const [, pid, start, runPlace] = MARK.exec(part) ?? [];
    return runPlace === place ? [[parts.slice(0, i + 1).join("."), `${pid}-${start}`] as const] : [];
  });
}
