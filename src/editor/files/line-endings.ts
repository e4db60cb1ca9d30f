/** Line endings of text files. Pure. */

/** Replaces all line endings with `end`. */
export function withLineEnds(text: string, end: "\n" | "\r\n"): string {
  return text.replaceAll(/\r?\n/g, end);
}
