/**
 * Finds TeX formulas in Markdown: `$…$` and `\(…\)` in a line, `$$…$$` and `\[…\]` as blocks. Pure.
 *
 * Invariants:
 * - An unclosed formula is text, so a growing text shows a formula only when it is complete.
 * - Prices and shell variables are text.
 * - The cost is linear in the length of the text.
 */

/** A position in a text. `to`: after the closing delimiter. */
export interface FormulaRange {
  readonly from: number;
  readonly to: number;
}

export interface Formula {
  /** With the delimiters. */
  readonly source: string;
  readonly tex: string;
  readonly isBlock: boolean;
}

/** In characters, with the delimiters. A longer formula is text. */
export const MAX_FORMULA = 2_000;

const DELIMITERS = [
  { open: "$$", close: "$$", isBlock: true },
  { open: "$", close: "$", isBlock: false },
  { open: "\\[", close: "\\]", isBlock: true },
  { open: "\\(", close: "\\)", isBlock: false },
] as const;
type Delimiter = (typeof DELIMITERS)[number];

/** The formulas of a text without code, in order. */
export function formulaRanges(prose: string): readonly FormulaRange[] {
  const found: FormulaRange[] = [],
    nextClosing = new Map<Delimiter, number>();
  // The distance to the next closing delimiter is searched once, not for each opening one.
  const closing = (delimiter: Delimiter, after: number): number => {
    const known = nextClosing.get(delimiter) ?? -1;
    if (known >= after) return known;
    const at = indexOfUnescaped(prose, delimiter.close, after);
    nextClosing.set(delimiter, at);
    return at;
  };
  for (let at = 0; at < prose.length; ) {
    const delimiter = DELIMITERS.find(({ open }) => prose.startsWith(open, at));
    if (delimiter === undefined) {
      at += prose[at] === "\\" ? 2 : 1;
      continue;
    }
    const start = at + delimiter.open.length,
      end = closing(delimiter, start),
      to = end + delimiter.close.length;
    if (end !== Infinity && to - at <= MAX_FORMULA && isFormula(prose, at, start, end, to, delimiter)) {
      found.push({ from: at, to });
      at = to;
    } else at = start;
  }
  return found;
}

/** The formula in `source`, which includes its delimiters. */
export function formulaOf(source: string): Formula | undefined {
  const delimiter = DELIMITERS.find(
    ({ open, close }) =>
      source.startsWith(open) && source.endsWith(close) && source.length > open.length + close.length,
  );
  return (
    delimiter && {
      source,
      tex: source.slice(delimiter.open.length, -delimiter.close.length).trim(),
      isBlock: delimiter.isBlock,
    }
  );
}

/** `Infinity` if the text does not occur. */
function indexOfUnescaped(text: string, wanted: string, from: number): number {
  for (let at = text.indexOf(wanted, from); at !== -1; at = text.indexOf(wanted, at + 1))
    if (!isEscaped(text, at)) return at;
  return Infinity;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === "\\") backslashes += 1;
  return backslashes % 2 === 1;
}

function isFormula(
  text: string,
  from: number,
  start: number,
  end: number,
  to: number,
  { open, isBlock }: Delimiter,
): boolean {
  const tex = text.slice(start, end),
    before = text.slice(Math.max(0, from - 1), from),
    after = text.slice(to, to + 1);
  if (tex.trim() === "" || /\n[ \t]*\n/.test(tex)) return false;
  if (isBlock && tex.includes("\n") && /^[ \t]*>/.test(lineStart(text, from) ?? "")) return false;
  switch (open) {
    case "$":
      return BEFORE_DOLLAR.test(before) && AFTER_DOLLAR.test(after) && !/^\s|\s$|\n/.test(tex) && !isAmount(tex);
    case "$$":
      return !/[\w$]/.test(before) && !/[\w$]/.test(after);
    case "\\(":
      return true;
    // Elsewhere it is an escaped bracket of Markdown.
    case "\\[":
      return MARKERS.test(lineStart(text, from) ?? "text") && /^[ \t]*(?:\n|$)/.test(text.slice(to, to + MAX_MARKERS));
  }
}

const MARKERS = /^[ \t]*(?:(?:[-*+>]|\d{1,9}[.)])[ \t]+)*$/;
const BEFORE_DOLLAR = /^$|[\s([{"'“‘*_~|>,;:—–-]/u;
const AFTER_DOLLAR = /^$|[^\p{L}\p{N}_${(]/u;

/** Two amounts with the currency before and after the number: "$5 or 6$". */
function isAmount(tex: string): boolean {
  return /^\d/.test(tex) && /\p{L}{2}/u.test(tex) && !/[\\^_={}]/.test(tex);
}

/** The text before `at` in its line, or `undefined` if it is longer than markers of lists and quotes are. */
function lineStart(text: string, at: number): string | undefined {
  const near = text.slice(Math.max(0, at - MAX_MARKERS), at),
    newline = near.lastIndexOf("\n");
  return newline === -1 && at > MAX_MARKERS ? undefined : near.slice(newline + 1);
}
const MAX_MARKERS = 100;
