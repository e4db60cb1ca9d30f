/**
 * Converts the updates of an ACP v2 session (a draft) to those of v1, for a client whose output can only grow: the
 * model picker. Messages, plans and tool calls are converted; all other updates stay as they are, and a client ignores
 * unknown ones. Bounded; lenient; never throws.
 *
 * - A message that arrives whole after its chunks becomes the part that the chunks lack. A message with another text
 *   becomes a new message.
 * - The first update of a call becomes its announcement (`tool_call`), and so does an update that starts an ended call
 *   again. Other updates of an ended call are dropped.
 * - Content chunks become the call's whole content.
 */
import { arrayOr, objectOr, stringOr, type JsonObject } from "../../rpc/json";
import { wordsOf } from "./content";
import { callInV1, contentInV1 } from "./v2";
import { UPDATE_KINDS } from "../methods";

/** Maximum number of messages and of calls that a session keeps. The oldest are dropped. */
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
        this.#grow(update.sessionUpdate, update.messageId, wordsOf(update.content) ?? "");
        return [raw];
      case UPDATE_KINDS.agent_message:
        return this.#message(UPDATE_KINDS.agent_message_chunk, update);
      case UPDATE_KINDS.agent_thought:
        return this.#message(UPDATE_KINDS.agent_thought_chunk, update);
      case UPDATE_KINDS.tool_call_update:
        return this.#call(update);
      case UPDATE_KINDS.tool_call_content_chunk:
        return this.#callGrows(update);
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
      this.#grow(kind, messageId, text);
      return blocks.map(chunk);
    }
    keep(this.#messages, keyOf(kind, messageId), text);
    if (text.startsWith(known)) {
      const rest = text.slice(known.length);
      return rest === "" ? [] : [chunk({ type: "text", text: rest })];
    }
    return [{ ...chunk({ type: "text", text }), messageId: `${stringOr(messageId, "")} (changed)` }];
  }

  #grow(kind: string, messageId: unknown, text: string): void {
    const key = keyOf(kind, messageId);
    keep(this.#messages, key, (this.#messages.get(key) ?? "") + text);
  }

  #call(update: JsonObject): readonly unknown[] {
    const call = callInV1(update),
      { toolCallId, status } = call,
      id = stringOr(toolCallId, ""),
      known = this.#calls.get(id);
    const restarts = known?.hasEnded === true && RUNNING.has(status);
    if (known?.hasEnded === true && !restarts) return [];
    const isNew = known === undefined || restarts;
    keep(this.#calls, id, {
      content: Array.isArray(call.content) ? call.content : isNew ? [] : known.content,
      hasEnded: ENDED.has(status),
    });
    return [{ ...call, sessionUpdate: isNew ? UPDATE_KINDS.tool_call : UPDATE_KINDS.tool_call_update }];
  }

  #callGrows({ toolCallId, content }: JsonObject): readonly unknown[] {
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

/** The tool calls of a session's subagents as updates of v1, for a client that shows no other update of theirs. */
export class SubagentCalls {
  readonly #updates = new Map<string, V2Updates>();

  /** `raw` is the `update` member of a subagent's `session/update`. */
  inV1(subagent: string, raw: unknown): readonly unknown[] {
    const updates = this.#updates.get(subagent) ?? new V2Updates();
    keep(this.#updates, subagent, updates, MAX_SUBAGENTS);
    return updates.inV1(raw).filter(update => CALLS.has(objectOr(update).sessionUpdate));
  }
}

function keyOf(kind: string, messageId: unknown): string {
  return `${kind} ${stringOr(messageId, "")}`;
}

function keep<T>(map: Map<string, T>, key: string, value: T, limit = MAX_RETAINED): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > limit && oldest !== undefined) map.delete(oldest);
}
