/** Type guards for pages saved by earlier versions. They check only the properties that the page uses. */
import type { AgentChoice } from "../../src/protocol/agents/agents";
import type { Attachment } from "../../src/protocol/chat/attachments";
import type { Entry, QueuedPrompt, SubagentName, ToolContent } from "../../src/protocol/chat/chat";
import type { Field } from "../../src/protocol/chat/elicitation";
import { isObject, type Fields } from "../../src/protocol/wire/json";
import type { HostToPage } from "../../src/protocol/page/host-to-page";

type Guard<T> = (value: unknown) => value is T;

export const isText = (value: unknown): value is string => typeof value === "string";
export const isCount = (value: unknown): value is number => typeof value === "number" && Number.isSafeInteger(value);
const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";
export const isListOf =
  <T>(each: Guard<T>) =>
  (value: unknown): value is readonly T[] =>
    Array.isArray(value) && value.every(each);
const optional =
  <T>(is: Guard<T>) =>
  (value: unknown): value is T | undefined =>
    value === undefined || is(value);
const texts = (value: Fields, ...keys: readonly string[]) => keys.every(key => isText(value[key]));

/** Runs the table's check for `tag`; `false` for an unknown tag. */
function passes(table: Readonly<Record<string, (value: Fields) => boolean>>, tag: unknown, value: Fields): boolean {
  const check = isText(tag) && Object.hasOwn(table, tag) ? table[tag] : undefined;
  return check?.(value) ?? false;
}

export const isAgentChoice: Guard<AgentChoice> = (value): value is AgentChoice =>
  isObject(value) && texts(value, "id", "name");

const areObjects = isListOf(isObject);

const CONTENT: Readonly<Record<ToolContent["kind"], (content: Fields) => boolean>> = {
  text: content => isText(content["text"]),
  diff: content => texts(content, "path", "newText") && optional(isText)(content["oldText"]),
  terminal: content => isText(content["terminalId"]) && optional(isText)(content["output"]),
  image: content => texts(content, "mimeType", "data"),
  audio: content => isText(content["mimeType"]) && isNumber(content["bytes"]),
  resource: content =>
    isText(content["uri"]) &&
    ["name", "description", "mimeType", "text"].every(key => optional(isText)(content[key])) &&
    optional(isNumber)(content["bytes"]),
  other: content => texts(content, "what", "json"),
};
const isContent: Guard<ToolContent> = (value): value is ToolContent =>
  isObject(value) && passes(CONTENT, value["kind"], value);

const hasLines = (value: Fields): boolean => isCount(value["startLine"]) && isCount(value["endLine"]);
const ATTACHMENT: Readonly<Record<Attachment["kind"], (attachment: Fields) => boolean>> = {
  file: attachment => isText(attachment["path"]),
  folder: attachment => isText(attachment["path"]),
  symbol: attachment => texts(attachment, "name", "path") && hasLines(attachment),
  selection: attachment =>
    texts(attachment, "name", "text") && optional(isText)(attachment["path"]) && hasLines(attachment),
  problems: attachment => isCount(attachment["count"]) && isText(attachment["text"]),
  terminal: attachment => texts(attachment, "name", "text"),
  transcript: attachment => isText(attachment["text"]),
  image: attachment => texts(attachment, "name", "mimeType", "data"),
};
const isAttachment: Guard<Attachment> = (value): value is Attachment =>
  isObject(value) && passes(ATTACHMENT, value["kind"], value);
export const areAttachments = isListOf(isAttachment);

/** A queued prompt or a prompt in flight. */
export const isPrompt: Guard<QueuedPrompt> = (value): value is QueuedPrompt =>
  isObject(value) && texts(value, "messageId", "text") && optional(areAttachments)(value["attachments"]);
