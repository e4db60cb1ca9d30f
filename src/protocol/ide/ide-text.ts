/** Positions in a text, and the effect of edits on its lines. Used by all providers of operations. Pure. */
import { MAX_LINE, MAX_TEXT, type IdeHunk, type IdePlace, type IdePosition, type IdeRange } from "./ide";

export interface TextEdit {
  readonly range: IdeRange;
  readonly newText: string;
}

/** Lines without their line ends, which are `\n`, `\r\n` or `\r`, as in LSP. */
export function linesOf(text: string): readonly string[] {
  return text.split(/\r\n|\n|\r/);
}

/** The position of `place`, or a sentence if it does not exist. */
export function positionOf(
  lines: readonly string[],
  place: IdePlace,
  path: string,
): IdePosition | { readonly wrong: string } {
  const { line, character, symbol } = place,
    text = line === undefined ? undefined : lines[line];
  if (line !== undefined && text === undefined)
    return { wrong: `${path} has ${lines.length} lines, so line ${line + 1} does not exist.` };
  if (symbol !== undefined) return symbolIn(lines, line, symbol, path);
  if (line === undefined || text === undefined) return { wrong: "A line or a symbol is required." };
  if (character === undefined) return { line, character: Math.max(0, text.search(/\S/)) };
  return character <= text.length
    ? { line, character }
    : {
        wrong:
          `Line ${line + 1} of ${path} has ${text.length} characters, ` +
          `so character ${character + 1} does not exist.`,
      };
}

function symbolIn(
  lines: readonly string[],
  line: number | undefined,
  symbol: string,
  path: string,
): IdePosition | { readonly wrong: string } {
  const found = (each: number): number | undefined => characterOf(lines[each] ?? "", symbol);
  if (line !== undefined) {
    const character = found(line);
    if (character !== undefined) return { line, character };
  }
  const others = lines.flatMap((_, each) => (found(each) === undefined ? [] : [each])),
    [first] = others;
  if (first === undefined) return { wrong: `“${symbol}” is not in ${path}.` };
  if (line === undefined) return { line: first, character: found(first) ?? 0 };
  const text = others
    .slice(0, 8)
    .map(each => each + 1)
    .join(", ");
  return {
    wrong:
      `“${symbol}” is not on line ${line + 1} of ${path}; it is on line${others.length === 1 ? "" : "s"} ` +
      `${text}${others.length > 8 ? " and more" : ""}.`,
  };
}

const STARTS = /^[\p{L}\p{N}_$]/u,
  ENDS = /[\p{L}\p{N}_$]$/u;

/** Index of the last name in `symbol`, at its first occurrence as a whole word. */
function characterOf(line: string, symbol: string): number | undefined {
  for (let at = line.indexOf(symbol); symbol !== "" && at !== -1; at = line.indexOf(symbol, at + 1)) {
    const isPartOfWord =
      (STARTS.test(symbol) && ENDS.test(line.slice(0, at))) ||
      (ENDS.test(symbol) && STARTS.test(line.slice(at + symbol.length)));
    if (!isPartOfWord) return at + lastName(symbol);
  }
  return undefined;
}

function lastName(symbol: string): number {
  const match = /[\p{L}\p{N}_$]+[^\p{L}\p{N}_$]*$/u.exec(symbol);
  return match?.index ?? 0;
}

/** Truncates a long line for display. */
export function shownLine(line: string, limit = MAX_LINE): string {
  return line.length <= limit ? line : `${line.slice(0, limit)}…`;
}

/** The first line of a range; absent if the text has no such line. */
export function lineAt(lines: readonly string[], { start }: IdeRange): { readonly text?: string } {
  const text = lines[start.line];
  return text === undefined ? {} : { text: shownLine(text) };
}

/**
 * The changed lines after non-overlapping edits. Edits that share a line form one hunk. Edits at the same position are
 * applied in order.
 */
export function hunksOf(lines: readonly string[], edits: readonly TextEdit[]): readonly IdeHunk[] {
  const ordered = [...edits].sort(
    (a, b) => a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character,
  );
  const groups: TextEdit[][] = [];
  for (const edit of ordered) {
    const last = groups.at(-1),
      until = last?.at(-1)?.range.end.line;
    if (last && until !== undefined && edit.range.start.line <= until) last.push(edit);
    else groups.push([edit]);
  }
  return groups.flatMap(group => hunkOf(lines, group));
}

function hunkOf(lines: readonly string[], edits: readonly TextEdit[]): readonly IdeHunk[] {
  const from = edits[0]?.range.start.line ?? 0,
    to = Math.min(edits.at(-1)?.range.end.line ?? from, Math.max(from, lines.length - 1));
  const old = lines.slice(from, to + 1),
    starts: number[] = [0];
  for (const line of old) starts.push((starts.at(-1) ?? 0) + line.length + 1);
  const text = old.join("\n"),
    offset = ({ line, character }: IdePosition): number =>
      line > to ? text.length : (starts[line - from] ?? 0) + Math.min(character, old[line - from]?.length ?? 0);
  let after = "",
    done = 0;
  for (const { range, newText } of edits) {
    const start = Math.max(done, offset(range.start));
    after += text.slice(done, start) + newText;
    done = Math.max(start, offset(range.end));
  }
  return trimmed(from, old, linesOf(after + text.slice(done)));
}

/** Removes unchanged lines at both ends. */
function trimmed(line: number, before: readonly string[], after: readonly string[]): readonly IdeHunk[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0,
    tail = 0;
  while (head < shorter && before[head] === after[head]) head++;
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  if (head === before.length && head === after.length) return [];
  return [
    {
      line: line + head,
      before: before.slice(head, before.length - tail),
      after: after.slice(head, after.length - tail),
    },
  ];
}

/** As many whole hunks as fit into an answer; `remaining`: number of omitted hunks. */
export function boundedHunks(
  hunks: readonly IdeHunk[],
  maxCharacters = MAX_TEXT,
): { readonly hunks: readonly IdeHunk[]; readonly remaining: number; readonly remainingCharacters: number } {
  const fitting: IdeHunk[] = [];
  let remainingCharacters = maxCharacters;
  for (const { line, before, after } of hunks) {
    const shown = { line, before: before.map(each => shownLine(each)), after: after.map(each => shownLine(each)) };
    const size = [...shown.before, ...shown.after].reduce((sum, each) => sum + each.length + 1, 0);
    if (size > remainingCharacters) break;
    remainingCharacters -= size;
    fitting.push(shown);
  }
  return { hunks: fitting, remaining: hunks.length - fitting.length, remainingCharacters };
}
