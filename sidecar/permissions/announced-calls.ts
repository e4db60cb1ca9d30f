/**
 * The tool calls that a session's agent has reported, for its later permission requests, which often contain only the
 * call's id. Bounded: keeps the newest calls and no finished ones. `subagent`: the subagent's session that reported the
 * call. Ids are unique only within a session.
 */
import { isObject, objectOr, type JsonObject } from "../rpc/json";
import { UPDATE_KINDS } from "../acp/methods";

export const MAX_CALLS = 100;
/** The members that a permission request can use. */
const MEMBERS = ["title", "kind", "name", "rawInput", "content", "locations", "_meta"] as const;

export class AnnouncedCalls {
  readonly #calls = new Map<string, JsonObject>();
  readonly #used = new Set<string>();

  /**
   * Reads the `update` member of `session/update`; updates that are not tool calls are ignored. Omitted members keep
   * their value.
   */
  onEvent(update: unknown, subagent?: string): void {
    const fields = objectOr(update),
      { sessionUpdate, toolCallId: id, status } = fields;
    if (
      (sessionUpdate !== UPDATE_KINDS.tool_call && sessionUpdate !== UPDATE_KINDS.tool_call_update) ||
      typeof id !== "string"
    )
      return;
    const toolCallId = callKey(id, subagent);
    if (status === "completed" || status === "failed" || status === "cancelled") return this.#forget(toolCallId);
    if (sessionUpdate === UPDATE_KINDS.tool_call) this.#used.delete(toolCallId);
    // a repeated announcement is a new call
    const known = sessionUpdate === UPDATE_KINDS.tool_call ? {} : objectOr(this.#calls.get(toolCallId));
    const announced = Object.fromEntries(
      MEMBERS.filter(member => fields[member] !== undefined && fields[member] !== null).map(member => [
        member,
        fields[member],
      ]),
    );
    const _meta =
      isObject(known._meta) && isObject(announced._meta)
        ? { ...known._meta, ...announced._meta }
        : (announced._meta ?? known._meta);
    this.#calls.delete(toolCallId);
    this.#calls.set(toolCallId, { ...known, ...announced, ...(_meta === undefined ? {} : { _meta }) });
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MAX_CALLS && oldest !== undefined) this.#forget(oldest);
  }

  #forget(toolCallId: string): void {
    this.#calls.delete(toolCallId);
    this.#used.delete(toolCallId);
  }

  /** Unfinished calls, the oldest first, without those marked by `used`. */
  *live(): Iterable<readonly [toolCallId: string, call: JsonObject]> {
    for (const [id, call] of this.#calls) if (!this.#used.has(id)) yield [id, call];
  }

  /** Excludes this call from `live` until it is announced again. */
  used(toolCallId: string): void {
    if (this.#calls.has(toolCallId)) this.#used.add(toolCallId);
  }

  /** The reported members of the call that a `session/request_permission` is about. */
  of(params: unknown, subagent?: string): JsonObject | undefined {
    const { toolCallId } = questionedCall(params);
    return typeof toolCallId === "string" ? this.#calls.get(callKey(toolCallId, subagent)) : undefined;
  }
}

/** Identifies a call among those of a session and its subagents. The session's own calls keep their id. */
export function callKey(toolCallId: string, subagent: string | undefined): string {
  return subagent === undefined ? toolCallId : JSON.stringify([subagent, toolCallId]);
}

/**
 * The call of a permission request, with the request's own `_meta`. ACP version 1 has it beside the options, version 2
 * as the subject.
 */
export function questionedCall(params: unknown): JsonObject {
  const { toolCall, subject, _meta } = objectOr(params),
    call = isObject(toolCall) ? toolCall : objectOr(objectOr(subject).toolCall);
  return isObject(_meta) ? { ...call, _meta: { ..._meta, ...objectOr(call._meta) } } : call;
}
