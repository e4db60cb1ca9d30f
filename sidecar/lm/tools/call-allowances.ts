/**
 * Matches three records of a VS Code tool call in one agent session: the agent's announcement, the permission that
 * Symposium allows because VS Code itself asks the user, and the `tools/call` at the session's MCP server.
 *
 *   announced ── question allowed ──▶ open ── tools/call arrives ──▶ used
 *                                      └── completed, or reports another action, without a call ──▶ broken
 *
 * `subagent`: id of the subagent's session that reported the call or sent the permission request.
 *
 * Invariants:
 * - An allowance is for one call, whose identity all its reports prove (`bridged-calls.ts`).
 * - After a broken allowance the agent of this session is no longer trusted, and the user is asked about each of its
 *   calls.
 */
import { isDeepStrictEqual } from "node:util";
import { AnnouncedCalls, callKey } from "../../permissions/announced-calls";
import { bridgedClaim, type BridgedClaim, type QualifiedNames } from "../../permissions/bridged-calls";
import { isObject, objectOr, type JsonObject } from "../../rpc/json";
import { UPDATE_KINDS } from "../../acp/methods";

/** Maximum number of tracked calls. */
const MAX_CALLS = 500;

interface Call {
  readonly claim: BridgedClaim;
  /** Reports of this call contradict each other. */
  readonly isMixed: boolean;
  readonly allowance: "none" | "open" | "used";
  /** A `tools/call` arrived for this call. */
  readonly hasArrived: boolean;
  /** The agent reported its end, so no `tools/call` can arrive for it. A resumed session replays such calls. */
  readonly hasEnded: boolean;
}

const UNKNOWN: Call = {
  claim: { kind: "none" },
  isMixed: false,
  allowance: "none",
  hasArrived: false,
  hasEnded: false,
};
const ENDED: ReadonlySet<unknown> = new Set(["completed", "failed", "cancelled"]);

/** `claimed`: the agent refers to a tool of VS Code, but the reference is not proved and no call has arrived yet. */
export type CallOrigin = "own" | "bridged" | "claimed";

export interface AnnouncedUpdate {
  /** The update announces a call of one of VS Code's tools that has not arrived yet. */
  readonly expectsCall: boolean;
  /** The tool whose allowance was used for another action, or not used at all. */
  readonly broken?: string;
}

export class AnnouncedTools {
  readonly #announced = new AnnouncedCalls();
  /** By `callKey`, the newest last. */
  readonly #calls = new Map<string, Call>();
  #isTrusted = true;

