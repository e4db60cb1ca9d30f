/** The running turn of a session, and its files with known changes. */
import path from "node:path";
import type { ReviewLimit } from "../../src/protocol/review/review";
import { changeTime, MAX_FILE_BYTES, readDiskFile, type DiskFile } from "./disk-file";
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
  /** Its start, in milliseconds since 1970. */
  readonly at: number;
  /** `announced`: without git, only files are compared that tool calls name. */
  phase: "baseline" | "recorded" | "announced";
  readonly claimed: Set<string>;
  /** By real path. */
  readonly known: Map<string, KnownFile>;
  /** States before saves that have not ended. */
  readonly saving: Map<string, DiskFile>;
  /** Files that the first snapshot left out, absolute. */
  leftOut: ReadonlySet<string>;
  /** The phases in which a tool call ended that can write. */
  readonly writtenIn: Set<RunningTurn["phase"]>;
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

/** Absolute path of a file in a root. */
export function placeOf(root: string, { path: file }: Pick<FileChange, "path">): string {
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

/** Milliseconds by which the clock of a file system may be late. */
const SKEW_MS = 1_000;

/**
 * Without files that existed before the turn although no snapshot contained them: large ones that became small, and
 * those that a removed ignore rule or repository excluded. An undo of their creation would delete them.
 * `hasRemoved`: a repository was removed.
 */
export async function withoutRevealed(
  changes: ReadonlyMap<string, readonly FileChange[]>,
  { at, leftOut }: Pick<RunningTurn, "at" | "leftOut">,
  hasRemoved: boolean,
): Promise<ReadonlyMap<string, readonly FileChange[]>> {
  const all = [...changes.values()].flat(),
    canReveal = hasRemoved || all.some(({ path: file }) => path.posix.basename(file) === ".gitignore"),
    deleted = new Set(all.flatMap(({ before, after }) => (before && after === undefined ? [before.oid] : [])));
  const isRevealed = async (place: string, { before, after }: FileChange): Promise<boolean> => {
    if (before !== undefined || after === undefined) return false;
    if (leftOut.has(place)) return true;
    // The files of a renamed folder keep their times.
    return canReveal && !deleted.has(after.oid) && (await changeTime(place)) < at - SKEW_MS;
  };
  const remaining = new Map<string, readonly FileChange[]>();
  for (const [root, files] of changes) {
    const kept: FileChange[] = [];
    for (const file of files) if (!(await isRevealed(placeOf(root, file), file))) kept.push(file);
    remaining.set(root, kept);
  }
  return remaining;
}

/** Paths that a limit lists. */
export const MAX_LISTED_PATHS = 20;

export function limitsOf(snapshot: Snapshot): readonly ReviewLimit[] {
  if (snapshot.kind === "unavailable")
    return snapshot.why === "restricted" ? [] : [{ kind: "announcedOnly", why: snapshot.why }];
  const count = snapshot.roots.reduce((sum, { leftOutCount }) => sum + leftOutCount, 0);
  return [
    ...leftOutLimit(count, leftOutIn(snapshot)),
    ...snapshot.skipped.map(({ root, why }) => ({ kind: "skipped" as const, root, why })),
  ];
}

/**
 * The limits that may hide changes of the turn, none without a tool call that can write. `leftOut`: files that the last
 * snapshot left out.
 */
export async function lossesOf(
  turn: Pick<RunningTurn, "number" | "at" | "leftOut" | "writtenIn">,
  limits: readonly ReviewLimit[],
  leftOut: readonly string[],
): Promise<readonly ReviewLimit[]> {
  if (turn.writtenIn.size === 0) return [];
  const changed: string[] = [];
  for (const file of leftOut)
    if (!turn.leftOut.has(file) || (await changeTime(file)) >= turn.at - SKEW_MS) changed.push(file);
  return [
    ...limits.filter(({ kind }) => kind !== "leftOut"),
    ...leftOutLimit(changed.length, changed),
    ...(turn.writtenIn.has("baseline") ? [{ kind: "late" as const, turn: turn.number }] : []),
  ];
}

function leftOutLimit(count: number, paths: readonly string[]): readonly ReviewLimit[] {
  return count === 0 ? [] : [{ kind: "leftOut", count, paths: paths.slice(0, MAX_LISTED_PATHS) }];
}

/** Absolute paths of files that the snapshot does not contain. */
export function leftOutIn(snapshot: Snapshot): readonly string[] {
  if (snapshot.kind === "unavailable") return [];
  return snapshot.roots.flatMap(({ root, leftOut }) => leftOut.map(file => path.join(root, file.path)));
}
