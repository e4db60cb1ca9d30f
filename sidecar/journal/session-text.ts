/**
 * The searchable text of a conversation, and the search in it (issue 17 item 1). Pure.
 *
 * The text is UTF-8: for each entry the byte 1E, its id, the byte 1F, and its text. The search works on bytes, because
 * decoding a hundred megabytes would take longer than the search.
 */
import type { Entry, TerminalView, ToolContent } from "../../src/protocol/chat/chat";
import { nameOf } from "../../src/protocol/chat/attachments";
import { terminalIds } from "../../src/protocol/chat/chat";
import { queryPattern } from "../../src/protocol/text/query-pattern";

/** Separate the entries, and an id from its text. Removed from the texts. */
const ENTRY = "\u001E",
  TEXT = "\u001F";
const SEPARATORS = /[\u001E\u001F]/g;
/** Maximum UTF-16 units of one part of a tool call, such as its output. */
const PART_LIMIT = 64 * 1024;

/** A found text. `excerpt`: one line around it, which contains it from `start` to `end`. */
export interface TextHit {
  readonly entryId: string;
  readonly excerpt: string;
  readonly start: number;
  readonly end: number;
}

export function searchableText(entries: readonly Entry[], terminals: readonly TerminalView[]): string {
  const byId = terminalsById(terminals);
  return entries
    .map(entry => {
      const text = entryText(entry, byId);
      return text === "" ? "" : `${ENTRY}${plain(entry.id)}${TEXT}${plain(text)}`;
    })
    .join("");
}

export type TerminalsById = ReadonlyMap<string, TerminalView>;

export const terminalsById = (terminals: readonly TerminalView[]): TerminalsById =>
  new Map(terminals.map(terminal => [terminal.terminalId, terminal]));

/** The searchable text of an entry and of the terminals that it names. */
export function entryText(entry: Entry, terminals: TerminalsById): string {
  const outputs = terminals.size === 0 ? [] : [...terminalIds([entry])].flatMap(id => terminals.get(id) ?? []);
  return [...textsOf(entry), ...outputs.flatMap(({ command, output }) => [command, output])]
    .filter(each => each !== "")
    .join("\n");
}

const plain = (text: string): string => text.replaceAll(SEPARATORS, " ");

function textsOf(entry: Entry): readonly string[] {
  switch (entry.kind) {
    case "user":
      return [entry.text, ...(entry.attachments ?? []).map(nameOf)];
    case "agent":
    case "thought":
    case "compaction":
    case "message":
    case "notice":
      return [entry.text];
    case "plan":
      return [...entry.steps.map(({ content }) => content), entry.text ?? ""];
    case "tool":
      return [
        entry.title,
        ...entry.locations.map(({ path }) => path),
        ...entry.content.flatMap(contentTexts),
        entry.input ?? "",
        entry.output ?? "",
      ].map(text => text.slice(0, PART_LIMIT));
    case "permission":
      return [entry.title];
    case "elicitation":
      return [entry.message];
    case "subagent":
      return [entry.description ?? "", ...entry.entries.flatMap(textsOf)];
    case "media":
      return contentTexts(entry.content);
    case "unknown":
      return [];
  }
}

function contentTexts(content: ToolContent): readonly string[] {
  switch (content.kind) {
    case "text":
      return [content.text];
    case "diff":
      return [content.path, content.oldText ?? "", content.newText];
    case "terminal":
      return [content.output ?? ""];
    case "resource":
      return [content.uri, content.text ?? ""];
    default:
      return [];
  }
}

/** A pattern for bytes as Latin-1 characters; see `queryPattern`. */
export function searchPattern(query: string): RegExp {
  return queryPattern(query, character => Buffer.from(character).toString("latin1"));
}

/** The first occurrence in each of the first `limit` entries that contain the pattern. `bytes`: see above. */
export function hitsIn(bytes: Buffer, pattern: RegExp, limit: number): readonly TextHit[] {
  const text = bytes.toString("latin1"),
    hits: TextHit[] = [];
  for (pattern.lastIndex = 0; hits.length < limit; ) {
    const found = pattern.exec(text);
    if (found === null) break;
    const at = found.index,
      begin = text.lastIndexOf(ENTRY, at),
      textAt = text.indexOf(TEXT, begin),
      next = text.indexOf(ENTRY, at),
      end = next === -1 ? text.length : next;
    // A match in an id, or across two entries, is not in the text.
    const isInText = begin !== -1 && textAt !== -1 && textAt < at && at + found[0].length <= end;
    if (isInText)
      hits.push({
        entryId: decoded(text.slice(begin + 1, textAt)),
        ...excerpt(text.slice(textAt + 1, end), at - textAt - 1, found[0].length),
      });
    pattern.lastIndex = isInText ? end : at + 1;
  }
  return hits;
}

/** Bytes before and after a match in its excerpt. */
const BEFORE = 40,
  AFTER = 120;

function excerpt(text: string, at: number, length: number): Omit<TextHit, "entryId"> {
  const from = characterAt(text, Math.max(0, at - BEFORE)),
    to = characterAt(text, Math.min(text.length, at + length + AFTER));
  const before = `${from > 0 ? "…" : ""}${line(text.slice(from, at))}`,
    match = line(text.slice(at, at + length)),
    after = `${line(text.slice(at + length, to))}${to < text.length ? "…" : ""}`;
  return { excerpt: before + match + after, start: before.length, end: before.length + match.length };
}

/** The start of the UTF-8 character at this position or before. */
function characterAt(text: string, position: number): number {
  let at = position;
  while (at > 0 && at < text.length && (text.charCodeAt(at) & 0xc0) === 0x80) at--;
  return at;
}

const line = (latin1: string): string => decoded(latin1).replaceAll(/\s+/g, " ");
const decoded = (latin1: string): string => Buffer.from(latin1, "latin1").toString();
