/**
 * Renders untrusted text on which a user bases a decision. The text cannot break out of its Markdown, and invisible
 * characters become visible.
 */
import * as l10n from "@vscode/l10n";
import { visibleLine, visibleText } from "./visible-text";

/** A code block whose fence is longer than any fence in the text. */
export function fenced(text: string, language = ""): string {
  const fence = "`".repeat(Math.max(3, maxBacktickRun(text) + 1));
  return `${fence}${language}\n${visibleText(text)}\n${fence}`;
}

const MAX_LINE_LENGTH = 500;

/** One line of code within a sentence. */
export function inline(text: string, limit = MAX_LINE_LENGTH): string {
  const line = visibleLine(shortened(text, limit));
  if (line === "") return "` `";
  const fence = "`".repeat(maxBacktickRun(line) + 1),
    blank = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${fence}${blank}${line}${blank}${fence}`;
}

/** Keeps the start and the end of text that is longer than `limit`, because dangerous content can be at either. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const tail = Math.floor(limit / 4),
    head = limit - tail;
  return l10n.t`${text.slice(0, head)}\n… ${text.length - limit} more characters …\n${text.slice(-tail)}`;
}

function maxBacktickRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
