/** Renders a conversation as text for an agent that does not remember it. Pure. */
import { ATTACHED_TEXT_LIMIT, nameOf } from "./attachments";
import type { Conversation, Entry, ToolCall } from "./chat";

/** Maximum characters of the transcript, of a text in it, and of a tool call's output. */
const LIMIT = 60_000,
  TEXT_LIMIT = 12_000,
  OUTPUT_LIMIT = 2_000;

/**
 * The prompts, answers and tool calls of the conversation. Keeps the newest entries that fit, at most
 * `ATTACHED_TEXT_LIMIT` characters. Empty if there is no text.
 */
export function chatTranscript({ entries, omitted: before }: Pick<Conversation, "entries" | "omitted">): string {
  const texts = entries.map(textOf).filter(text => text !== ""),
    newest: string[] = [];
  let remaining = Math.min(LIMIT, ATTACHED_TEXT_LIMIT);
  for (const text of texts.toReversed()) {
    if (text.length > remaining) break;
    newest.unshift(text);
    remaining -= text.length + SEPARATOR.length;
  }
  const omitted = (before?.count ?? 0) + texts.length - newest.length;
  return [...(omitted > 0 ? [`(${omitted} earlier entries are omitted.)`] : []), ...newest].join(SEPARATOR);
}
const SEPARATOR = "\n\n";

function textOf(entry: Entry): string {
  switch (entry.kind) {
    case "user": {
      const names = (entry.attachments ?? []).map(nameOf);
      return [
        `User: ${cut(entry.text, TEXT_LIMIT)}`,
        ...(names.length === 0 ? [] : [`(With ${names.join(", ")}.)`]),
      ].join("\n");
    }
    case "agent":
      return entry.text.trim() === "" ? "" : `Assistant: ${cut(entry.text.trim(), TEXT_LIMIT)}`;
    case "tool":
      return toolText(entry);
    case "compaction":
      return entry.text === undefined || entry.text === "" ? "" : `(Summary: ${cut(entry.text, TEXT_LIMIT)})`;
    default:
      return "";
  }
}

function toolText({ title, status, output, content }: ToolCall): string {
  const changed = content.flatMap(part => (part.kind === "diff" ? [part.path] : []));
  return [
    `(Tool call, ${status}: ${title}`,
    ...changed.map(path => `Changed ${path}`),
    ...(output === undefined || output === "" ? [] : [`Returned: ${cut(output, OUTPUT_LIMIT)}`]),
  ]
    .join("\n")
    .concat(")");
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}…`;
}
