/**
 * Converts ACP v2 (a draft) to the chat model. Pure and lenient, like `v1.ts`. In v2, messages are upserts by id and
 * terminals belong to the agent. The state of a turn is an update, which is not displayed: the connection handles it as
 * the end of the prompt.
 */
import type { Conversation, Entry, PlanStep, ToolCall, ToolContent } from "../../../src/protocol/chat/chat";
import { arrayOr, isObject, objectOr, stringOr, type JsonObject } from "../../rpc/json";
import {
  adaptCommon,
  chunk,
  idWith,
  isEcho,
  messageIdOf,
  NOTHING,
  planWith,
  stepsOf,
  type Adapted,
  type MakeId,
  type SessionName,
} from "./common";
import { blockContent, limited, wordsOf } from "./content";
import { terminalChunk, terminalUpdate, withOutput } from "./terminals";
import { toolFrom } from "./tools";
import { UPDATE_KINDS } from "../methods";

/** `raw` is the `update` member of `session/update` (schema v2, `SessionUpdate`). */
export function adaptUpdateV2(conversation: Conversation, raw: unknown, makeId: MakeId, nameOf?: SessionName): Adapted {
  const update = objectOr(raw);
  const kind = stringOr(update.sessionUpdate, "(no kind)");
  switch (kind) {
    case UPDATE_KINDS.agent_message_chunk:
      return chunk(conversation, "agent", update, makeId);
    case UPDATE_KINDS.agent_thought_chunk:
      return chunk(conversation, "thought", update, makeId);
    case UPDATE_KINDS.user_message_chunk:
      return isEcho(conversation, update) ? NOTHING : chunk(conversation, "agent", update, makeId);
    case UPDATE_KINDS.agent_message:
      return message(conversation, "agent", update, makeId);
    case UPDATE_KINDS.agent_thought:
      return message(conversation, "thought", update, makeId);
    case UPDATE_KINDS.user_message:
      return arrayOr(update.content).every(content => isEcho(conversation, { content }))
        ? NOTHING
        : message(conversation, "agent", update, makeId);
    case UPDATE_KINDS.tool_call_update:
      return tool(conversation, update, makeId);
    case UPDATE_KINDS.tool_call_content_chunk:
      return appendToolContent(conversation, update, makeId);
    case UPDATE_KINDS.terminal_update:
      return terminalUpdate(conversation, update, makeId);
    case UPDATE_KINDS.terminal_output_chunk:
      return terminalChunk(conversation, update, makeId);
    case UPDATE_KINDS.plan_update:
      return plan(conversation, objectOr(update.plan), makeId);
    case UPDATE_KINDS.state_update:
      return NOTHING;
    default:
      return adaptCommon(conversation, kind, raw, makeId, nameOf);
  }
}

/** The call of a `session/request_permission` (schema v2, `RequestPermissionRequest`), converted to v1. */
export function subjectOf({ title, description, subject }: JsonObject): {
  readonly toolCall: JsonObject;
  readonly title?: string;
  readonly description?: string;
} {
  const details = objectOr(subject),
    texts = {
      ...(typeof title === "string" ? { title } : {}),
      ...(typeof description === "string" ? { description } : {}),
    };
  switch (details.type) {
    case "tool_call":
      return { toolCall: callInV1(objectOr(details.toolCall)), ...texts };
    case "command":
      return {
        toolCall: {
          kind: "execute",
          title: details.command,
          rawInput: { command: details.command, cwd: details.cwd },
          ...(typeof details.toolCallId === "string" ? { toolCallId: details.toolCallId } : {}),
        },
        ...texts,
      };
    default:
      return {
        toolCall: { title, ...(subject === undefined || subject === null ? {} : { rawInput: subject }) },
        ...texts,
      };
  }
}

type MessageKind = "agent" | "thought";

