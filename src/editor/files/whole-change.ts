/** Places the change of an excerpt in its file. Pure. */

export interface WholeChange {
  /** Texts of the whole file, with LF as line ends. */
  readonly before: string;
  readonly after: string;
  /** The file already has the change. */
  readonly isApplied: boolean;
}

/** `undefined`: the file has the excerpt not at all, or in several places. */
export function wholeChange(file: string, oldText: string, newText: string): WholeChange | undefined {
  const text = withoutReturns(file),
    from = withoutReturns(oldText),
    to = withoutReturns(newText);
  if (text === to) return { before: from, after: to, isApplied: true };
  const undone = withReplacement(text, to, from);
  // The old text would have several places in the file before the change, so this may be one of the others.
  if (undone !== undefined && withReplacement(undone, from, to) !== undefined)
    return { before: undone, after: text, isApplied: true };
  const done = withReplacement(text, from, to);
  return done === undefined ? undefined : { before: text, after: done, isApplied: false };
}

const withoutReturns = (text: string): string => text.replaceAll("\r\n", "\n");

function withReplacement(text: string, from: string, to: string): string | undefined {
  const at = text.indexOf(from);
  return from === "" || at === -1 || text.includes(from, at + 1)
    ? undefined
    : text.slice(0, at) + to + text.slice(at + from.length);
}
