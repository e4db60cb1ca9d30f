/** Prepares untrusted text for display: hidden characters become visible and lengths are bounded. Pure. */
import { readableLine, readableText, visibleLine } from "../../src/protocol/text/visible-text";
const MAX_OF_WORD = 80,
  MAX_OF_LINE = 300,
  MAX_OF_TEXT = 2_000,
  MAX_OF_DETAIL = 20_000;

/** A mark or the label of a button. */
export const brief = (text: string): string => cut(line(text), MAX_OF_WORD);
/** A name. */
export const line = (text: string): string => cut(visibleLine(cut(text, MAX_OF_LINE)), MAX_OF_LINE);
/** One or a few sentences. */
export const prose = (text: string): string => cut(readableLine(cut(text, MAX_OF_TEXT)), MAX_OF_TEXT);
/** Output of a program, with its line breaks. */
export const lines = (text: string): string => readableText(cut(text, MAX_OF_DETAIL)).trimEnd();

/** Never splits a surrogate pair. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = /[\ud800-\udbff]/.test(text.charAt(most - 2)) ? most - 2 : most - 1;
  return `${text.slice(0, end)}…`;
}

/** Replacement for a missing icon: the first grapheme of the name. */
export function initial(name: string): string {
  const [first] = [...new Intl.Segmenter().segment(name.slice(0, MAX_OF_LINE).replace(/^[^\p{L}\p{N}]+/u, ""))];
  return first?.segment.toLocaleUpperCase("en-US") ?? "·";
}
