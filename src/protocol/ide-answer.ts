/**
 * Answers from what a language service says, bounded, each with the lines that it is about: for editors and language
 * servers alike. Pure but for the reading.
 */
import {
  MOST_ITEMS,
  MOST_TEXT,
  type IdeAnswer,
  type IdeChange,
  type IdeDiagnostic,
  type IdeLocation,
  type IdePlace,
  type IdePosition,
  type IdeRange,
} from "./ide";
import { boundedHunks, hunksOf, lineAt, type TextEdit } from "./ide-text";

/** The lines of a file, as they are; none where it cannot be read. */
export type ReadLines = (path: string) => Promise<readonly string[]>;

/** An edit before anybody has seen the text. */
export type RawChange =
  | { readonly kind: "edit"; readonly path: string; readonly edits: readonly TextEdit[] }
  | Exclude<IdeChange, { readonly kind: "edit" }>;

/** Each file is read once. */
export function readOnce(read: ReadLines): ReadLines {
  const all = new Map<string, Promise<readonly string[]>>();
  return path => {
    const known = all.get(path) ?? read(path);
    all.set(path, known);
    return known;
  };
}

/** As many as an answer takes, with the line where each begins. */
export async function withLines<T extends IdeLocation>(places: readonly T[], lines: ReadLines): Promise<readonly T[]> {
  const found: T[] = [];
  for (const place of places.slice(0, MOST_ITEMS))
    found.push({ ...place, ...lineAt(await lines(place.path), place.range) });
  return found;
}

/** Errors are not to be among those that are left out. */
export function diagnosticsAnswer(
  all: readonly IdeDiagnostic[],
  note?: string,
): Extract<IdeAnswer, { kind: "diagnostics" }> {
  const worst = (["error", "warning", "information", "hint"] as const).flatMap(severity =>
    all.filter(each => each.severity === severity),
  );
  return {
    kind: "diagnostics",
    diagnostics: worst.slice(0, MOST_ITEMS),
    total: all.length,
    ...(note === undefined ? {} : { note }),
  };
}

export async function changesAnswer(
  given: readonly RawChange[],
  lines: ReadLines,
): Promise<Extract<IdeAnswer, { kind: "changes" }>> {
  const changes: IdeChange[] = [];
  let room = MOST_TEXT,
    total = 0,
    left = Math.max(0, given.length - MOST_ITEMS);
  for (const change of given.slice(0, MOST_ITEMS)) {
    if (change.kind !== "edit") {
      changes.push(change);
      total++;
      continue;
    }
    const hunks = hunksOf(await lines(change.path), change.edits),
      kept = boundedHunks(hunks, room);
    ({ room } = kept);
    total += hunks.length;
    left += kept.left;
    if (kept.hunks.length > 0) changes.push({ kind: "edit", path: change.path, hunks: kept.hunks });
  }
  return { kind: "changes", changes, total, ...(left > 0 ? { note: "This preview is not complete." } : {}) };
}

/** Those with this title, else those that have it in theirs, few; or a sentence. */
export function chosenByTitle<T extends { readonly title: string }>(
  found: readonly T[],
  title: string,
): readonly T[] | { readonly wrong: string } {
  const same = found.filter(each => each.title === title),
    like = found.filter(each => each.title.toLowerCase().includes(title.toLowerCase())),
    chosen = same.length > 0 ? same : like;
  if (chosen.length > 0) return chosen.slice(0, 5);
  return {
    wrong: `There is no code action “${title}” there${
      found.length === 0
        ? "; there is none at all"
        : `; there are: ${found
            .slice(0, 12)
            .map(each => `“${each.title}”`)
            .join(", ")}`
    }.`,
  };
}

/**
 * What code actions are asked for: a place, or whole lines, because what is wrong in a line may be anywhere in it.
 * `start`: where `at` is.
 */
export function rangeOfActions(
  lines: readonly string[],
  start: IdePosition,
  at: IdePlace,
  endLine: number | undefined,
): IdeRange {
  if (endLine === undefined && (at.symbol !== undefined || at.character !== undefined)) return { start, end: start };
  const last = Math.min(endLine ?? start.line, lines.length - 1);
  return { start, end: { line: last, character: lines[last]?.length ?? 0 } };
}

/** Whole lines that are to be formatted; or a sentence. */
export function rangeOfLines(
  lines: readonly string[],
  { start, end }: { readonly start: number; readonly end: number },
  path: string,
): IdeRange | { readonly wrong: string } {
  if (start >= lines.length) return { wrong: `${path} has ${lines.length} lines; there is no line ${start + 1}.` };
  const last = Math.min(Math.max(start, end), lines.length - 1);
  return { start: { line: start, character: 0 }, end: { line: last, character: lines[last]?.length ?? 0 } };
}
