/**
 * Is this value what it claims to be? For messages from the host, and for what an earlier page, perhaps of an earlier
 * version, has saved. Only the shape that the page's code relies on is looked at; what is more is left alone.
 */
import type { AgentChoice } from "../src/protocol/agents";
import type { ChatEvent, Conversation, Entry } from "../src/protocol/chat";
import { isObject, type Fields } from "../src/protocol/json";
import type { HostToPage, SidecarState } from "../src/protocol/webview";

type Is<T> = (value: unknown) => value is T;

export const isText = (value: unknown): value is string => typeof value === "string";
export const isCount = (value: unknown): value is number => typeof value === "number" && Number.isSafeInteger(value);
export const isListOf = <T>(each: Is<T>) => (value: unknown): value is readonly T[] => Array.isArray(value) && value.every(each);
const optional = <T>(is: Is<T>) => (value: unknown): value is T | undefined => value === undefined || is(value);
const texts = (value: Fields, ...keys: readonly string[]) => keys.every(key => isText(value[key]));

/** The check that `tag` names in the table, done; `false` for a tag that it does not have. */
function passes(table: Readonly<Record<string, (value: Fields) => boolean>>, tag: unknown, value: Fields): boolean {
  const check = isText(tag) && Object.hasOwn(table, tag) ? table[tag] : undefined;
  return check?.(value) ?? false;
}

export const isAgentChoice: Is<AgentChoice> = (value): value is AgentChoice => isObject(value) && texts(value, "id", "name");

const isList = isListOf((item): item is unknown => item !== undefined);
const isObjects = isListOf(isObject);

const ENTRY: Readonly<Record<Entry["kind"], (entry: Fields) => boolean>> = {
  user: entry => isText(entry["text"]),
  agent: entry => isText(entry["text"]),
  thought: entry => isText(entry["text"]),
  plan: entry => isObjects(entry["steps"]),
  tool: entry => texts(entry, "title", "toolKind", "status") && isObjects(entry["content"]) && isObjects(entry["locations"]) && optional(isText)(entry["input"]) && optional(isText)(entry["output"]),
  permission: entry => texts(entry, "agent", "title", "toolKind") && isObjects(entry["content"]) && isObjects(entry["options"]) && optional(isText)(entry["input"]) && optional(isObject)(entry["answered"]),
  notice: entry => texts(entry, "severity", "text") && isListOf(isText)(entry["actions"]),
  unknown: entry => texts(entry, "what", "json"),
};

export const isEntry: Is<Entry> = (value): value is Entry =>
  isObject(value) && isText(value["id"]) && passes(ENTRY, value["kind"], value);

const isTurn = (value: unknown): boolean => isObject(value) && isText(value["state"]);

const isConversation: Is<Conversation> = (value): value is Conversation =>
  isObject(value) && isAgentChoice(value["agent"]) && isText(value["cwd"]) && optional(isText)(value["title"])
  && isListOf(isEntry)(value["entries"]) && isTurn(value["turn"]) && isList(value["commands"]);

const EVENT: Readonly<Record<ChatEvent["type"], (event: Fields) => boolean>> = {
  upsert: event => isEntry(event["entry"]),
  append: event => texts(event, "id", "text") && isCount(event["offset"]),
  turn: event => isTurn(event["turn"]),
  title: event => isText(event["title"]),
  commands: event => isList(event["commands"]),
};
const isEvent: Is<ChatEvent> = (value): value is ChatEvent =>
  isObject(value) && passes(EVENT, value["type"], value);

const SIDECAR: Readonly<Record<SidecarState["state"], (state: Fields) => boolean>> = {
  running: () => true,
  restarting: state => isText(state["message"]),
  failed: state => isText(state["message"]) && isListOf(isText)(state["actions"]),
};
const isSidecarState: Is<SidecarState> = (value): value is SidecarState =>
  isObject(value) && passes(SIDECAR, value["state"], value);

const MESSAGE: Readonly<Record<HostToPage["type"], (message: Fields) => boolean>> = {
  state: message => isListOf(isAgentChoice)(message["agents"]) && isText(message["currentAgentId"]) && isListOf(isText)(message["tabs"])
    && optional(isText)(message["selected"]) && isSidecarState(message["sidecar"]),
  event: message => texts(message, "tabId", "bootId") && isCount(message["seq"]) && isEvent(message["event"]),
  snapshot: message => texts(message, "tabId", "bootId") && isCount(message["seq"]) && optional(isCount)(message["asked"]) && isConversation(message["conversation"]),
  askAgain: () => true,
  openTab: () => true,
  failed: message => texts(message, "tabId", "message") && optional(isText)(message["messageId"]),
};

/** Whatever else comes is not for this page: logged, and left alone. */
export const isHostToPage: Is<HostToPage> = (value): value is HostToPage =>
  isObject(value) && passes(MESSAGE, value["type"], value);
