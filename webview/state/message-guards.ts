/**
 * Type guards for messages from the host and for pages saved by earlier versions. They check only the shape on which
 * the page relies; additional properties are ignored.
 */
import type { AgentChoice } from "../../src/protocol/agents";
import type { Attachment, Mention, Want } from "../../src/protocol/attachments";
import type {
  Accepts,
  ChatEvent,
  Conversation,
  Entry,
  EntryEvent,
  Queue,
  QueuedPrompt,
  SubagentName,
  TerminalView,
  ToolContent,
} from "../../src/protocol/chat";
import type { Control } from "../../src/protocol/controls";
import type { Field } from "../../src/protocol/elicitation";
import { isObject, type Fields } from "../../src/protocol/json";
import type { ExtensionDetails, SessionDetails, ToolDelivery } from "../../src/protocol/session-details";
import {
  BYPASSED_BY,
  type Bypassed,
  type BypassedBy,
  type HostToPage,
  type SidecarState,
} from "../../src/protocol/webview";

type Is<T> = (value: unknown) => value is T;

export const isText = (value: unknown): value is string => typeof value === "string";
export const isCount = (value: unknown): value is number => typeof value === "number" && Number.isSafeInteger(value);
const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const isSwitch = (value: unknown): value is boolean => typeof value === "boolean";
export const isListOf =
  <T>(each: Is<T>) =>
  (value: unknown): value is readonly T[] =>
    Array.isArray(value) && value.every(each);
const optional =
  <T>(is: Is<T>) =>
  (value: unknown): value is T | undefined =>
    value === undefined || is(value);
const texts = (value: Fields, ...keys: readonly string[]) => keys.every(key => isText(value[key]));

/** Runs the table's check for `tag`; `false` for a tag that the table lacks. */
function passes(table: Readonly<Record<string, (value: Fields) => boolean>>, tag: unknown, value: Fields): boolean {
  const check = isText(tag) && Object.hasOwn(table, tag) ? table[tag] : undefined;
  return check?.(value) ?? false;
}

export const isAgentChoice: Is<AgentChoice> = (value): value is AgentChoice =>
  isObject(value) && texts(value, "id", "name");

const isObjects = isListOf(isObject);

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
const isContent: Is<ToolContent> = (value): value is ToolContent =>
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
  image: attachment => texts(attachment, "name", "mimeType", "data"),
};
const isAttachment: Is<Attachment> = (value): value is Attachment =>
  isObject(value) && passes(ATTACHMENT, value["kind"], value);
export const areAttachments = isListOf(isAttachment);

const WANT: Readonly<Record<Want["kind"], (want: Fields) => boolean>> = {
  selection: () => true,
  problems: () => true,
  terminal: () => true,
  dropped: want => isListOf(isText)(want["uris"]),
};
const ADDS: Readonly<Record<Mention["adds"]["kind"], (adds: Fields) => boolean>> = {
  attachment: adds => isAttachment(adds["attachment"]),
  want: adds => isObject(adds["want"]) && passes(WANT, adds["want"]["kind"], adds["want"]),
};
const isMention = (value: unknown): value is Mention =>
  isObject(value) &&
  texts(value, "name", "about") &&
  isObject(value["adds"]) &&
  passes(ADDS, value["adds"]["kind"], value["adds"]);

/** A prompt in the queue or on its way to it. */
export const isPrompt: Is<QueuedPrompt> = (value): value is QueuedPrompt =>
  isObject(value) && texts(value, "messageId", "text") && optional(areAttachments)(value["attachments"]);
export const isQueue: Is<Queue> = (value): value is Queue =>
  isObject(value) && isListOf(isPrompt)(value["prompts"]) && isSwitch(value["held"]);
const isAccepts: Is<Accepts> = (value): value is Accepts => isObject(value) && isSwitch(value["images"]);

const isOption = (value: unknown): value is Fields => isObject(value) && texts(value, "value", "title");
const FIELD: Readonly<Record<Field["type"], (field: Fields) => boolean>> = {
  text: field => optional(isText)(field["initial"]),
  number: field => optional(isNumber)(field["initial"]),
  integer: field => optional(isNumber)(field["initial"]),
  boolean: field => optional(isSwitch)(field["initial"]),
  choice: field => isListOf(isOption)(field["options"]) && optional(isText)(field["initial"]),
  choices: field => isListOf(isOption)(field["options"]) && optional(isListOf(isText))(field["initial"]),
};
const isField = (value: unknown): value is Field =>
  isObject(value) &&
  texts(value, "name", "title") &&
  optional(isText)(value["description"]) &&
  isSwitch(value["required"]) &&
  passes(FIELD, value["type"], value);