/** Replaces a whole message. Its position does not change, even if other entries follow. */
function message(conversation: Conversation, kind: MessageKind, update: JsonObject, makeId: MakeId): Adapted {
  if (update.content === undefined) return NOTHING;
  const messageId = stringOr(update.messageId, "");
  const known = conversation.entries.filter(
    (entry): entry is Extract<Entry, { readonly kind: MessageKind }> =>
      entry.kind === kind && messageIdOf(entry.id) === idWith("", messageId).slice(1),
  );
  const blocks = arrayOr(update.content),
    text = blocks.map(block => wordsOf(block) ?? "").join("");
  const [first, ...others] = known;
  if (first)
    return {
      events: [{ ...first, text }, ...others.map(entry => ({ ...entry, text: "" }))].map(entry => ({
        type: "upsert",
        entry,
      })),
      made: 0,
    };
  const media = blocks.filter(block => wordsOf(block) === undefined);
  const entries: readonly Entry[] = [
    ...(text === "" ? [] : [{ kind, id: idWith(makeId(0), messageId), text } as const]),
    ...media.map((block, i) => ({ kind: "media", id: makeId(i + 1), content: blockContent(block) }) as const),
  ];
  return { events: entries.map(entry => ({ type: "upsert", entry })), made: media.length + 1 };
}

function tool(conversation: Conversation, update: JsonObject, makeId: MakeId): Adapted {
  const { entry, wasKnown } = toolFrom(conversation, callInV1(update), makeId(0));
  return { events: [{ type: "upsert", entry: withOutputs(conversation, entry) }], made: wasKnown ? 0 : 1 };
}

/** Maximum content items of a call, because every event sends the whole call. */
const MAX_CONTENT = 200;

function appendToolContent(conversation: Conversation, { toolCallId, content }: JsonObject, makeId: MakeId): Adapted {
  const { entry: before, wasKnown } = toolFrom(conversation, { toolCallId }, makeId(0)),
    { entry: added } = toolFrom(conversation, callInV1({ toolCallId, content: [content] }), makeId(0));
  return {
    events: [
      {
        type: "upsert",
        entry: withOutputs(conversation, {
          ...before,
          content: [...before.content, ...added.content].slice(-MAX_CONTENT),
        }),
      },
    ],
    made: wasKnown ? 0 : 1,
  };
}

/** Adds the earlier output of the terminals that a call references. */
function withOutputs(conversation: Conversation, entry: ToolCall): ToolCall {
  return {
    ...entry,
    content: entry.content.map(
      (content): ToolContent => (content.kind === "terminal" ? withOutput(conversation, content) : content),
    ),
  };
}

/**
 * Converts v2's patch of a call to v1. In v2, `null` clears a member that v1 leaves unchanged, a call can be paused,
 * and a diff is a patch.
 */
export function callInV1(update: JsonObject): JsonObject {
  const { content, locations, status } = update;
  return {
    ...update,
    ...(status === "paused" ? { status: "pending" } : {}),
    ...(content === null ? { content: [] } : Array.isArray(content) ? { content: content.map(contentInV1) } : {}),
    ...(locations === null ? { locations: [] } : {}),
  };
}

/** Converts a v2 diff to text. A diff lists the changed files and can contain a patch, but no old and new text. */
export function contentInV1(raw: unknown): unknown {
  const item = objectOr(raw);
  if (item.type !== "diff" || !Array.isArray(item.changes)) return raw;
  const changes = item.changes
    .filter(isObject)
    .map(
      ({ operation, path, oldPath }) =>
        `${stringOr(operation, "change")} ${typeof oldPath === "string" ? `${oldPath} → ` : ""}${stringOr(path, "")}`,
    );
  const { text } = objectOr(item.patch);
  return {
    type: "content",
    content: {
      type: "text",
      text: typeof text === "string" ? fenced(text) : changes.map(change => fenced(change, "")).join("\n\n"),
    },
  };
}

/** The fence is longer than any run of backticks in the text, so that the text cannot end it. */
function fenced(text: string, language = "diff"): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Converts a plan of any kind. Its content replaces the previous content (schema v2, `PlanUpdateContent`). */
function plan(conversation: Conversation, raw: JsonObject, makeId: MakeId): Adapted {
  const { planId, type, entries, content, uri } = raw,
    theirs = stringOr(planId, ""),
    known = planWith(conversation, theirs);
  const shown = (steps: readonly PlanStep[], text?: string): Adapted => ({
    events: [
      {
        type: "upsert",
        entry: {
          kind: "plan",
          id: known?.id ?? idWith(makeId(0), theirs),
          steps,
          ...(text === undefined ? {} : { text }),
        },
      },
    ],
    made: known ? 0 : 1,
  });
  switch (type) {
    case "items":
      return shown(stepsOf(entries));
    case "markdown":
      return shown([], limited(content));
    case "file":
      return shown([], `[${stringOr(uri, "")}](${stringOr(uri, "")})`);
    default:
      return adaptCommon(conversation, UPDATE_KINDS.plan_update, { planId, type, entries }, makeId);
  }
}
