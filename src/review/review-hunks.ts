/**
 * Changed lines of a file under review, as editors count them: a text ends with a line without a line end. Pure.
 *
 * Invariant: the result refers to lines of both texts. The sidecar checks that they are in the file.
 */
import { hunksOf, lineEdits } from "../protocol/review/line-edits";
import type { ReviewHunk, ReviewLines } from "../protocol/review/review";
import { isObject } from "../protocol/wire/json";

/** A change as VS Code passes it to commands of `scm/change/title`. Lines count from 1; an end of 0 means no line. */
export interface LineChange {
  readonly originalStartLineNumber: number;
  readonly originalEndLineNumber: number;
  readonly modifiedStartLineNumber: number;
  readonly modifiedEndLineNumber: number;
}

export function hunkOf(change: LineChange): ReviewHunk {
  return {
    reviewed: linesOf(change.originalStartLineNumber, change.originalEndLineNumber),
    current: linesOf(change.modifiedStartLineNumber, change.modifiedEndLineNumber),
  };
}

/** Without lines, `first` is the line before. */
function linesOf(first: number, last: number): ReviewLines {
  return last === 0 ? { start: first, end: first } : { start: first - 1, end: last };
}

/** The changed lines between the two texts. Line ends are not compared, as in editors. */
export function changedHunks(reviewed: string, current: string): readonly ReviewHunk[] {
  return hunksOf(lineEdits(withLineFeeds(reviewed), withLineFeeds(current)));
}

const withLineFeeds = (text: string): string => text.replaceAll(/\r\n?/g, "\n");
const splitLines = (text: string): readonly string[] => withLineFeeds(text).split("\n");

/**
 * The hunk of a change in the gutter. VS Code may pass the changes of another provider, such as those since the last
 * commit. Their lines of the current text select the hunks of the review.
 */
export function selectedHunks(
  changes: readonly LineChange[],
  index: number,
  reviewed: string,
  current: string,
): readonly ReviewHunk[] {
  const change = changes[index];
  if (change === undefined) return [];
  const hunk = hunkOf(change);
  return areBetween(changes.map(hunkOf), splitLines(reviewed), splitLines(current))
    ? [hunk]
    : hunksAt(changedHunks(reviewed, current), "current", hunk.current);
}

/** Whether these are all changes between the two texts. Editors may ignore white space at both ends of a line. */
function areBetween(hunks: readonly ReviewHunk[], reviewed: readonly string[], current: readonly string[]): boolean {
  const ends = { start: reviewed.length, end: reviewed.length },
    last = { start: current.length, end: current.length };
  let at = { reviewed: 0, current: 0 };
  for (const hunk of [...hunks, { reviewed: ends, current: last }]) {
    const length = hunk.reviewed.start - at.reviewed;
    if (length < 0 || length !== hunk.current.start - at.current) return false;
    for (let i = 0; i < length; i++)
      if (reviewed[at.reviewed + i]?.trim() !== current[at.current + i]?.trim()) return false;
    at = { reviewed: hunk.reviewed.end, current: hunk.current.end };
  }
  return true;
}

/** The hunks at these lines of one side. Without any, those that the lines touch, such as a deletion beside them. */
export function hunksAt(
  hunks: readonly ReviewHunk[],
  side: keyof ReviewHunk,
  lines: ReviewLines,
): readonly ReviewHunk[] {
  const overlapping = hunks.filter(({ [side]: own }) => own.start < lines.end && lines.start < own.end);
  return overlapping.length > 0
    ? overlapping
    : hunks.filter(({ [side]: own }) => own.start <= lines.end && lines.start <= own.end);
}

/**
 * Whether the bytes have the lines of the editor's text. The sidecar counts line feeds. A text differs with single
 * carriage returns, or in UTF-16 with certain characters.
 */
export function hasLines(bytes: Uint8Array, count: number): boolean {
  let feeds = 0;
  for (const byte of bytes) if (byte === 0x0a) feeds++;
  return feeds === count - 1;
}

/** The changes of a command's arguments; an empty list if there are none. */
export function lineChanges(argument: unknown): readonly LineChange[] {
  return Array.isArray(argument) ? argument.filter(isLineChange) : [];
}

function isLineChange(value: unknown): value is LineChange {
  return (
    isObject(value) &&
    ["originalStartLineNumber", "originalEndLineNumber", "modifiedStartLineNumber", "modifiedEndLineNumber"].every(
      name => Number.isInteger(value[name]),
    )
  );
}
