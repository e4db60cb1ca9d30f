/** Places the change of an excerpt in its file. Pure. */

export interface WholeChange {
  /** Texts of the whole file, with LF as line ends. */
  readonly before: string;
  readonly after: string;
  /** The file already has the change. */
  readonly isApplied: boolean;
  /** Number of the excerpt's first line. */
  readonly line: number;
}

/** `undefined`: the file has the excerpt not at all, or in several places. */
export function wholeChange(file: string, oldText: string, newText: string): WholeChange | undefined {
  const text = withoutReturns(file),
    from = withoutReturns(oldText),
    to = withoutReturns(newText);
  if (text === to) return { before: from, after: to, isApplied: true, line: 1 };
  const undone = withReplacement(text, to, from);
  // The old text would have several places in the file before the change, so this may be one of the others.
  if (undone !== undefined && withReplacement(undone.text, from, to) !== undefined)
    return { before: undone.text, after: text, isApplied: true, line: undone.line };
  const done = withReplacement(text, from, to);
  return done && { before: text, after: done.text, isApplied: false, line: done.line };
}

const withoutReturns = (text: string): string => text.replaceAll("\r\n", "\n");

function withReplacement(
  text: string,
  from: string,
  to: string,
): { readonly text: string; readonly line: number } | undefined {
  const at = text.indexOf(from);
  if (from === "" || at === -1 || text.includes(from, at + 1)) return undefined;
  const start = text.slice(0, at);
  return { text: start + to + text.slice(at + from.length), line: start.split("\n").length };
}
