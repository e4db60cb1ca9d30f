/** Finds the part in which two texts differ, between their common prefix and suffix. Pure. */

export interface ChangedPart {
  /** Offset in the old text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** The replacement. */
  readonly text: string;
}

/** `undefined`: the texts are equal. Never splits a surrogate pair or a CR LF. */
export function changedPart(before: string, after: string): ChangedPart | undefined {
  if (before === after) return undefined;
  const shorter = Math.min(before.length, after.length);
  let start = 0,
    suffix = 0;
  while (start < shorter && before[start] === after[start]) start++;
  while (start > 0 && (isWithin(before, start) || isWithin(after, start))) start--;
  while (suffix < shorter - start && before[before.length - 1 - suffix] === after[after.length - 1 - suffix]) suffix++;
  while (suffix > 0 && (isWithin(before, before.length - suffix) || isWithin(after, after.length - suffix))) suffix--;
  return { start, end: before.length - suffix, text: after.slice(start, after.length - suffix) };
}

/** Whether `at` is inside a CR LF or a surrogate pair. */
function isWithin(text: string, at: number): boolean {
  return (
    (text[at - 1] === "\r" && text[at] === "\n") ||
    (/[\uD800-\uDBFF]/.test(text[at - 1] ?? "") && /[\uDC00-\uDFFF]/.test(text[at] ?? ""))
  );
}
