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
import { createHash } from "node:crypto";
import type { ProcessEntry } from "./process-list";

const MARK = /^owner-(\d+)-([0-9a-f]{12})-([0-9a-f]{12})$/;

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 12);

/** `computer`: see `ProcessTable`. `folder`: the folder of the ledgers. */
export function placeOf(computer: string, folder: string): string {
  return digest(`${computer}\n${folder}`);
}

/** Returns the run id for processes of this owner. */
export function ownedRun(run: string, { pid, started }: Pick<ProcessEntry, "pid" | "started">, place: string): string {
  return started === "" ? run : `${run}.owner-${pid}-${digest(started)}-${place}`;
}

/** Returns the runs of this place that have a living process and a dead owner. */
export function orphanedRuns(living: readonly ProcessEntry[], place: string): readonly string[] {
  const owners = new Set(living.map(({ pid, started }) => `${pid}-${digest(started)}`));
  const orphaned = new Set<string>();
  for (const { runId } of living) {
    const parts = runId?.split(".") ?? [];
    for (const [i, part] of parts.entries()) {
      const [, pid, start, runPlace] = MARK.exec(part) ?? [];
      if (runPlace === place && !owners.has(`${pid}-${start}`)) orphaned.add(parts.slice(0, i + 1).join("."));
    }
  }
  return [...orphaned];
}
