/**
 * The review of one file in a session: who changed it in which order, and what the user has kept (issue 21 items 2, 3
 * and 4). Pure.
 *
 * The unreviewed changes are the difference between `reviewed` and the file. `reviewed` begins with the content before
 * the agent's first change. Each change of the user is merged into it, so it contains everything but unreviewed changes
 * of the agent. Lines of the agent that the user changed count as the user's.
 *
 * Invariants:
 * - A change of the user never appears as unreviewed, and no undo reverts it.
 * - An undo returns a content to write and never assumes what is on disk: without a merge, it returns a conflict.
 * - Undo and keep change nothing but the named changes.
 */
import {
  isSame,
  isText,
  mergeContents,
  mergeContentsPreferringOurs,
  type FileContent,
  type MergedContent,
} from "./file-version";
import { FILE_MODE, type FileMode } from "./snapshots/file-state";
import { hunksOf, lineEdits, linesOf } from "../../src/protocol/review/line-edits";

/** Number of the agent's turn in the session, the user, or an operation of the review, such as an undo. */
export type Author = number | "user" | "operation";

/** One change of the file. */
export interface FileStep {
  readonly by: Author;
  readonly before: FileContent;
  readonly after: FileContent;
}

export interface FileReview {
  readonly reviewed: FileContent;
  /** Content after the last step. */
  readonly last: FileContent;
  /** In the order of time. `before` of a step is `after` of the previous one. */
  readonly steps: readonly FileStep[];
}

/** A file with this content before the first change. */
export function unchanged(content: FileContent): FileReview {
  return { reviewed: content, last: content, steps: [] };
}

/** Adds a change. */
export function changed(review: FileReview, after: FileContent, by: Author): FileReview {
  const { reviewed, last: before, steps } = review;
  if (isSame(before, after)) return review;
  return {
    reviewed: typeof by === "number" ? reviewed : mergeContentsPreferringOurs(before, after, reviewed),
    last: after,
    steps: [...steps, { by, before, after }],
  };
}

export function isReviewed({ reviewed, last }: FileReview): boolean {
  return isSame(reviewed, last);
}

/** Everything in the file counts as reviewed. */
export function acceptAll(review: FileReview): FileReview {
  return { ...review, reviewed: review.last };
}

/**
 * Lines of the reviewed content and of the file that correspond: from `start` to `end` (exclusive), from 0. One may be
 * empty, for an insertion or a deletion. Editors count an empty line after the last line feed; it may be included.
 */
export interface HunkRange {
  readonly reviewed: LineRange;
  readonly current: LineRange;
}
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

/** Keeps these hunks, in any order. Undefined if they are not in both contents. */
export function acceptHunks(review: FileReview, hunks: readonly HunkRange[]): FileReview | undefined {
  const { reviewed, last } = review,
    bytes = replaced(
      reviewed,
      last,
      hunks.map(hunk => ({ to: hunk.reviewed, from: hunk.current })),
    );
  return bytes === undefined ? undefined : { ...review, reviewed: { mode: modeOf(reviewed, last), bytes } };
}

/** The content of the file without these hunks. Without all its lines, a new file does not exist. */
export function withoutHunks({ reviewed, last }: FileReview, hunks: readonly HunkRange[]): FileContent | "invalid" {
  const bytes = replaced(
    last,
    reviewed,
    hunks.map(hunk => ({ to: hunk.current, from: hunk.reviewed })),
  );
  if (bytes === undefined) return "invalid";
  return bytes === "" && reviewed === undefined ? undefined : { mode: modeOf(last, reviewed), bytes };
}

const modeOf = (own: FileContent, other: FileContent): FileMode => own?.mode ?? other?.mode ?? FILE_MODE;

interface Replacement {
  readonly to: LineRange;
  readonly from: LineRange;
}

/** The target with the lines `to` replaced by the lines `from` of the source. */
function replaced(target: FileContent, source: FileContent, ranges: readonly Replacement[]): string | undefined {
  const lines = linesOf(target?.bytes ?? ""),
    others = linesOf(source?.bytes ?? "");
  if (!ranges.every(range => isBetweenEqualLines(lines, others, range))) return undefined;
  const ordered = ranges
      .map(range => withLastLineEnd(lines, others, range))
      .sort((a, b) => a.to.start - b.to.start || a.to.end - b.to.end),
    parts: string[] = [];
  let at = 0;
  for (const { from, to } of ordered) {
    if (to.start < at || !isRange(to) || !isRange(from)) return undefined;
    // One argument per line could be too many.
    parts.push(lines.slice(at, to.start).join(""), others.slice(from.start, from.end).join(""));
    at = to.end;
  }
  return parts.join("") + lines.slice(at).join("");
}

/**
 * Whether equal lines surround both ranges. Otherwise the hunk is from an earlier content of one of the files. Editors
 * may ignore white space at both ends of a line.
 */
