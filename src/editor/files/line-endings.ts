/** Line ends of text files. Pure. */

/** The text with these line ends and no other. */
export function withLineEnds(text: string, end: "\n" | "\r\n"): string {
  return text.replaceAll(/\r?\n/g, end);
}
