/**
 * The owner of a run, as a part of the run id: `RUN.owner-PID-START-PLACE.N`. Whatever a sidecar starts carries this
 * id in its environment, so a process proves by itself which sidecar it belongs to, and the process table shows
 * whether that sidecar is alive. No file is needed: processes are found although the disk was full, or the ledger
 * deleted. Pure.
 *
 * Invariants: only runs of this place are judged, a storage folder on a computer or in a container, because elsewhere
 * the same pid is another process; a sidecar whose start time is unknown marks nothing, and its processes are never
 * orphans.
 */
import { createHash } from "node:crypto";
import type { ProcessEntry } from "./process-list";

const MARK = /^owner-(\d+)-([0-9a-f]{12})-([0-9a-f]{12})$/;

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 12);

/** `computer`: as in `ProcessTable`; `folder`: the one with the ledgers. */
export function placeOf(computer: string, folder: string): string {
  return digest(`${computer}\n${folder}`);
}

/** The run id of what this owner starts. */
export function ownedRun(run: string, { pid, started }: Pick<ProcessEntry, "pid" | "started">, place: string): string {
  return started === "" ? run : `${run}.owner-${pid}-${digest(started)}-${place}`;
}

/** The runs of this place that have a living process, and whose owner is dead. */
export function orphanedRuns(living: readonly ProcessEntry[], place: string): readonly string[] {
  const owners = new Set(living.map(({ pid, started }) => `${pid}-${digest(started)}`));
  const orphaned = new Set<string>();
  for (const { runId } of living) {
    const parts = runId?.split(".") ?? [];
    for (const [i, part] of parts.entries()) {
      const [, pid, start, where] = MARK.exec(part) ?? [];
      if (where === place && !owners.has(`${pid}-${start}`)) orphaned.add(parts.slice(0, i + 1).join("."));
    }
  }
  return [...orphaned];
}
