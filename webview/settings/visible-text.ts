/** Texts of strangers, as they stand on the page: nothing hides in them, and none is without an end. Pure. */
import { readableLine, readableText, visibleLine } from "../../src/protocol/visible-text";
const MOST_OF_WORD = 80,
  MOST_OF_LINE = 300,
  MOST_OF_TEXT = 2_000,
  MOST_OF_DETAIL = 20_000;

/** A mark, the label of a button. */
export const brief = (text: string): string => cut(line(text), MOST_OF_WORD);
/** A name. */
export const line = (text: string): string => cut(visibleLine(cut(text, MOST_OF_LINE)), MOST_OF_LINE);
/** A sentence or a few. */
export const prose = (text: string): string => cut(readableLine(cut(text, MOST_OF_TEXT)), MOST_OF_TEXT);
/** What a program said, with its lines. */
export const lines = (text: string): string => readableText(cut(text, MOST_OF_DETAIL)).trimEnd();

/** By characters as they are drawn: half of one is none. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = /[\ud800-\udbff]/.test(text.charAt(most - 2)) ? most - 2 : most - 1;
  return `${text.slice(0, end)}…`;
}

/** What stands for an icon where there is none: its first letter, as a reader would count. */
export function initial(name: string): string {
  const [first] = [...new Intl.Segmenter().segment(name.slice(0, MOST_OF_LINE).replace(/^[^\p{L}\p{N}]+/u, ""))];
  return first?.segment.toLocaleUpperCase("en-US") ?? "·";
}
