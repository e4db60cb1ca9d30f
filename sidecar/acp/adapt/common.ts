/** Converts the updates that ACP v1 and v2 have in common to the chat model. Pure and lenient; see `v1.ts`. */
import {
  TOOL_JSON_LIMIT,
  type ChatEvent,
  type Command,
  type Compaction,
  type Conversation,
  type Entry,
  type Notice,
  type PlanStep,
  type SessionMessage,
  type Usage,
} from "../../../src/protocol/chat/chat";
import { arrayOr, cut, isAmount, isObject, objectOr, readable, stringOr, type JsonObject } from "../../rpc/json";
import { blockContent, wordsOf } from "./content";
import { controlsOf } from "./controls";
import { UPDATE_KINDS } from "../methods";

/** The events of an update, and the number of ids used from `makeId(0)`, `makeId(1)`… */
export interface Adapted {
  readonly events: readonly ChatEvent[];
  readonly made: number;
}

export const NOTHING: Adapted = { events: [], made: 0 };

export type MakeId = (n: number) => string;

/** The display name of the session with this id. */
export type SessionName = (sessionId: string) => string;

/**
 * Converts an update that is the same in v1 and v2. Updates of an unknown kind share one placeholder per kind and turn.
 */
export function adaptCommon(
  conversation: Conversation,
  kind: string,
  raw: unknown,
  makeId: MakeId,
  nameOf: SessionName = () => "",
): Adapted {
  const update = objectOr(raw);
  switch (kind) {
    case UPDATE_KINDS.available_commands_update:
      return { events: [{ type: "commands", commands: commands(update.availableCommands) }], made: 0 };
    case UPDATE_KINDS.session_info_update:
      return typeof update.title === "string"
        ? { events: [{ type: "title", title: update.title.slice(0, LINE_LIMIT) }], made: 0 }
        : NOTHING;
    case UPDATE_KINDS.config_option_update:
      return { events: [{ type: "controls", controls: controlsOf(update) }], made: 0 };
    case UPDATE_KINDS.usage_update:
      return usage(update);
    case UPDATE_KINDS.notice:
      return { events: [{ type: "upsert", entry: notice(conversation, update, makeId(0)) }], made: 1 };
    case UPDATE_KINDS.compaction_update:
      return compaction(conversation, update, makeId);
    case UPDATE_KINDS.compaction_summary_chunk:
      return appendCompactionSummary(conversation, update, makeId);
    case UPDATE_KINDS.session_message:
      return sessionMessage(conversation, update, makeId, nameOf);
    case UPDATE_KINDS.session_message_chunk:
      return appendSessionMessage(conversation, update, makeId);
    case UPDATE_KINDS.plan_removed:
      return planRemoved(conversation, update);
    default:
      return unknownUpdate(conversation, kind, raw, makeId);
  }
}

/** Keeps the raw JSON of the first update of the kind. */
function unknownUpdate({ entries }: Conversation, kind: string, raw: unknown, makeId: MakeId): Adapted {
  const what = kind.slice(0, LINE_LIMIT);
  for (let i = entries.length - 1; i >= 0 && entries[i]?.kind !== "user"; i--) {
    const entry = entries[i];
    if (entry?.kind === "unknown" && entry.what === what)
      return { events: [{ type: "upsert", entry: { ...entry, count: (entry.count ?? 1) + 1 } }], made: 0 };
  }
  return {
    events: [{ type: "upsert", entry: { kind: "unknown", id: makeId(0), what, json: readable(raw, TOOL_JSON_LIMIT) } }],
    made: 1,
  };
}

// --- messages between sessions of the agent

/**
 * Applies a patch by `messageId` (schema v2, `SessionMessage`). Its chunks may arrive before, between and after
 * patches.
 */
function sessionMessage(conversation: Conversation, update: JsonObject, makeId: MakeId, nameOf: SessionName): Adapted {
  const known = findMessage(conversation, update),
    blocks = Array.isArray(update.content) ? update.content : undefined;
  const named = (id: unknown, before: string): string =>
    id === undefined ? before : typeof id === "string" ? nameOf(id) : "";
  const entry: SessionMessage = {
    kind: "message",
    id: known?.id ?? idWith(makeId(0), stringOr(update.messageId, "")),
    from: named(update.senderSessionId, known?.from ?? ""),
    to: named(update.recipientSessionId, known?.to ?? ""),
    text: blocks ? blocks.map(blockText).join("") : update.content === null ? "" : (known?.text ?? ""),
  };
  return { events: [{ type: "upsert", entry }], made: known ? 0 : 1 };
}

