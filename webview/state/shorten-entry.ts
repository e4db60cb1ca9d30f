/**
 * Shortens an entry for a saved page. Pure.
 *
 * Invariants:
 * - `shortened` returns an entry of the same kind and id.
 * - The texts of the result take at most half of `limit` as JSON.
 * - Lists keep their first items.
 * - An incomplete form cannot be answered.
 */
import type { Attachment } from "../../src/protocol/chat/attachments";
import type { Entry, Permission, SubagentName, ToolContent } from "../../src/protocol/chat/chat";
import type { Elicitation } from "../../src/protocol/chat/elicitation";
import { withoutContentOf } from "./attachment-sizes";

const MAX_STEPS = 20,
  MAX_OPTIONS = 20,
  MAX_ATTACHED = 20;

/** Truncates a text to 1/`divisor` of the available characters. */
interface Cut {
  (text: string, divisor: number): string;
  (text: string | undefined, divisor: number): string | undefined;
}

/** JSON escapes a character by up to six characters. */
function cutter(limit: number): Cut {
  function cut(text: string, divisor: number): string;
  function cut(text: string | undefined, divisor: number): string | undefined;
  function cut(text: string | undefined, divisor: number): string | undefined {
    return text?.slice(0, Math.floor(limit / 12 / divisor));
  }
  return cut;
}

export function shortened(entry: Entry, limit: number): Entry {
  const cut = cutter(limit);
  switch (entry.kind) {
    case "user":
      return {
        ...entry,
        text: cut(entry.text, entry.attachments ? 2 : 1),
        ...optional(
          "attachments",
          entry.attachments
            ?.slice(0, MAX_ATTACHED)
            .map(attachment => shortenedAttachment(withoutContentOf(attachment), cut)),
        ),
      };
    case "agent":
    case "thought":
      return { ...entry, text: cut(entry.text, 1) };
    case "media":
      return { ...entry, content: shortenedContent(entry.content, cut) };
    case "tool": {
      const { input: _input, output: _output, ...tool } = entry;
      return {
        ...tool,
        toolCallId: cut(entry.toolCallId, 4),
        title: cut(entry.title, 4),
        toolKind: cut(entry.toolKind, 4),
        content: [],
        locations: [],
      };
    }
    case "permission":
      return shortenedPermission(entry, cut);
    case "elicitation":
      return shortenedElicitation(entry, cut);
    case "plan":
      return {
        ...entry,
        ...optional("text", cut(entry.text, 4)),
        steps: entry.steps.slice(0, MAX_STEPS).map(({ content, priority, status }) => ({
          content: cut(content, 40),
          priority: cut(priority, 80),
          status: cut(status, 80),
        })),
      };
    case "notice":
      return {
        ...entry,
        text: cut(entry.text, 4),
        ...optional("from", cut(entry.from, 4)),
        ...optional("detail", cut(entry.detail, 2)),
      };
    case "compaction":
      return {
        ...entry,
        compactionId: cut(entry.compactionId, 8),
        status: cut(entry.status, 8),
        text: cut(entry.text, 2),
        ...optional("error", cut(entry.error, 4)),
      };
    case "subagent":
      return {
        ...entry,
        sessionId: cut(entry.sessionId, 8),
        name: cut(entry.name, 8),
        ...optional("description", cut(entry.description, 4)),
        ...optional("error", cut(entry.error, 4)),
        entries: [],
      };
    case "message":
      return { ...entry, from: cut(entry.from, 8), to: cut(entry.to, 8), text: cut(entry.text, 2) };
    case "unknown":
      return { ...entry, what: cut(entry.what, 4), json: cut(entry.json, 2) };
  }
}

function shortenedPermission(entry: Permission, cut: Cut): Permission {
  const { answered } = entry;
  return {
    ...entry,
    agent: cut(entry.agent, 16),
    title: cut(entry.title, 4),
    toolKind: cut(entry.toolKind, 16),
    ...optional("input", cut(entry.input, 4)),
    content: [],
    options: entry.options
      .slice(0, MAX_OPTIONS)
      .map(({ optionId, name, kind }) => ({ optionId: cut(optionId, 160), name: cut(name, 160), kind })),
    ...optional("subagent", shortenedName(entry.subagent, cut)),
    ...(answered?.kind === "selected"
      ? { answered: { ...answered, optionId: cut(answered.optionId, 16), name: cut(answered.name, 16) } }
      : {}),
  };
}

