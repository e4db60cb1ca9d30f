/**
 * Text of others, as it can be shown to a person who decides by it: as Markdown that it cannot leave, and with nothing
 * in it that is not seen.
 */
import { visibleLine, visibleText } from "../../../src/protocol/visible-text";

/** A block of code, behind a fence that is longer than any in it. */
export function fenced(text: string, language = ""): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${visibleText(text)}\n${fence}`;
}

const LONGEST_LINE = 500;

/** One line of code within a sentence. */
export function inline(text: string, limit = LONGEST_LINE): string {
  const line = visibleLine(shortened(text, limit));
  if (line === "") return "` `";
  const fence = "`".repeat(longestRun(line) + 1),
    blank = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${fence}${blank}${line}${blank}${fence}`;
}

/** Its beginning and its end, when it is longer than `limit`: what is dangerous may stand at either. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const tail = Math.floor(limit / 4),
    head = limit - tail;
  return `${text.slice(0, head)}\n… ${text.length - limit} more characters …\n${text.slice(-tail)}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(run => run.length));
}