function appendSessionMessage(conversation: Conversation, update: JsonObject, makeId: MakeId): Adapted {
  const known = findMessage(conversation, update),
    text = blockText(update.content);
  if (known) return { events: [{ type: "append", id: known.id, offset: known.text.length, text }], made: 0 };
  return {
    events: [
      {
        type: "upsert",
        entry: { kind: "message", id: idWith(makeId(0), stringOr(update.messageId, "")), from: "", to: "", text },
      },
    ],
    made: 1,
  };
}

/** The text of a block; other content is represented by its type. */
function blockText(block: unknown): string {
  return wordsOf(block) ?? `[${stringOr(objectOr(block).type, "content")}]`;
}

function findMessage({ entries }: Conversation, { messageId }: JsonObject): SessionMessage | undefined {
  const wanted = stringOr(messageId, "").slice(0, MESSAGE_ID_LIMIT);
  return entries.findLast(
    (entry): entry is SessionMessage => entry.kind === "message" && messageIdOf(entry.id) === wanted,
  );
}

/** A plan without steps is not displayed. */
function planRemoved(conversation: Conversation, { planId }: JsonObject): Adapted {
  const plan = planWith(conversation, stringOr(planId, ""));
  return plan === undefined
    ? NOTHING
    : { events: [{ type: "upsert", entry: { kind: "plan", id: plan.id, steps: [] } }], made: 0 };
}

/** The entry of the plan with the agent's id `planId`. */
export function planWith(
  { entries }: Conversation,
  planId: string,
): Extract<Entry, { readonly kind: "plan" }> | undefined {
  return entries.findLast(
    (entry): entry is Extract<Entry, { readonly kind: "plan" }> =>
      entry.kind === "plan" && messageIdOf(entry.id) === planId.slice(0, MESSAGE_ID_LIMIT),
  );
}

/**
 * Appends text to the newest entry if it has the same kind and message. A tool call or a permission request in between
 * starts a new entry, so that the display follows the order of events. `messageId` is optional in v1; a different id
 * starts a new message.
 */
export function chunk(
  conversation: Conversation,
  kind: "agent" | "thought",
  update: JsonObject,
  makeId: MakeId,
): Adapted {
  const text = wordsOf(update.content);
  if (text === undefined)
    return {
      events: [{ type: "upsert", entry: { kind: "media", id: makeId(0), content: blockContent(update.content) } }],
      made: 1,
    };
  if (text === "") return NOTHING;
  const messageId = stringOr(update.messageId, undefined);
  const last = conversation.entries.at(-1);
  if (last?.kind === kind && (kind !== "agent" || !("interrupted" in last)) && isSameMessage(last.id, messageId))
    return { events: [{ type: "append", id: last.id, offset: last.text.length, text }], made: 0 };
  const id = messageId === undefined ? makeId(0) : idWith(makeId(0), messageId);
  return { events: [{ type: "upsert", entry: { kind, id, text } }], made: 1 };
}

/** Separates Symposium's id from the agent's message id in an entry id. */
const ID_SEPARATOR = "/";
/** Maximum characters of a message id, which every event contains. */
const MESSAGE_ID_LIMIT = 100;

export function isEcho(conversation: Conversation, update: JsonObject): boolean {
  const userEntry = conversation.entries.findLast(entry => entry.kind === "user");
  return userEntry?.kind === "user" && userEntry.text.includes(wordsOf(update.content) ?? "");
}

function isSameMessage(entryId: string, messageId: string | undefined): boolean {
  const text = messageIdOf(entryId);
  return messageId === undefined || text === undefined || text === messageId.slice(0, MESSAGE_ID_LIMIT);
}

/** The agent's id of the message or plan in an entry id, truncated to `MESSAGE_ID_LIMIT`. */
export function messageIdOf(entryId: string): string | undefined {
  const at = entryId.indexOf(ID_SEPARATOR);
  return at === -1 ? undefined : entryId.slice(at + 1);
}