const isOption = (value: unknown): value is Fields => isObject(value) && texts(value, "value", "title");
const FIELD: Readonly<Record<Field["type"], (field: Fields) => boolean>> = {
  text: field => optional(isText)(field["initial"]),
  number: field => optional(isNumber)(field["initial"]),
  integer: field => optional(isNumber)(field["initial"]),
  boolean: field => optional(isBoolean)(field["initial"]),
  choice: field => isListOf(isOption)(field["options"]) && optional(isText)(field["initial"]),
  choices: field => isListOf(isOption)(field["options"]) && optional(isListOf(isText))(field["initial"]),
};
const isField = (value: unknown): value is Field =>
  isObject(value) &&
  texts(value, "name", "title") &&
  optional(isText)(value["description"]) &&
  isBoolean(value["required"]) &&
  passes(FIELD, value["type"], value);

const ASK: Readonly<Record<"form" | "url", (ask: Fields) => boolean>> = {
  form: ask =>
    isListOf(isField)(ask["fields"]) && optional(isText)(ask["title"]) && optional(isText)(ask["description"]),
  url: ask => texts(ask, "url", "elicitationId"),
};
const isAsk = (value: unknown): boolean => isObject(value) && passes(ASK, value["mode"], value);
const isAnswered = (value: unknown): value is Fields => isObject(value) && isText(value["kind"]);

const isSubagentName: Guard<SubagentName> = (value): value is SubagentName =>
  isObject(value) && texts(value, "sessionId", "name");

const ENTRY: Readonly<Record<Entry["kind"], (entry: Fields) => boolean>> = {
  user: entry => isText(entry["text"]) && optional(areAttachments)(entry["attachments"]),
  agent: entry => isText(entry["text"]),
  thought: entry => isText(entry["text"]) && optional(isNumber)(entry["ms"]),
  media: entry => isContent(entry["content"]),
  plan: entry => areObjects(entry["steps"]) && optional(isText)(entry["text"]),
  tool: entry =>
    texts(entry, "title", "toolKind", "status") &&
    isListOf(isContent)(entry["content"]) &&
    areObjects(entry["locations"]) &&
    optional(isText)(entry["input"]) &&
    optional(isText)(entry["output"]),
  permission: entry =>
    texts(entry, "agent", "title", "toolKind") &&
    isListOf(isContent)(entry["content"]) &&
    areObjects(entry["options"]) &&
    optional(isText)(entry["input"]) &&
    optional(isAnswered)(entry["answered"]) &&
    optional(isSubagentName)(entry["subagent"]),
  elicitation: entry =>
    texts(entry, "agent", "message") &&
    isAsk(entry["ask"]) &&
    optional(isAnswered)(entry["answered"]) &&
    optional(isSubagentName)(entry["subagent"]),
  notice: entry =>
    texts(entry, "severity", "text") &&
    isListOf(isText)(entry["actions"]) &&
    optional(isText)(entry["from"]) &&
    optional(isText)(entry["detail"]),
  compaction: entry => texts(entry, "status", "text") && optional(isText)(entry["error"]),
  subagent: entry =>
    texts(entry, "sessionId", "name", "status") &&
    optional(isText)(entry["description"]) &&
    optional(isText)(entry["error"]) &&
    isListOf(isEntry)(entry["entries"]),
  message: entry => texts(entry, "from", "to", "text"),
  unknown: entry => texts(entry, "what", "json") && optional(isCount)(entry["count"]),
};

export function isEntry(value: unknown): value is Entry {
  return isObject(value) && isText(value["id"]) && passes(ENTRY, value["kind"], value);
}

const MESSAGES: Readonly<Record<HostToPage["type"], true>> = {
  state: true,
  event: true,
  snapshot: true,
  mentionsFound: true,
  attach: true,
  requestReplay: true,
  agentSelected: true,
  openTab: true,
  failed: true,
};

/** Checks only the type, to exclude messages of other programs. Host and page are built together. */
export const isHostToPage: Guard<HostToPage> = (value): value is HostToPage =>
  isObject(value) && isText(value["type"]) && Object.hasOwn(MESSAGES, value["type"]);
