/**
 * Chooses the part of a file that the code of an answer replaces. Pure.
 *
 * The first and the last line of the code are its anchors. Each range between such lines of the file is a candidate.
 * The most similar one is replaced, unless two are equally similar. Otherwise the code replaces the selection, or the
 * whole file if neither exists.
 *
 * Invariants:
 * - Text outside the replaced part is unchanged.
 * - Code with a placeholder for omitted lines never replaces a whole file.
 */

/** Offsets in the text of the file, in UTF-16 units. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

export interface Placement extends TextRange {
  readonly kind: "range" | "selection" | "end" | "whole";
  /** The replacement, with the line ends of the file. */
  readonly text: string;
}

interface Line extends TextRange {
  readonly indent: string;
  /** Without the white space around it. */
  readonly text: string;
}

/** Maximum number of lines that are compared. */
const MAX_LINES = 20_000;
/** Maximum number of places of the first anchor. */
const MAX_STARTS = 20;
/** Less similar ranges are different code between lines that are equal by chance. */
const MIN_SIMILARITY = 0.3;

export function placeCode(file: string, code: string, selection?: TextRange): Placement {
  const lineEnd = file.includes("\r\n") ? "\r\n" : "\n",
    plain = code.replaceAll("\r\n", "\n").replace(/^(?:[^\S\n]*\n)+|\n+$/g, ""),
    withEnds = (text: string): string => text.replaceAll("\n", lineEnd);
  const whole = (): Placement => ({
    kind: "whole",
    start: 0,
    end: file.length,
    text: withEnds(plain) + (file === "" || file.endsWith("\n") ? lineEnd : ""),
  });
  if (plain.trim() === "") return { kind: "end", start: file.length, end: file.length, text: "" };
  if (file.trim() === "") return whole();
  const found = matchingRange(linesOf(file), linesOf(plain));
  if (found !== undefined)
    return {
      kind: "range",
      start: found.start,
      end: found.end,
      text: withEnds(indented(plain, found.codeIndent, found.indent)),
    };
  if (selection !== undefined) return { kind: "selection", ...selection, text: withEnds(plain) };
  if (!hasOmission(plain)) return whole();
  const gap = file.endsWith("\n") ? "" : lineEnd;
  return { kind: "end", start: file.length, end: file.length, text: `${gap}${withEnds(plain)}${lineEnd}` };
}

export const placed = (file: string, { start, end, text }: Placement): string =>
  file.slice(0, start) + text + file.slice(end);

/** A comment in place of omitted lines, such as `// ... existing code ...`. */
const OMISSION = /^\s*(?:(?:\/\/|#|--|;|%|\/\*|<!--|\{\/\*)\s*(?:\.\.\.|…).*|(?:\.\.\.|…)\s*)$/m;
const hasOmission = (code: string): boolean => OMISSION.test(code);

interface Match extends TextRange {
  readonly indent: string;
  readonly codeIndent: string;
}

function matchingRange(file: readonly Line[], code: readonly Line[]): Match | undefined {
  const content = code.filter(({ text }) => text !== ""),
    first = content[0],
    last = content.at(-1);
  if (!first || !last || !isDistinctive(first.text) || hasOmission(code.map(({ text }) => text).join("\n")))
    return undefined;
  if (file.length > MAX_LINES || code.length > MAX_LINES) return undefined;
  const starts = file.flatMap((line, i) => (line.text === first.text ? [i] : []));
  if (starts.length > MAX_STARTS) return undefined;
  const candidates = starts.flatMap(start => endsAfter(file, start, content));
  const best = candidates.reduce((most, { similarity }) => Math.max(most, similarity), 0),
    winners = candidates.filter(({ similarity }) => similarity === best),
    winner = winners[0];
  if (winner === undefined || winners.length > 1 || best < MIN_SIMILARITY) return undefined;
  const from = file[winner.start],
    to = file[winner.end];
  return from && to && { start: from.start, end: to.end, indent: from.indent, codeIndent: first.indent };
}

interface Candidate {
  readonly start: number;
  readonly end: number;
  /** Share of the lines of both texts that are equal: the coefficient of Dice. */
  readonly similarity: number;
}

function endsAfter(file: readonly Line[], start: number, content: readonly Line[]): readonly Candidate[] {
  const first = content[0],
    last = content.at(-1),
    at = file[start];
  if (!first || !last || !at) return [];
  const lastIndent = reindented(last.indent, first.indent, at.indent);
  const remaining = new Map<string, number>();
  for (const { text } of content) remaining.set(text, (remaining.get(text) ?? 0) + 1);
  const candidates: Candidate[] = [];
  let common = 0,
    count = 0;
  for (let end = start; end < file.length; end++) {
    const line = file[end];
    if (line === undefined || line.text === "") continue;
    count++;
    const left = remaining.get(line.text) ?? 0;
    if (left > 0) {
      remaining.set(line.text, left - 1);
      common++;
    }
    if (line.text === last.text && line.indent === lastIndent)
      candidates.push({ start, end, similarity: (2 * common) / (count + content.length) });
  }
  return candidates;
}

/** A line of brackets or one word occurs in many places. */
const isDistinctive = (text: string): boolean => /[\p{L}\p{N}_].*[\p{L}\p{N}_]/su.test(text);

function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  for (const { 0: whole, index } of text.matchAll(/[^\n]*(?:\n|$)/g)) {
    if (whole === "" && index === text.length && lines.length > 0) break;
    const content = whole.replace(/\r?\n$/, "");
    lines.push({
      start: index,
      end: index + content.length,
      indent: /^\s*/.exec(content)?.[0] ?? "",
      text: content.trim(),
    });
  }
  return lines;
}

/** The code with the indentation of its place in the file. */
function indented(code: string, from: string, to: string): string {
  if (from === to) return code;
  return code
    .split("\n")
    .map(line => {
      const indent = /^\s*/.exec(line)?.[0] ?? "";
      return line.trim() === "" ? line : reindented(indent, from, to) + line.slice(indent.length);
    })
    .join("\n");
}

/** A line that is indented less than the first one keeps its indentation. */
const reindented = (indent: string, from: string, to: string): string =>
  indent.startsWith(from) ? to + indent.slice(from.length) : indent;
