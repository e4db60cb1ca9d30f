/**
 * Converts updates of ACP v2 (a draft) to v1 for the model picker, whose output is append-only. Messages, plans and
 * tool calls are converted; other updates are passed unchanged. Bounded; lenient; never throws.
 *
 * - A complete message after its chunks becomes a chunk with the missing suffix. A message with a different text
 *   becomes a new message.
 * - The first update of a call becomes its announcement (`tool_call`), as does an update that restarts an ended call.
 *   Other updates of an ended call are dropped.
 * - A content chunk becomes an update with the call's complete content.
 */
import { arrayOr, objectOr, stringOr, type JsonObject } from "../../rpc/json";
import { wordsOf } from "./content";
import { callInV1, contentInV1 } from "./v2";
import { UPDATE_KINDS } from "../methods";

/** Maximum number of retained messages, and of retained calls. The oldest are dropped. */
const MAX_RETAINED = 200;
/** Maximum content items of a call. */
const MAX_CONTENT = 200;
const ENDED: ReadonlySet<unknown> = new Set(["completed", "failed", "cancelled"]);
const RUNNING: ReadonlySet<unknown> = new Set(["pending", "in_progress"]);

interface Call {
  readonly content: readonly unknown[];
  readonly hasEnded: boolean;
}

export class V2Updates {
  /** Text by kind and id of the message. */
  readonly #messages = new Map<string, string>();
  readonly #calls = new Map<string, Call>();

  /** `raw` is the `update` member of `session/update` (schema v2, `SessionUpdate`). Returns v1 updates in order. */
  inV1(raw: unknown): readonly unknown[] {
    const update = objectOr(raw);
    switch (update.sessionUpdate) {
      case UPDATE_KINDS.agent_message_chunk:
      case UPDATE_KINDS.agent_thought_chunk:
        this.#append(update.sessionUpdate, update.messageId, wordsOf(update.content) ?? "");
        return [raw];
      case UPDATE_KINDS.agent_message:
        return this.#message(UPDATE_KINDS.agent_message_chunk, update);
      case UPDATE_KINDS.agent_thought:
        return this.#message(UPDATE_KINDS.agent_thought_chunk, update);
      case UPDATE_KINDS.tool_call_update:
        return this.#call(update);
      case UPDATE_KINDS.tool_call_content_chunk:
        return this.#appendCallContent(update);
      case UPDATE_KINDS.plan_update: {
        const { type, entries } = objectOr(update.plan);
        return type === "items" ? [{ sessionUpdate: UPDATE_KINDS.plan, entries }] : [];
      }
      default:
        return [raw];
    }
  }

  #message(kind: string, { messageId, content }: JsonObject): readonly unknown[] {
    if (content === undefined) return [];
    const blocks = arrayOr(content),
      text = blocks.map(block => wordsOf(block) ?? "").join(""),
      known = this.#messages.get(keyOf(kind, messageId));
    const chunk = (block: unknown): JsonObject => ({ sessionUpdate: kind, messageId, content: block });
    if (known === undefined) {
      this.#append(kind, messageId, text);
      return blocks.map(chunk);
    }
    setBounded(this.#messages, keyOf(kind, messageId), text);
    if (text.startsWith(known)) {
      const rest = text.slice(known.length);
      return rest === "" ? [] : [chunk({ type: "text", text: rest })];
    }
    return [{ ...chunk({ type: "text", text }), messageId: `${stringOr(messageId, "")} (changed)` }];
  }

  #append(kind: string, messageId: unknown, text: string): void {
    const key = keyOf(kind, messageId);
    setBounded(this.#messages, key, (this.#messages.get(key) ?? "") + text);
  }

  #call(update: JsonObject): readonly unknown[] {
    const call = callInV1(update),
      { toolCallId, status } = call,
      id = stringOr(toolCallId, ""),
      known = this.#calls.get(id);
    const restarts = known?.hasEnded === true && RUNNING.has(status);
    if (known?.hasEnded === true && !restarts) return [];
    const isNew = known === undefined || restarts;
    setBounded(this.#calls, id, {
      content: Array.isArray(call.content) ? call.content : isNew ? [] : known.content,
      hasEnded: ENDED.has(status),
    });
    return [{ ...call, sessionUpdate: isNew ? UPDATE_KINDS.tool_call : UPDATE_KINDS.tool_call_update }];
  }

  #appendCallContent({ toolCallId, content }: JsonObject): readonly unknown[] {
    const known = this.#calls.get(stringOr(toolCallId, ""));
    if (known?.hasEnded === true) return [];
    return this.#call({
      toolCallId,
      content: [...(known?.content ?? []), contentInV1(content)].slice(-MAX_CONTENT),
    });
  }
}

const CALLS: ReadonlySet<unknown> = new Set([UPDATE_KINDS.tool_call, UPDATE_KINDS.tool_call_update]);
/** Maximum number of subagents whose calls are kept. */
const MAX_SUBAGENTS = 50;

/** Converts updates of a session's subagents to v1, and omits all except tool calls. */
export class SubagentCalls {
  readonly #updates = new Map<string, V2Updates>();

  /** `raw` is the `update` member of a subagent's `session/update`. */
  inV1(subagent: string, raw: unknown): readonly unknown[] {
    const updates = this.#updates.get(subagent) ?? new V2Updates();
    setBounded(this.#updates, subagent, updates, MAX_SUBAGENTS);
    return updates.inV1(raw).filter(update => CALLS.has(objectOr(update).sessionUpdate));
  }
}

function keyOf(kind: string, messageId: unknown): string {
  return `${kind} ${stringOr(messageId, "")}`;
}

function setBounded<T>(map: Map<string, T>, key: string, value: T, limit = MAX_RETAINED): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > limit && oldest !== undefined) map.delete(oldest);
}
