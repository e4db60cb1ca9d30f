/**
 * What a session's agent has said of its tool calls, for the questions that it asks about them later: the question
 * often has no more than the call's id. Bounded: the newest are kept, and none that is over.
 */
import { isObject, objectOr, type JsonObject } from "../rpc/json";

export const MOST_CALLS = 100;
/** What a question can use of them. */
const MEMBERS = ["title", "kind", "name", "rawInput", "content", "locations", "_meta"] as const;

export class AnnouncedCalls {
  readonly #calls = new Map<string, JsonObject>();
  readonly #used = new Set<string>();

  /** The `update` member of `session/update`; what is no tool call changes nothing. Members that are left out stay. */
  heard(update: unknown): void {
    const said = objectOr(update),
      { sessionUpdate, toolCallId, status } = said;
    if ((sessionUpdate !== "tool_call" && sessionUpdate !== "tool_call_update") || typeof toolCallId !== "string")
      return;
    if (status === "completed" || status === "failed" || status === "cancelled") return this.#forget(toolCallId);
    if (sessionUpdate === "tool_call") this.#used.delete(toolCallId);
    // announced again: another call
    const known = sessionUpdate === "tool_call" ? {} : objectOr(this.#calls.get(toolCallId));
    const told = Object.fromEntries(
      MEMBERS.filter(member => said[member] !== undefined && said[member] !== null).map(member => [
        member,
        said[member],
      ]),
    );
    const _meta =
      isObject(known._meta) && isObject(told._meta) ? { ...known._meta, ...told._meta } : (told._meta ?? known._meta);
    this.#calls.delete(toolCallId);
    this.#calls.set(toolCallId, { ...known, ...told, ...(_meta === undefined ? {} : { _meta }) });
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MOST_CALLS && oldest !== undefined) this.#forget(oldest);
  }

  #forget(toolCallId: string): void {
    this.#calls.delete(toolCallId);
    this.#used.delete(toolCallId);
  }

  /** Calls that are not over, the oldest first, without those that were `used`. */
  *live(): Iterable<readonly [toolCallId: string, call: JsonObject]> {
    for (const [id, call] of this.#calls) if (!this.#used.has(id)) yield [id, call];
  }

  /** `live` leaves this call out from now on, until it is announced anew. */
  used(toolCallId: string): void {
    if (this.#calls.has(toolCallId)) this.#used.add(toolCallId);
  }

  /** Of the call that a question of `session/request_permission` is about. */
  of(params: unknown): JsonObject | undefined {
    const { toolCallId } = questionedCall(params);
    return typeof toolCallId === "string" ? this.#calls.get(toolCallId) : undefined;
  }
}

/**
 * The call that a question is about, with the question's own `_meta`. Version 1 of ACP has it beside the options,
 * version 2 as the subject.
 */
export function questionedCall(params: unknown): JsonObject {
  const { toolCall, subject, _meta } = objectOr(params),
    call = isObject(toolCall) ? toolCall : objectOr(objectOr(subject).toolCall);
  return isObject(_meta) ? { ...call, _meta: { ..._meta, ...objectOr(call._meta) } } : call;
}