export function idWith(ours: string, theirs: string): string {
  return `${ours}${ID_SEPARATOR}${theirs.slice(0, MESSAGE_ID_LIMIT)}`;
}

export function stepsOf(raw: unknown): readonly PlanStep[] {
  return arrayOr(raw)
    .slice(0, MAX_ITEMS)
    .filter(isObject)
    .map(step => ({
      content: stringOr(step.content, "").slice(0, LINE_LIMIT),
      priority: stringOr(step.priority, "medium").slice(0, WORD_LIMIT),
      status: stringOr(step.status, "pending").slice(0, WORD_LIMIT),
    }));
}

function commands(raw: unknown): readonly Command[] {
  return arrayOr(raw)
    .slice(0, MAX_ITEMS)
    .filter(isObject)
    .filter((command): command is JsonObject & { readonly name: string } => typeof command.name === "string")
    .map(command => {
      const hint = stringOr(objectOr(command.input).hint, undefined);
      return {
        name: command.name.slice(0, WORD_LIMIT),
        description: stringOr(command.description, "").slice(0, LINE_LIMIT),
        ...(hint === undefined ? {} : { hint: hint.slice(0, LINE_LIMIT) }),
      };
    });
}

function usage({ used, size, cost }: JsonObject): Adapted {
  const { amount, currency } = objectOr(cost);
  if (!isAmount(used) || !isAmount(size)) return NOTHING;
  const known: Usage = {
    used,
    size,
    ...(isAmount(amount) && typeof currency === "string" ? { cost: { amount, currency } } : {}),
  };
  return { events: [{ type: "usage", usage: known }], made: 0 };
}

function notice(conversation: Conversation, { severity, title, description }: JsonObject, id: string): Notice {
  return {
    kind: "notice",
    id,
    severity: severity === "error" || severity === "warning" ? severity : "info",
    actions: [],
    from: conversation.agent.name,
    text: cut(stringOr(title, "(a notice without a title)"), NOTICE_LIMIT),
    ...(typeof description === "string" && description !== "" ? { detail: cut(description, TOOL_JSON_LIMIT) } : {}),
  };
}
const NOTICE_LIMIT = 1_000;
/** Maximum characters of a displayed line and of a displayed word. */
const LINE_LIMIT = 1_000,
  WORD_LIMIT = 200;
/** Maximum items of a displayed list. */
const MAX_ITEMS = 1_000;

/** Applies a patch by `compactionId` (schema v1, `CompactionUpdate`). Its summary replaces the previous one. */
function compaction(conversation: Conversation, update: JsonObject, makeId: MakeId): Adapted {
  const known = findCompaction(conversation, update);
  const summary = Array.isArray(update.summary)
    ? cut(update.summary.map(block => wordsOf(block) ?? "").join(""), TOOL_JSON_LIMIT)
    : (known?.text ?? "");
  const error = stringOr(update.error, undefined) ?? known?.error;
  const entry: Compaction = {
    kind: "compaction",
    id: known?.id ?? makeId(0),
    compactionId: compactionIdOf(update),
    status: stringOr(update.status, known?.status ?? "in_progress"),
    text: summary,
    ...(error === undefined ? {} : { error: cut(error, NOTICE_LIMIT) }),
  };
  return { events: [{ type: "upsert", entry }], made: known ? 0 : 1 };
}

function appendCompactionSummary(conversation: Conversation, update: JsonObject, makeId: MakeId): Adapted {
  const known = findCompaction(conversation, update),
    text = wordsOf(update.content) ?? "";
  if (known) return { events: [{ type: "append", id: known.id, offset: known.text.length, text }], made: 0 };
  return {
    events: [
      {
        type: "upsert",
        entry: { kind: "compaction", id: makeId(0), compactionId: compactionIdOf(update), status: "in_progress", text },
      },
    ],
    made: 1,
  };
}

function findCompaction({ entries }: Conversation, update: JsonObject): Compaction | undefined {
  const compactionId = compactionIdOf(update);
  return entries.findLast(
    (entry): entry is Compaction => entry.kind === "compaction" && entry.compactionId === compactionId,
  );
}

function compactionIdOf({ compactionId }: JsonObject): string {
  return stringOr(compactionId, "").slice(0, MESSAGE_ID_LIMIT);
}
