/**
 * Builds bounded answers from a language service's results, each with its source lines; for editors and language
 * servers alike. Pure except for reading files.
 */
import {
  MAX_ITEMS,
  MAX_TEXT,
  type IdeAnswer,
  type IdeChange,
  type IdeDiagnostic,
  type IdeLocation,
  type IdePlace,
  type IdePosition,
  type IdeRange,
} from "./ide";
import { boundedHunks, hunksOf, lineAt, type TextEdit } from "./ide-text";

/** Reads the lines of a file; none if it cannot be read. */
export type ReadLines = (path: string) => Promise<readonly string[]>;

/** A change whose text edits have not been converted to hunks yet. */
export type RawChange =
  | { readonly kind: "edit"; readonly path: string; readonly edits: readonly TextEdit[] }
  | Exclude<IdeChange, { readonly kind: "edit" }>;

/** Reads each file once. */
export function readOnce(read: ReadLines): ReadLines {
  const all = new Map<string, Promise<readonly string[]>>();
  return path => {
    const cached = all.get(path) ?? read(path);
    all.set(path, cached);
    return cached;
  };
}

/** Up to `MAX_ITEMS` locations, each with its first line. */
export async function withLines<T extends IdeLocation>(places: readonly T[], lines: ReadLines): Promise<readonly T[]> {
  const found: T[] = [];
  for (const place of places.slice(0, MAX_ITEMS))
    found.push({ ...place, ...lineAt(await lines(place.path), place.range) });
  return found;
}

/** Orders by severity, so that errors are the last to be omitted. */
export function diagnosticsAnswer(
  all: readonly IdeDiagnostic[],
  note?: string,
): Extract<IdeAnswer, { kind: "diagnostics" }> {
  const worst = (["error", "warning", "information", "hint"] as const).flatMap(severity =>
    all.filter(each => each.severity === severity),
  );
  return {
    kind: "diagnostics",
    diagnostics: worst.slice(0, MAX_ITEMS),
    total: all.length,
    ...(note === undefined ? {} : { note }),
  };
}

export async function changesAnswer(
  given: readonly RawChange[],
  lines: ReadLines,
): Promise<Extract<IdeAnswer, { kind: "changes" }>> {
  const changes: IdeChange[] = [];
  let available = MAX_TEXT,
    total = 0,
    remaining = Math.max(0, given.length - MAX_ITEMS);
  for (const change of given.slice(0, MAX_ITEMS)) {
    if (change.kind !== "edit") {
      changes.push(change);
      total++;
      continue;
    }
    const hunks = hunksOf(await lines(change.path), change.edits),
      bounded = boundedHunks(hunks, available);
    ({ remainingCharacters: available } = bounded);
    total += hunks.length;
    remaining += bounded.remaining;
    if (bounded.hunks.length > 0) changes.push({ kind: "edit", path: change.path, hunks: bounded.hunks });
  }
  return { kind: "changes", changes, total, ...(remaining > 0 ? { note: "This preview is not complete." } : {}) };
}

/**
 * Up to five items with exactly this title, otherwise up to five that contain it regardless of case; an error sentence
 * if there are none.
 */
export function chosenByTitle<T extends { readonly title: string }>(
  found: readonly T[],
  title: string,
): readonly T[] | { readonly wrong: string } {
  const same = found.filter(each => each.title === title),
    similar = found.filter(each => each.title.toLowerCase().includes(title.toLowerCase())),
    chosen = same.length > 0 ? same : similar;
  if (chosen.length > 0) return chosen.slice(0, 5);
  return {
    wrong: `No code action “${title}” exists at this position. ${
      found.length === 0
        ? "No code actions are available"
        : `Available code actions: ${found
            .slice(0, 12)
            .map(each => `“${each.title}”`)
            .join(", ")}`
    }.`,
  };
}

/**
 * Range for code actions: a position, or whole lines, because a problem may be anywhere in a line. `start`: position of
 * `at`.
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

/** Range of whole lines to format, or an error sentence. */
export function rangeOfLines(
  lines: readonly string[],
  { start, end }: { readonly start: number; readonly end: number },
  path: string,
): IdeRange | { readonly wrong: string } {
  if (start >= lines.length)
    return { wrong: `${path} has ${lines.length} lines, so line ${start + 1} does not exist.` };
  const last = Math.min(Math.max(start, end), lines.length - 1);
  return { start: { line: start, character: 0 }, end: { line: last, character: lines[last]?.length ?? 0 } };
}
