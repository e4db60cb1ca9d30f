/**
 * Differences of two texts by lines, for the review. The sidecar compares bytes, the host texts of editors. Pure.
 *
 * Invariant: the time is bounded. Texts that differ in many places are compared by their common start and end only.
 */
import { diffArrays } from "diff";
import type { ReviewHunk } from "./review";

/** Lines `start` to `end` (exclusive) of the base are replaced by `lines`. */
export interface LineEdit {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** Maximum number of added and removed lines that are matched one by one. */
const MAX_EDITS = 2_000;

/** Each line with its line feed. The last one may have none. An empty text has no line. */
export function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** The edits from one text to the other, in order, with at least one equal line between them. */
export function lineEdits(before: string, after: string): readonly LineEdit[] {
  return before === after ? [] : editsBetween(linesOf(before), linesOf(after));
}

function editsBetween(before: readonly string[], after: readonly string[]): readonly LineEdit[] {
  const { head, tail } = commonEnds(before, after),
    removed = before.slice(head, before.length - tail),
    added = after.slice(head, after.length - tail);
  const parts =
    removed.length === 0 || added.length === 0 ? undefined : diffArrays(removed, added, { maxEditLength: MAX_EDITS });
  if (parts === undefined) return [{ start: head, end: head + removed.length, lines: added }];
  const edits: LineEdit[] = [];
  let at = head,
    edit: LineEdit | undefined;
  for (const { added: isAdded, removed: isRemoved, value } of parts) {
    if (!isAdded && !isRemoved) {
      if (edit !== undefined) edits.push(edit);
      edit = undefined;
      at += value.length;
      continue;
    }
    edit ??= { start: at, end: at, lines: [] };
    if (isAdded) edit = { ...edit, lines: [...edit.lines, ...value] };
    else edit = { ...edit, end: (at += value.length) };
  }
  return edit === undefined ? edits : [...edits, edit];
}

function commonEnds(a: readonly string[], b: readonly string[]): { readonly head: number; readonly tail: number } {
  const max = Math.min(a.length, b.length);
  let head = 0,
    tail = 0;
  while (head < max && a[head] === b[head]) head++;
  while (tail < max - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  return { head, tail };
}

/** The corresponding lines of these edits, in the same order. */
export function hunksOf(edits: readonly LineEdit[]): readonly ReviewHunk[] {
  let shift = 0;
  return edits.map(({ start, end, lines }) => {
    const at = start + shift;
    shift += lines.length - (end - start);
    return { reviewed: { start, end }, current: { start: at, end: at + lines.length } };
  });
}
