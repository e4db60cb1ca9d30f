/**
 * The changed lines of a file, with some lines around them. Pure.
 *
 * Invariants:
 * - Removed and unchanged lines are those of the old text in order; added and unchanged lines are those of the new one.
 * - The time is bounded: large texts that differ in many places are compared by their common start and end only.
 */
import { structuredPatch } from "diff";
import type { Diff } from "../../../src/protocol/chat/diff-places";

export interface DiffLine {
  readonly kind: "same" | "added" | "removed";
  /** Number in the new file, or in the old one for a removed line; absent if the place in the file is unknown. */
  readonly number?: number;
  readonly text: string;
}

/** Lines without a gap. */
export type Hunk = readonly DiffLine[];

/** Lines of context around a change. */
const CONTEXT = 3;
/** Maximum number of added and removed lines that are matched one by one. */
const MAX_EDITS = 2_000;
const NO_NEWLINE = "\\ No newline at end of file";

const known = new WeakMap<Diff, readonly Hunk[]>();

/** With numbers from the start of both texts. */
function hunksOf(diff: Diff): readonly Hunk[] {
  const before = known.get(diff);
  if (before !== undefined) return before;
  const hunks = hunksIn(diff);
  known.set(diff, hunks);
  return hunks;
}

/**
 * `line`: number of the first line of both texts in the file. Without it, an excerpt has no numbers; a new file starts
 * with line 1.
 */
export function numberedHunks(diff: Diff, line: number | undefined): readonly Hunk[] {
  const first = diff.oldText === undefined ? 1 : line;
  return hunksOf(diff).map(hunk =>
    hunk.map(({ number = 1, ...rest }) => (first === undefined ? rest : { ...rest, number: first - 1 + number })),
  );
}

/** Numbers of added and removed lines. */
export function countsOf(diff: Diff): { readonly added: number; readonly removed: number } {
  const lines = hunksOf(diff).flat(),
    count = (kind: DiffLine["kind"]) => lines.filter(line => line.kind === kind).length;
  return { added: count("added"), removed: count("removed") };
}

function hunksIn({ oldText, newText }: Diff): readonly Hunk[] {
  const old = withoutReturns(oldText ?? ""),
    added = withoutReturns(newText);
  const patch = structuredPatch("", "", old, added, "", "", { context: CONTEXT, maxEditLength: MAX_EDITS });
  return (patch?.hunks ?? [wholeHunk(old, added)]).map(({ oldStart, newStart, lines }) =>
    numbered(lines, oldStart, newStart),
  );
}

/** A change of the line ends alone is not shown line by line. */
const withoutReturns = (text: string): string => text.replaceAll("\r\n", "\n");

interface PatchHunk {
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: readonly string[];
}

/** One change between the common first and last lines. */
function wholeHunk(before: string, after: string): PatchHunk {
  const removed = before.split("\n"),
    added = after.split("\n"),
    max = Math.min(removed.length, added.length);
  let head = 0,
    tail = 0;
  while (head < max && removed[head] === added[head]) head++;
  while (tail < max - head && removed.at(-1 - tail) === added.at(-1 - tail)) tail++;
  const from = Math.max(0, head - CONTEXT);
  return {
    oldStart: from + 1,
    newStart: from + 1,
    lines: [
      ...added.slice(from, head).map(line => ` ${line}`),
      ...removed.slice(head, removed.length - tail).map(line => `-${line}`),
      ...added.slice(head, added.length - tail).map(line => `+${line}`),
      ...added.slice(added.length - tail, added.length - tail + CONTEXT).map(line => ` ${line}`),
    ],
  };
}

const KIND = { "+": "added", "-": "removed", " ": "same" } as const;

function numbered(lines: readonly string[], oldStart: number, newStart: number): Hunk {
  let oldLine = oldStart,
    newLine = newStart;
  return lines.flatMap((line): readonly DiffLine[] => {
    const mark = line.charAt(0);
    if (line === NO_NEWLINE || (mark !== "+" && mark !== "-" && mark !== " ")) return [];
    const at = mark === "-" ? oldLine : newLine;
    if (mark !== "+") oldLine++;
    if (mark !== "-") newLine++;
    return [{ kind: KIND[mark], number: at, text: line.slice(1) }];
  });
}