  /** `update`: of `session/update`. `names`: of the session's server; undefined if the session has no server. */
  onEvent(update: unknown, names: QualifiedNames | undefined, subagent?: string): AnnouncedUpdate {
    const fields = objectOr(update),
      { sessionUpdate, toolCallId, status } = fields;
    if (
      (sessionUpdate !== UPDATE_KINDS.tool_call && sessionUpdate !== UPDATE_KINDS.tool_call_update) ||
      typeof toolCallId !== "string" ||
      !names
    ) {
      this.#announced.onEvent(update, subagent);
      return { expectsCall: false };
    }
    const key = callKey(toolCallId, subagent),
      tracked = this.#calls.get(key),
      isNew = sessionUpdate === UPDATE_KINDS.tool_call && tracked?.allowance !== "open";
    const before = isNew ? undefined : this.#announced.of({ toolCall: fields }, subagent),
      call = merged(isNew ? UNKNOWN : (tracked ?? UNKNOWN), before, fields, names);
    this.#announced.onEvent(update, subagent);
    const hasEnded = call.hasEnded || ENDED.has(status);
    this.#keep(key, { ...call, hasEnded, allowance: hasEnded && call.allowance === "open" ? "used" : call.allowance });
    if (call.allowance === "open" && (status === "completed" || call.isMixed))
      return { expectsCall: false, ...this.#distrust(call) };
    return { expectsCall: isNamed(call.claim) && !call.hasArrived && !ENDED.has(status) };
  }

  /** The merged announcements of a permission request's call. */
  of(params: unknown, subagent?: string): JsonObject | undefined {
    return this.#announced.of(params, subagent);
  }

  /** `call`: of the permission request, with its whole `_meta`. An allowed call proves nothing for a second request. */
  claim(call: JsonObject, names: QualifiedNames, subagent?: string): BridgedClaim {
    const { toolCallId } = call,
      tracked = typeof toolCallId === "string" ? this.#calls.get(callKey(toolCallId, subagent)) : undefined;
    const claim = bridgedClaim([...[this.#announced.of({ toolCall: call }, subagent)].filter(isObject), call], names);
    const isTrusted =
      this.#isTrusted &&
      typeof toolCallId === "string" &&
      !tracked?.isMixed &&
      (tracked?.allowance ?? "none") === "none";
    return claim.kind === "proved" && !isTrusted ? { ...claim, kind: "reference" } : claim;
  }

  /** The permission request for this call was allowed without asking the user. */
  allowed({ toolCallId }: JsonObject, claim: BridgedClaim, subagent?: string): void {
    if (typeof toolCallId !== "string") return;
    const key = callKey(toolCallId, subagent);
    this.#keep(key, { ...(this.#calls.get(key) ?? UNKNOWN), claim, allowance: "open" });
  }

  /** The turn is being stopped, so allowed calls may never arrive. */
  stopped(): void {
    for (const [id, call] of this.#calls)
      if (call.allowance === "open") this.#calls.set(id, { ...call, allowance: "used" });
  }

  /**
   * Handles a `tools/call` at the server. Matches the oldest announced call of the tool with equal arguments, otherwise
   * the oldest. `tool`: the agent's name of the tool.
   */
  arrived(tool: string, args: unknown): void {
    const open = [...this.#calls].filter(
      ([, { claim, hasArrived, hasEnded }]) => !hasArrived && !hasEnded && isNamed(claim) && claim.tool === tool,
    );
    const [id, call] =
      open.find(([, { claim }]) => isNamed(claim) && isDeepStrictEqual(claim.args, args)) ?? open[0] ?? [];
    if (id !== undefined && call)
      this.#calls.set(id, {
        ...call,
        hasArrived: true,
        allowance: call.allowance === "open" ? "used" : call.allowance,
      });
  }

  /**
   * `call`: of an update of the session itself, not of a subagent. VS Code itself shows a call that has arrived or is
   * proved to use one of its tools.
   */
  originOf({ toolCallId }: JsonObject): CallOrigin {
    const call = typeof toolCallId === "string" ? this.#calls.get(toolCallId) : undefined;
    if (!call || (!call.hasArrived && (call.claim.kind === "none" || call.claim.kind === "unnamed"))) return "own";
    return call.hasArrived || (call.claim.kind === "proved" && !call.isMixed) ? "bridged" : "claimed";
  }

  #distrust({ claim }: Call): Pick<AnnouncedUpdate, "broken"> {
    this.#isTrusted = false;
    return isNamed(claim) ? { broken: claim.tool } : {};
  }

  #keep(key: string, call: Call): void {
    this.#calls.delete(key);
    this.#calls.set(key, call);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MAX_CALLS && oldest !== undefined) this.#calls.delete(oldest);
  }
}

type ToolClaim = Extract<BridgedClaim, { readonly kind: "proved" | "reference" }> & { readonly tool: string };

function isNamed(claim: BridgedClaim): claim is ToolClaim {
  return (claim.kind === "proved" || claim.kind === "reference") && claim.tool !== undefined;
}

/**
 * Merges a report into a call. If the call or the report alone is proved but both together are not, the call is mixed.
 */
function merged(call: Call, before: JsonObject | undefined, report: JsonObject, names: QualifiedNames): Call {
  const claim = bridgedClaim(before ? [before, report] : [report], names);
  const wasProved = call.claim.kind === "proved" || bridgedClaim([report], names).kind === "proved";
  return {
    ...call,
    isMixed: call.isMixed || (wasProved && claim.kind !== "proved"),
    claim:
      call.allowance === "open" || (isNamed(call.claim) && (claim.kind === "none" || claim.kind === "unnamed"))
        ? call.claim
        : claim,
  };
}
