/** The running turn of a session, and its files with known changes. */
import path from "node:path";
import type { ReviewLimit } from "../../src/protocol/review/review";
import { MAX_FILE_BYTES, readDiskFile, type DiskFile } from "./disk-file";
import type { KnownChange } from "./known-changes";
import type { StoredState } from "./review-log";
import { sameState, type FileChange } from "./snapshots/file-state";
import type { Snapshot } from "./snapshots/snapshot-store";

/** A file with known changes in a turn. `at`: its state at the start of these; `tree`: that of the last snapshot. */
export interface KnownFile {
  at: DiskFile | { readonly stored: StoredState } | "tree";
  changes: { readonly by: KnownChange["by"]; readonly before: DiskFile; readonly after: DiskFile }[];
}

export interface RunningTurn {
  readonly number: number;
  /** `announced`: without git, only files are compared that tool calls name. */
  phase: "baseline" | "recorded" | "announced";
  readonly claimed: Set<string>;
  /** By real path. */
  readonly known: Map<string, KnownFile>;
  /** States before saves that have not ended. */
  readonly saving: Map<string, DiskFile>;
}

function knownFile({ known }: RunningTurn, file: string): KnownFile {
  const entry = known.get(file) ?? { at: "tree" as const, changes: [] };
  known.set(file, entry);
  return entry;
}

export function addChange(turn: RunningTurn, file: string, change: KnownFile["changes"][number]): void {
  knownFile(turn, file).changes.push(change);
}

/** Remembers the state of a file that may change before it is recorded. */
export async function protect(turn: RunningTurn, file: string): Promise<void> {
  if (turn.known.has(file)) return;
  const known = knownFile(turn, file);
  known.at = await readDiskFile(file, MAX_FILE_BYTES);
}

/** Stores the states before the first known changes, where the last snapshot has others. */
export function keepStarts({ known }: RunningTurn, root: string, files: readonly FileChange[]): void {
  for (const file of files) {
    const entry = known.get(placeOf(root, file));
    if (entry?.at === "tree") entry.at = { stored: file.before };
  }
}

/** Absolute path of a changed file. */
export function placeOf(root: string, { path: file }: FileChange): string {
  return path.join(root, ...file.split("/"));
}

/** Without files that only moved from one root to another, for example because a repository was created around them. */
export function withoutMoves(
  changes: ReadonlyMap<string, readonly FileChange[]>,
): ReadonlyMap<string, readonly FileChange[]> {
  const states = new Map<string, FileChange[]>();
  for (const [root, files] of changes)
    for (const file of files) states.set(placeOf(root, file), [...(states.get(placeOf(root, file)) ?? []), file]);
  const isMoved = (place: string): boolean => {
    const [one, other, ...more] = states.get(place) ?? [];
    return (
      one !== undefined &&
      other !== undefined &&
      more.length === 0 &&
      sameState(one.before, other.after) &&
      sameState(one.after, other.before)
    );
  };
  return new Map([...changes].map(([root, files]) => [root, files.filter(file => !isMoved(placeOf(root, file)))]));
}

export function isSameChange(a: FileChange, b: FileChange): boolean {
  return a.path === b.path && sameState(a.before, b.before) && sameState(a.after, b.after);
}

/** Paths that a review lists as left out. */
const MAX_LEFT_OUT = 20;

export function limitsOf(snapshot: Snapshot): readonly ReviewLimit[] {
  if (snapshot.kind === "unavailable")
    return snapshot.why === "restricted" ? [] : [{ kind: "announcedOnly", why: snapshot.why }];
  const count = snapshot.roots.reduce((sum, { leftOutCount }) => sum + leftOutCount, 0),
    paths = snapshot.roots.flatMap(({ root, leftOut }) => leftOut.map(file => path.join(root, file.path)));
  return [
    ...(count === 0 ? [] : [{ kind: "leftOut" as const, count, paths: paths.slice(0, MAX_LEFT_OUT) }]),
    ...snapshot.skipped.map(({ root, why }) => ({ kind: "skipped" as const, root, why })),
  ];
}
