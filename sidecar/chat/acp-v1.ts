/**
 * ACP v1 → the chat model. Pure and lenient, as the schema's salvage rules ask (`x-deserialize-default-on-error`): a bad
 * field becomes its default, a bad item is left out, and a kind of update that is not known becomes one visible
 * placeholder that keeps the raw JSON. Nothing here throws, whatever an agent sends.
 */
import { TOOL_JSON_LIMIT, type ChatEvent, type Command, type Conversation, type Entry, type PermissionOption, type PermissionOptionKind, type ToolCall, type ToolContent, type ToolLocation, type ToolStatus } from "../../src/protocol/chat";
import { arrayOr, cut, isObject, objectOr, readable, stringOr, type JsonObject } from "../rpc/json";

/** What an update does to the conversation, and how many new ids it took from `makeId(0)`, `makeId(1)`… */
export interface Adapted { readonly events: readonly ChatEvent[]; readonly made: number }

const NOTHING: Adapted = { events: [], made: 0 };

/** `raw` is the `update` member of `session/update` (schema v1, `SessionUpdate`). */
export function adaptUpdate(conversation: Conversation, raw: unknown, makeId: (n: number) => string): Adapted {
  const update = objectOr(raw);
  const kind = stringOr(update.sessionUpdate, "(no kind)");
  switch (kind) {
    case "agent_message_chunk": return chunk(conversation, "agent", update, makeId);
    case "agent_thought_chunk": return chunk(conversation, "thought", update, makeId);
    // The user's words are in the conversation before an agent hears them: what it repeats of them is an echo.
    case "user_message_chunk": return isEcho(conversation, update) ? NOTHING : chunk(conversation, "agent", update, makeId);
    case "tool_call": return { events: [{ type: "upsert", entry: toolFrom(conversation, update, makeId(0), lastTurn(conversation)).entry }], made: 1 };
    case "tool_call_update": return { events: [{ type: "upsert", entry: toolFrom(conversation, update, makeId(0)).entry }], made: 1 };
    case "plan": return plan(conversation, update, makeId);
    case "available_commands_update": return { events: [{ type: "commands", commands: commands(update.availableCommands) }], made: 0 };
    case "session_info_update": return typeof update.title === "string" ? { events: [{ type: "title", title: update.title }], made: 0 } : NOTHING;
    // State of the session, not of the conversation: nothing to show until there are controls for it.
    case "current_mode_update": case "config_option_update": case "usage_update": return NOTHING;
    default: return { events: [{ type: "upsert", entry: { kind: "unknown", id: makeId(0), what: kind, json: readable(raw, TOOL_JSON_LIMIT) } }], made: 1 };
  }
}

/**
 * Text joins the newest entry when that is of the same kind and message: a tool call or a question in between starts a
 * new one, so that what is read is what happened. `messageId` is optional in v1; a change of it is a new message.
 */
function chunk(conversation: Conversation, kind: "agent" | "thought", update: JsonObject, makeId: (n: number) => string): Adapted {
  const text = textOf(update.content);
  if (text === "") return NOTHING;
  const messageId = stringOr(update.messageId, undefined);
  const last = conversation.entries.at(-1);
  if (last?.kind === kind && (kind !== "agent" || !("interrupted" in last)) && continues(last.id, messageId)) return { events: [{ type: "append", id: last.id, offset: last.text.length, text }], made: 0 };
  const id = messageId === undefined ? makeId(0) : `${makeId(0)}${MESSAGE}${messageId.slice(0, MESSAGE_ID_LIMIT)}`;
  return { events: [{ type: "upsert", entry: { kind, id, text } }], made: 1 };
}

/** Between our id and the agent's message id, so that the next chunk can be compared. */
const MESSAGE = "/";
/** Ids cross every wire with every event. */
const MESSAGE_ID_LIMIT = 100;

function isEcho(conversation: Conversation, update: JsonObject): boolean {
  const said = conversation.entries.findLast(entry => entry.kind === "user");
  return said?.kind === "user" && said.text.includes(textOf(update.content));
}

function continues(entryId: string, messageId: string | undefined): boolean {
  const at = entryId.indexOf(MESSAGE);
  return messageId === undefined || at === -1 || entryId.slice(at + 1) === messageId.slice(0, MESSAGE_ID_LIMIT);
}

/** Any content block as Markdown; what cannot be shown as text is named. */
function textOf(content: unknown): string {
  const block = objectOr(content);
  switch (block.type) {
    case "text": return stringOr(block.text, "");
    case "resource_link": return `[${stringOr(block.title, undefined) ?? stringOr(block.name, "resource")}](${stringOr(block.uri, "")})`;
    case "resource": return stringOr(objectOr(block.resource).text, "") || `(resource ${stringOr(objectOr(block.resource).uri, "")})`;
    case "image": case "audio": return `(${block.type} ${stringOr(block.mimeType, "")})`;
    default: return block.type === undefined ? "" : `(content of the kind “${String(block.type)}”)`;
  }
}

function plan(conversation: Conversation, update: JsonObject, makeId: (n: number) => string): Adapted {
  const steps = arrayOr(update.entries).filter(isObject).map(step => ({
    content: stringOr(step.content, ""), priority: stringOr(step.priority, "medium"), status: stringOr(step.status, "pending") }));
  // A plan is replaced whole (schema v1, `Plan`) as long as its turn lasts.
  const turn = conversation.entries.findLastIndex(entry => entry.kind === "user");
  const known = conversation.entries.findLast((entry, i): entry is Entry & { readonly kind: "plan" } => entry.kind === "plan" && i > turn);
  return { events: [{ type: "upsert", entry: { kind: "plan", id: known?.id ?? makeId(0), steps } }], made: known ? 0 : 1 };
}

