/**
 * Three-way merge and line differences of texts, for keep and undo (issue 21 item 3). Pure.
 *
 * A text has one character per byte (`latin1`), so that every encoding, line end and byte order mark is kept. A line
 * ends with its line feed. Nothing is normalized.
 *
 * Invariants:
 * - Without a conflict, the result contains every change of both sides, and all other bytes of the base.
 * - `merge(base, base, x)` and `merge(base, x, base)` are `x`. Both sides may be exchanged.
 * - The time is bounded: texts that differ in many places are compared by their common start and end only. Then more
 *   changes conflict, and none is lost.
 */
import { lineEdits, linesOf, type LineEdit } from "../../src/protocol/review/line-edits";

/** `overlaps`: edits of both sides that change the same lines. */
export type Merge =
  | { readonly kind: "merged"; readonly text: string }
  | { readonly kind: "conflict"; readonly overlaps: readonly { readonly ours: LineEdit; readonly theirs: LineEdit }[] };

/** Applies edits that are in order and do not overlap. */
export function withEdits(base: string, edits: readonly LineEdit[]): string {
  if (edits.length === 0) return base;
  const lines = linesOf(base),
    parts: string[] = [];
  let at = 0;
  for (const { start, end, lines: added } of edits) {
    // One argument per line could be too many.
    parts.push(lines.slice(at, start).join(""), added.join(""));
    at = end;
  }
  return parts.join("") + lines.slice(at).join("");
}

export function merge(base: string, ours: string, theirs: string): Merge {
  const { edits, overlaps } = combined(lineByLine(base, ours), lineByLine(base, theirs));
  return overlaps.length > 0 ? { kind: "conflict", overlaps } : { kind: "merged", text: withEdits(base, edits) };
}

/**
 * Like `merge`, but of overlapping edits, those of our side win. An insertion beside replaced lines stays on its side
 * of them, so that both edits apply.
 */
export function mergePreferringOurs(base: string, ours: string, theirs: string): string {
  return withEdits(base, combined(lineByLine(base, ours), lineByLine(base, theirs), isWithin).edits);
}

/** An edit that replaces lines by as many others is one edit per line, so that both sides may share some of them. */
function lineByLine(before: string, after: string): readonly LineEdit[] {
  return lineEdits(before, after).flatMap(edit =>
    edit.end - edit.start === edit.lines.length
      ? edit.lines.map((line, i) => ({ start: edit.start + i, end: edit.start + i + 1, lines: [line] }))
      : edit,
  );
}

/** Both lists of edits as one, without the edits of the second that overlap with others of the first. */
function combined(ours: readonly LineEdit[], theirs: readonly LineEdit[], meets = insertionMeets) {
  const overlaps: { readonly ours: LineEdit; readonly theirs: LineEdit }[] = [],
    others: LineEdit[] = [];
  let first = 0;
  for (const their of theirs) {
    while ((ours[first]?.end ?? Infinity) < their.start) first++;
    let isFree = true;
    for (let i = first; i < ours.length; i++) {
      const our = ours[i];
      if (our === undefined || our.start > their.end) break;
      if (isSame(our, their)) isFree = false;
      else if (overlap(our, their, meets)) {
        isFree = false;
        overlaps.push({ ours: our, theirs: their });
      }
    }
    if (isFree) others.push(their);
  }
  return { edits: [...ours, ...others].sort((a, b) => a.start - b.start || a.end - b.end), overlaps };
}

/**
 * Adjacent edits do not overlap, because their order is known. Two insertions at the same place do, and so does an
 * insertion beside lines that the other side replaces: its place in the new lines is unknown.
 */
function overlap(a: LineEdit, b: LineEdit, meets: typeof insertionMeets): boolean {
  if (a.start === a.end && b.start === b.end) return a.start === b.start;
  if (a.start === a.end) return meets(a.start, b);
  if (b.start === b.end) return meets(b.start, a);
  return a.start < b.end && b.start < a.end;
}

function insertionMeets(place: number, { start, end, lines }: LineEdit): boolean {
  return lines.length === 0 ? start < place && place < end : start <= place && place <= end;
}

function isWithin(place: number, { start, end }: LineEdit): boolean {
  return start < place && place < end;
}

function isSame(a: LineEdit, b: LineEdit): boolean {
  return (
    a.start === b.start &&
    a.end === b.end &&
    a.lines.length === b.lines.length &&
    a.lines.every((line, i) => line === b.lines[i])
  );
}