function isBetweenEqualLines(lines: readonly string[], others: readonly string[], { to, from }: Replacement): boolean {
  const own = cut(to, lines),
    other = cut(from, others);
  return (
    lines[own.start - 1]?.trim() === others[other.start - 1]?.trim() &&
    lines[own.end]?.trim() === others[other.end]?.trim()
  );
}

/**
 * Includes the last common line if the end of the file follows on one side, and a line feed on the other. Editors do
 * not count this as a change of the line.
 */
function withLastLineEnd(lines: readonly string[], others: readonly string[], { to, from }: Replacement): Replacement {
  const own = cut(to, lines),
    other = cut(from, others),
    line = lines[own.start - 1],
    same = others[other.start - 1];
  return own.end === lines.length && other.end === others.length && line !== same && textOf(line) === textOf(same)
    ? { to: { ...own, start: own.start - 1 }, from: { ...other, start: other.start - 1 } }
    : { to: own, from: other };
}

const textOf = (line: string | undefined): string | undefined => line?.replace(/\r?\n$/, "");

/** Without the empty line after the last line feed. A range beyond it stays invalid. */
function cut({ start, end }: LineRange, { length }: readonly string[]): LineRange {
  const last = (n: number): number => (n === length + 1 ? length : n > length ? NaN : n);
  return { start: last(start), end: last(end) };
}

function isRange({ start, end }: LineRange): boolean {
  return Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start <= end;
}

/** The review after a commit with this content: what the commit contains is kept. `undefined`: it has no such file. */
export function acceptCommitted(review: FileReview, committed: string | undefined): FileReview {
  const { reviewed, last } = review;
  if (committed === undefined || last === undefined)
    return committed === undefined && last === undefined ? acceptAll(review) : review;
  // Git may store other line ends than those on disk.
  const bytes = /\r\n/.test(last.bytes) && !/\r\n/.test(committed) ? committed.replaceAll("\n", "\r\n") : committed;
  if (bytes === last.bytes) return acceptAll(review);
  if (!isText(bytes) || !isText(last.bytes) || !isText(reviewed?.bytes ?? "")) return review;
  const missing = lineEdits(last.bytes, bytes),
    hunks = hunksOf(lineEdits(reviewed?.bytes ?? "", last.bytes));
  const contained = hunks.filter(({ current }) =>
    missing.every(({ start, end }) => end < current.start || start > current.end),
  );
  return contained.length === 0 ? review : (acceptHunks(review, contained) ?? review);
}

/** The changes of these turns: the file without and with them. Both contain all other changes. */
export function changeOf(
  { steps }: FileReview,
  isIncluded: (turn: number) => boolean,
): { readonly before: FileContent; readonly after: FileContent } | undefined {
  const isOf = ({ by }: FileStep): boolean => typeof by === "number" && isIncluded(by),
    first = steps.findIndex(isOf),
    included = steps.slice(first, steps.findLastIndex(isOf) + 1);
  return first === -1 ? undefined : { before: withoutSteps(included, isOf), after: included.at(-1)?.after };
}

/** The content after these steps, as if those of `isLeftOut` had not happened. */
function withoutSteps(steps: readonly FileStep[], isLeftOut: (step: FileStep) => boolean): FileContent {
  return steps.reduce((without, step) => {
    if (isLeftOut(step)) return without;
    // An operation restores earlier lines, which the content without the steps may have already.
    return step.by === "operation"
      ? mergeContentsPreferringOurs(step.before, without, step.after)
      : mergeContentsPreferringOurs(step.before, step.after, without);
  }, steps[0]?.before);
}

/** The file without the changes of these turns. A conflict names no content: nothing may be written. */
export function withoutTurns(review: FileReview, isIncluded: (turn: number) => boolean): MergedContent {
  const change = changeOf(review, isIncluded);
  return change === undefined
    ? { kind: "merged", content: review.last }
    : mergeContents(change.after, review.last, change.before);
}

/**
 * The file as it would be without the agent's work since this turn, for a rewind. Changes of the user since then are
 * kept. So are lines of the agent that the user changed.
 */
export function beforeTurn({ steps, last }: FileReview, turn: number): FileContent {
  const isLeftOut = ({ by }: FileStep): boolean => typeof by === "number" && by >= turn,
    first = steps.findIndex(isLeftOut);
  return first === -1 ? last : withoutSteps(steps.slice(first), isLeftOut);
}

/** Marks the changes of these turns as kept. Undefined if they overlap with other changes. */
export function acceptTurns(review: FileReview, isIncluded: (turn: number) => boolean): FileReview | undefined {
  const change = changeOf(review, isIncluded);
  if (change === undefined) return review;
  const merged = mergeContents(change.before, review.reviewed, change.after);
  return merged.kind === "conflict" ? undefined : { ...review, reviewed: merged.content };
}
