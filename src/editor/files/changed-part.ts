/** What differs between two texts: one part, between what they begin and what they end with alike. Pure. */

export interface ChangedPart {
  /** In the text as it was, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** What is to be there. */
  readonly text: string;
}

/** `undefined`: nothing differs. Neither a character nor a line end is cut in two. */
export function changedPart(before: string, after: string): ChangedPart | undefined {
  if (before === after) return undefined;
  const most = Math.min(before.length, after.length);
  let start = 0,
    rest = 0;
  while (start < most && before[start] === after[start]) start++;
  while (start > 0 && (isWithin(before, start) || isWithin(after, start))) start--;
  while (rest < most - start && before[before.length - 1 - rest] === after[after.length - 1 - rest]) rest++;
  while (rest > 0 && (isWithin(before, before.length - rest) || isWithin(after, after.length - rest))) rest--;
  return { start, end: before.length - rest, text: after.slice(start, after.length - rest) };
}

/** Of a line end, or of a character that takes two units. */
function isWithin(text: string, at: number): boolean {
  return (
    (text[at - 1] === "\r" && text[at] === "\n") ||
    (/[\uD800-\uDBFF]/.test(text[at - 1] ?? "") && /[\uDC00-\uDFFF]/.test(text[at] ?? ""))
  );
}
