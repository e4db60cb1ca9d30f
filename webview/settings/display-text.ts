/** Prepares untrusted text for display: hidden characters become visible and lengths are bounded. Pure. */
import { readableLine, readableText, visibleLine } from "../../src/protocol/text/visible-text";
const MAX_BRIEF = 80,
  MAX_LINE = 300,
  MAX_PROSE = 2_000,
  MAX_LINES = 20_000;

/** A mark or the label of a button. */
export const brief = (text: string): string => cut(line(text), MAX_BRIEF);
/** A name. */
export const line = (text: string): string => cut(visibleLine(cut(text, MAX_LINE)), MAX_LINE);
/** One or a few sentences. */
export const prose = (text: string): string => cut(readableLine(cut(text, MAX_PROSE)), MAX_PROSE);
/** Output of a program, with its line breaks. */
export const lines = (text: string): string => readableText(cut(text, MAX_LINES)).trimEnd();

/** Truncates without splitting a surrogate pair. */
function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const end = /[\ud800-\udbff]/.test(text.charAt(maxLength - 2)) ? maxLength - 2 : maxLength - 1;
  return `${text.slice(0, end)}…`;
}

/** Replacement for a missing icon: the first grapheme of the name. */
export function initial(name: string): string {
  const [first] = [...new Intl.Segmenter().segment(name.slice(0, MAX_LINE).replace(/^[^\p{L}\p{N}]+/u, ""))];
  return first?.segment.toLocaleUpperCase("en-US") ?? "·";
}