function commands(raw: unknown): readonly Command[] {
  return arrayOr(raw).filter(isObject).filter(command => typeof command.name === "string").map(command => {
    const hint = stringOr(objectOr(command.input).hint, undefined);
    return { name: String(command.name), description: stringOr(command.description, ""), ...(hint === undefined ? {} : { hint }) };
  });
}

/**
 * The tool call after a `tool_call`, a `tool_call_update` or the `toolCall` of a permission request: all three patch what
 * is known by `toolCallId`, in any order, also when nothing was announced. What a patch leaves out stays; arrays replace.
 * Entries before index `since` are not looked at: a call that is announced again in a later turn is another one.
 */
export function toolFrom(conversation: Conversation, raw: unknown, newId: string, since = 0): { readonly entry: ToolCall; readonly wasKnown: boolean } {
  const patch = objectOr(raw);
  const toolCallId = stringOr(patch.toolCallId, newId);
  const at = conversation.entries.findLastIndex(entry => entry.kind === "tool" && entry.toolCallId === toolCallId);
  const found = at >= since ? conversation.entries[at] : undefined;
  const known = found?.kind === "tool" ? found : undefined;
  const input = isGiven(patch.rawInput) ? readable(patch.rawInput, TOOL_JSON_LIMIT) : known?.input;
  const output = isGiven(patch.rawOutput) ? readable(patch.rawOutput, TOOL_JSON_LIMIT) : known?.output;
  const entry: ToolCall = {
    kind: "tool", id: known?.id ?? newId, toolCallId,
    title: stringOr(patch.title, undefined) ?? known?.title ?? stringOr(patch.name, "Tool call"),
    toolKind: stringOr(patch.kind, undefined) ?? known?.toolKind ?? "other",
    status: toolStatus(patch.status) ?? known?.status ?? "pending",
    content: Array.isArray(patch.content) ? patch.content.map(toolContent) : known?.content ?? [],
    locations: Array.isArray(patch.locations) ? patch.locations.flatMap(toolLocation) : known?.locations ?? [],
    ...(input === undefined ? {} : { input }), ...(output === undefined ? {} : { output }),
  };
  return { entry, wasKnown: known !== undefined };
}

function isGiven(value: unknown): boolean { return value !== undefined && value !== null; }

/** The index behind the newest prompt. */
export function lastTurn(conversation: Conversation): number {
  return conversation.entries.findLastIndex(entry => entry.kind === "user") + 1;
}

function toolStatus(raw: unknown): ToolStatus | undefined {
  return raw === "pending" || raw === "in_progress" || raw === "completed" || raw === "failed" || raw === "cancelled" ? raw : undefined;
}

function toolContent(raw: unknown): ToolContent {
  const item = objectOr(raw);
  switch (item.type) {
    case "content": return blockContent(item.content);
    case "diff": return { kind: "diff", path: stringOr(item.path, ""), newText: limited(item.newText), ...(typeof item.oldText === "string" ? { oldText: limited(item.oldText) } : {}) };
    case "terminal": return terminal(item);
    default: return { kind: "other", what: stringOr(item.type, "(no kind)"), json: readable(raw, TOOL_JSON_LIMIT) };
  }
}

/** Some agents send the output of terminals of their own in `_meta` (reference/real-agents, point 4). */
function terminal(item: JsonObject): ToolContent {
  const meta = objectOr(item._meta);
  const output = stringOr(objectOr(meta.terminal_output).data, undefined) ?? stringOr(meta.output, undefined);
  return { kind: "terminal", terminalId: stringOr(item.terminalId, ""), ...(output === undefined ? {} : { output: limited(output) }) };
}

/** What a card can show of a text; the whole of it stays with the agent. */
function limited(text: unknown): string { return cut(stringOr(text, ""), TOOL_JSON_LIMIT); }
/** Characters of base64. */
const IMAGE_LIMIT = 2_000_000;

function blockContent(raw: unknown): ToolContent {
  const block = objectOr(raw);
  switch (block.type) {
    case "text": return { kind: "text", text: limited(block.text) };
    case "image": return stringOr(block.data, "").length > IMAGE_LIMIT ? { kind: "other", what: "image", json: "(an image that is too large to be shown)" }
      : { kind: "image", mimeType: stringOr(block.mimeType, ""), data: stringOr(block.data, "") };
    case "resource_link": return { kind: "resource", uri: stringOr(block.uri, ""), ...(typeof block.name === "string" ? { name: block.name } : {}) };
    case "resource": {
      const { uri, text } = objectOr(block.resource);
      return { kind: "resource", uri: stringOr(uri, ""), ...(typeof text === "string" ? { text: limited(text) } : {}) };
    }
    default: return { kind: "other", what: stringOr(block.type, "(no kind)"), json: readable(raw, TOOL_JSON_LIMIT) };
  }
}

function toolLocation(raw: unknown): readonly ToolLocation[] {
  const { path, line } = objectOr(raw);
  return typeof path !== "string" ? [] : [{ path, ...(typeof line === "number" ? { line } : {}) }];
}

const OPTION_KINDS: readonly PermissionOptionKind[] = ["allow_once", "allow_always", "reject_once", "reject_always"];

/** The agent's own options, in its order; one of an unknown kind counts as a rejection, because it may not allow by mistake. */
export function permissionOptions(raw: unknown): readonly PermissionOption[] {
  return arrayOr(raw).filter(isObject).filter(option => typeof option.optionId === "string").map(option => ({
    optionId: String(option.optionId), name: stringOr(option.name, String(option.optionId)),
    kind: OPTION_KINDS.find(kind => kind === option.kind) ?? "reject_once",
  }));
}
