/**
 * Stores the tool calls that a session's agent reports, because a later permission request often contains only the
 * call's id. Keeps at most `MAX_CALLS` unfinished calls and drops the oldest.
 *
 * `subagent`: id of the subagent's session that reported the call. Call ids are unique only within a session.
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
   * Handles the `update` member of `session/update`. Ignores updates that are not tool calls. Omitted members keep
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
    // A repeated announcement starts a new call.
    const earlier = sessionUpdate === UPDATE_KINDS.tool_call ? {} : objectOr(this.#calls.get(toolCallId));
    const reported = Object.fromEntries(
      MEMBERS.filter(member => fields[member] !== undefined && fields[member] !== null).map(member => [
        member,
        fields[member],
      ]),
    );
    const _meta =
      isObject(earlier._meta) && isObject(reported._meta)
        ? { ...earlier._meta, ...reported._meta }
        : (reported._meta ?? earlier._meta);
    this.#calls.delete(toolCallId);
    this.#calls.set(toolCallId, { ...earlier, ...reported, ...(_meta === undefined ? {} : { _meta }) });
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

  /** The reported members of a permission request's call. `params`: of `session/request_permission`. */
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
 * The call of a permission request, merged with the request's `_meta`. The call is the member `toolCall` in ACP version
 * 1 and `subject.toolCall` in version 2.
 */
export function questionedCall(params: unknown): JsonObject {
  const { toolCall, subject, _meta } = objectOr(params),
    call = isObject(toolCall) ? toolCall : objectOr(objectOr(subject).toolCall);
  return isObject(_meta) ? { ...call, _meta: { ..._meta, ...objectOr(call._meta) } } : call;
}
