/** Text of others, as it can be shown to a person who decides by it: as Markdown that it cannot leave, and with nothing in it that is not seen. */

/**
 * What changes what one reads, or cannot be seen: control characters, marks and overrides of direction, characters without width, fillers,
 * tags, the selectors that can carry hidden text, and halves of characters. Line feeds and tabs stay.
 */
const HIDDEN = /[\0-\x08\x0B-\x1F\x7F-\x9F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u2028-\u202E\u2060-\u206F\u2800\u3164\uFE00-\uFE0E\uFEFF\uFFA0\uFFF9-\uFFFC\u{E0000}-\u{E0FFF}\uD800-\uDFFF]/gu;

/** With each of them as its number: `⟨U+202E⟩`. Line ends of Windows are plain ones. */
export function visible(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(HIDDEN, character => `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** A block of code, behind a fence that is longer than any in it. */
export function fenced(text: string, language = ""): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${visible(text)}\n${fence}`;
}

const LONGEST_LINE = 500;

/** One line of code within a sentence; all white space in it is single blanks. */
export function inline(text: string, limit = LONGEST_LINE): string {
  const line = visible(shortened(text, limit).replaceAll(/\s+/gu, " ").trim());
  if (line === "") return "` `";
  const fence = "`".repeat(longestRun(line) + 1), blank = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${fence}${blank}${line}${blank}${fence}`;
}

/** Its beginning and its end, when it is longer than `limit`: what is dangerous may stand at either. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const tail = Math.floor(limit / 4), head = limit - tail;
  return `${text.slice(0, head)}\n… ${text.length - limit} more characters …\n${text.slice(-tail)}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(run => run.length));
}