/** Stores the question as cancelled, because a shortened form would be a different form. */
function shortenedElicitation(entry: Elicitation, cut: Cut): Elicitation {
  const { ask } = entry;
  const named = {
    ...entry,
    agent: cut(entry.agent, 16),
    ...optional("subagent", shortenedName(entry.subagent, cut)),
    message: cut(entry.message, 4),
    answered: entry.answered ?? { kind: "cancelled" as const, why: "the question is too long to be stored" },
  };
  if (ask.mode === "url")
    return { ...named, ask: { ...ask, url: cut(ask.url, 4), elicitationId: cut(ask.elicitationId, 16) } };
  return {
    ...named,
    ask: {
      mode: "form",
      fields: [],
      ...optional("title", cut(ask.title, 8)),
      ...optional("description", cut(ask.description, 4)),
    },
  };
}

function shortenedName(subagent: SubagentName | undefined, cut: Cut): SubagentName | undefined {
  return subagent && { sessionId: cut(subagent.sessionId, 16), name: cut(subagent.name, 16) };
}

function shortenedContent(content: ToolContent, cut: Cut): ToolContent {
  switch (content.kind) {
    case "text":
      return { kind: "text", text: cut(content.text, 1) };
    case "diff":
      return {
        kind: "diff",
        path: cut(content.path, 4),
        ...optional("oldText", cut(content.oldText, 4)),
        newText: cut(content.newText, 4),
      };
    case "terminal":
      return {
        kind: "terminal",
        terminalId: cut(content.terminalId, 4),
        ...optional("output", cut(content.output, 2)),
      };
    case "image":
      return OMITTED_IMAGE;
    case "audio":
      return { ...content, mimeType: cut(content.mimeType, 4) };
    case "resource":
      return {
        kind: "resource",
        uri: cut(content.uri, 4),
        ...optional("name", cut(content.name, 8)),
        ...optional("description", cut(content.description, 8)),
        ...optional("mimeType", cut(content.mimeType, 16)),
        ...optional("text", cut(content.text, 4)),
        ...optional("bytes", content.bytes),
      };
    case "other":
      return { ...content, what: cut(content.what, 4), json: cut(content.json, 2) };
  }
}

function optional<K extends string, T>(key: K, value: T | undefined): { readonly [P in K]?: T } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: T });
}

/** `attachment` has no content (`withoutContentOf`). */
function shortenedAttachment(attachment: Attachment, cut: Cut): Attachment {
  switch (attachment.kind) {
    case "file":
    case "folder":
      return { ...attachment, path: cut(attachment.path, 40) };
    case "symbol":
      return { ...attachment, name: cut(attachment.name, 80), path: cut(attachment.path, 80) };
    case "selection":
      return { ...attachment, name: cut(attachment.name, 80), ...optional("path", cut(attachment.path, 80)) };
    case "problems":
    case "transcript":
      return attachment;
    case "terminal":
      return { ...attachment, name: cut(attachment.name, 40) };
    case "image":
      return { ...attachment, name: cut(attachment.name, 80), mimeType: cut(attachment.mimeType, 80) };
  }
}

// --- images and attachments

const OMITTED_IMAGE: ToolContent = { kind: "other", what: "image", json: "(an image that is too large to be stored)" };

/** Cache by entry, because entries are immutable. */
const bareEntries = new WeakMap<Entry, Entry>();

/** The entry without image data and attached texts; the same entry if it contains neither. */
export function bare(entry: Entry): Entry {
  const cached = bareEntries.get(entry);
  if (cached !== undefined) return cached;
  const result = withoutContent(entry);
  bareEntries.set(entry, result);
  return result;
}

function withoutContent(entry: Entry): Entry {
  switch (entry.kind) {
    case "user":
      return entry.attachments?.some(attachment => withoutContentOf(attachment) !== attachment)
        ? { ...entry, attachments: entry.attachments.map(withoutContentOf) }
        : entry;
    case "media":
      return entry.content.kind === "image" ? { ...entry, content: OMITTED_IMAGE } : entry;
    case "tool":
    case "permission":
      return entry.content.some(isImage)
        ? { ...entry, content: entry.content.map(content => (isImage(content) ? OMITTED_IMAGE : content)) }
        : entry;
    case "subagent":
      return entry.entries.some(each => bare(each) !== each) ? { ...entry, entries: entry.entries.map(bare) } : entry;
    default:
      return entry;
  }
}

function isImage({ kind }: ToolContent): boolean {
  return kind === "image";
}