const ASK: Readonly<Record<"form" | "url", (ask: Fields) => boolean>> = {
  form: ask =>
    isListOf(isField)(ask["fields"]) && optional(isText)(ask["title"]) && optional(isText)(ask["description"]),
  url: ask => texts(ask, "url", "elicitationId"),
};
const isAsk = (value: unknown): boolean => isObject(value) && passes(ASK, value["mode"], value);
const isAnswered = (value: unknown): value is Fields => isObject(value) && isText(value["kind"]);

const isSubagentName: Is<SubagentName> = (value): value is SubagentName =>
  isObject(value) && texts(value, "sessionId", "name");

const ENTRY: Readonly<Record<Entry["kind"], (entry: Fields) => boolean>> = {
  user: entry => isText(entry["text"]) && optional(areAttachments)(entry["attachments"]),
  agent: entry => isText(entry["text"]),
  thought: entry => isText(entry["text"]) && optional(isNumber)(entry["ms"]),
  media: entry => isContent(entry["content"]),
  plan: entry => isObjects(entry["steps"]) && optional(isText)(entry["text"]),
  tool: entry =>
    texts(entry, "title", "toolKind", "status") &&
    isListOf(isContent)(entry["content"]) &&
    isObjects(entry["locations"]) &&
    optional(isText)(entry["input"]) &&
    optional(isText)(entry["output"]),
  permission: entry =>
    texts(entry, "agent", "title", "toolKind") &&
    isListOf(isContent)(entry["content"]) &&
    isObjects(entry["options"]) &&
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

const isCommand = (value: unknown): value is Fields =>
  isObject(value) && texts(value, "name", "description") && optional(isText)(value["hint"]);
const isTurn = (value: unknown): boolean => isObject(value) && isText(value["state"]);

const isChoice = (value: unknown): value is Fields => isObject(value) && texts(value, "value", "name");
const isGroup = (value: unknown): value is Fields =>
  isObject(value) && optional(isText)(value["name"]) && isListOf(isChoice)(value["choices"]);
const CONTROL: Readonly<Record<Control["kind"], (control: Fields) => boolean>> = {
  select: control => isText(control["value"]) && isListOf(isGroup)(control["groups"]),
  switch: control => isSwitch(control["value"]),
};
const isControl = (value: unknown): value is Control =>
  isObject(value) && texts(value, "id", "name", "category") && passes(CONTROL, value["kind"], value);

const isExit = (value: unknown): value is Fields =>
  isObject(value) && optional(isNumber)(value["code"]) && optional(isText)(value["signal"]);
const isTerminal: Is<TerminalView> = (value): value is TerminalView =>
  isObject(value) &&
  texts(value, "terminalId", "command", "cwd", "output") &&
  isSwitch(value["isCut"]) &&
  optional(isExit)(value["exit"]);

const isCost = (value: unknown): value is Fields =>
  isObject(value) && isNumber(value["amount"]) && isText(value["currency"]);
const isUsage = (value: unknown): value is Fields =>
  isObject(value) && isNumber(value["used"]) && isNumber(value["size"]) && optional(isCost)(value["cost"]);

const isProgram = (value: unknown): value is Fields =>
  isObject(value) && optional(isText)(value["name"]) && optional(isText)(value["version"]);
const isSetupChange = (value: unknown): value is Fields =>
  isObject(value) && ["added", "removed", "replaced", "members"].every(key => optional(isListOf(isText))(value[key]));
const isPromptChange = (value: unknown): boolean =>
  isObject(value) &&
  ["added", "removed", "altered"].every(key => isCount(value[key])) &&
  optional(isText)(value["text"]);
const isAltered = (value: unknown): value is Fields =>
  isObject(value) && isCount(value["count"]) && isPromptChange(value["last"]);
const isTimeHeld = (value: unknown): value is Fields =>
  isObject(value) &&
  ["setup", "setupAnswer", "prompt", "lastPrompt", "answer"].every(key => optional(isNumber)(value[key]));
const TRANSPORTS: ReadonlySet<unknown> = new Set<ToolDelivery["transport"]>(["http", "stdio"]);
const STAGES: ReadonlySet<unknown> = new Set<ToolDelivery["stage"]>(["offered", "connected", "listed", "called"]);
const isToolDelivery: Is<ToolDelivery> = (value): value is ToolDelivery =>
  isObject(value) &&
  isText(value["server"]) &&
  TRANSPORTS.has(value["transport"]) &&
  STAGES.has(value["stage"]) &&
  optional(isCount)(value["offered"]) &&
  ["connections", "listed", "calls"].every(key => isCount(value[key])) &&
  (value["listFailed"] === undefined || value["listFailed"] === true);
const isExtensionDetails: Is<ExtensionDetails> = (value): value is ExtensionDetails =>
  isObject(value) &&
  texts(value, "id", "name") &&
  optional(isText)(value["leftOut"]) &&
  optional(isSetupChange)(value["setup"]) &&
  optional(isAltered)(value["prompts"]) &&
  optional(isTimeHeld)(value["time"]) &&
  optional(isListOf(isToolDelivery))(value["tools"]);
const isDetails: Is<SessionDetails> = (value): value is SessionDetails =>
  isObject(value) &&
  optional(isProgram)(value["program"]) &&
  isListOf(isExtensionDetails)(value["extensions"]) &&
  optional(isText)(value["missingTools"]) &&
  optional((one): one is true => one === true)(value["canConfigure"]);

const isConversation: Is<Conversation> = (value): value is Conversation =>
  isObject(value) &&
  isAgentChoice(value["agent"]) &&
  isText(value["cwd"]) &&
  optional(isText)(value["title"]) &&
  isListOf(isEntry)(value["entries"]) &&
  isTurn(value["turn"]) &&
  isListOf(isCommand)(value["commands"]) &&
  isListOf(isControl)(value["controls"]) &&
  optional(isUsage)(value["usage"]) &&
  optional(isListOf(isTerminal))(value["terminals"]) &&
  optional(isQueue)(value["queue"]) &&
  optional(isAccepts)(value["accepts"]) &&
  optional(isDetails)(value["details"]) &&
  optional(isSwitch)(value["bypassed"]);

const EVENT: Readonly<Record<ChatEvent["type"], (event: Fields) => boolean>> = {
  upsert: event => isEntry(event["entry"]),
  append: event => texts(event, "id", "text") && isCount(event["offset"]),
  nested: event =>
    isText(event["id"]) && isObject(event["event"]) && NESTED.has(event["event"]["type"]) && isEvent(event["event"]),
  turn: event => isTurn(event["turn"]),
  title: event => isText(event["title"]),
  commands: event => isListOf(isCommand)(event["commands"]),
  controls: event => isListOf(isControl)(event["controls"]),
  usage: event => isUsage(event["usage"]),
  queue: event => isQueue(event["queue"]),
  accepts: event => isAccepts(event["accepts"]),
  details: event => isDetails(event["details"]),
  bypassed: event => isSwitch(event["isOn"]),
  terminal: event => isTerminal(event["terminal"]),
  terminalOutput: event => texts(event, "terminalId", "text") && isCount(event["offset"]),
};
/** Event types that change entries. */
const NESTED: ReadonlySet<unknown> = new Set(["upsert", "append", "nested"] satisfies readonly EntryEvent["type"][]);
function isEvent(value: unknown): value is ChatEvent {
  return isObject(value) && passes(EVENT, value["type"], value);
}

const SIDECAR: Readonly<Record<SidecarState["state"], (state: Fields) => boolean>> = {
  running: () => true,
  restarting: state => isText(state["message"]),
  failed: state => isText(state["message"]) && isListOf(isText)(state["actions"]),
};
const isSidecarState: Is<SidecarState> = (value): value is SidecarState =>
  isObject(value) && passes(SIDECAR, value["state"], value);

const isBypassed: Is<Bypassed> = (value): value is Bypassed =>
  isObject(value) &&
  isText(value["tabId"]) &&
  isListOf((by): by is BypassedBy => BYPASSED_BY.some(known => known === by))(value["by"]);

const MESSAGE: Readonly<Record<HostToPage["type"], (message: Fields) => boolean>> = {
  state: message =>
    isListOf(isAgentChoice)(message["agents"]) &&
    isText(message["currentAgentId"]) &&
    isListOf(isText)(message["tabs"]) &&
    optional(isText)(message["selected"]) &&
    isSidecarState(message["sidecar"]) &&
    optional(isListOf(isText))(message["outdated"]) &&
    optional(isListOf(isBypassed))(message["bypassed"]),
  event: message => texts(message, "tabId", "bootId") && isCount(message["seq"]) && isEvent(message["event"]),
  snapshot: message =>
    texts(message, "tabId", "bootId") &&
    isCount(message["seq"]) &&
    optional(isCount)(message["asked"]) &&
    isConversation(message["conversation"]),
  found: message => isCount(message["asked"]) && isListOf(isMention)(message["mentions"]),
  attach: message => optional(isText)(message["tabId"]) && areAttachments(message["attachments"]),
  askAgain: () => true,
  agentSelected: message => texts(message, "tabId", "agentId"),
  openTab: message => optional(isText)(message["agentId"]),
  failed: message =>
    texts(message, "tabId", "message") &&
    optional(isText)(message["messageId"]) &&
    optional(isSwitch)(message["noSession"]),
};

/** Messages that fail the check are logged and ignored. */
export const isHostToPage: Is<HostToPage> = (value): value is HostToPage =>
  isObject(value) && passes(MESSAGE, value["type"], value);
