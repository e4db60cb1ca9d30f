/**
 * The turns of an agent that speaks ACP v2: there the answer to a prompt is a receipt, and the turn's end is an update of the
 * session's state.
 *
 *   waiting ── receipt, or `running` ──▶ going ── `idle` ──▶ settled          `idle` while waiting is of what was before
 */
import type { AgentError } from "../errors";
import { stringOr, type JsonObject } from "../rpc/json";

export type PromptOutcome = { readonly kind: "stopped"; readonly reason: string } | { readonly kind: "failed"; readonly error: AgentError };

interface Turn { readonly state: "waiting" | "going"; readonly settle: (outcome: PromptOutcome) => void }

export class Turns {
  readonly #turns = new Map<string, Turn>();

  begin(sessionId: string, settle: Turn["settle"]): void { this.#turns.set(sessionId, { state: "waiting", settle }); }

  accepted(sessionId: string): void {
    const turn = this.#turns.get(sessionId);
    if (turn) this.#turns.set(sessionId, { ...turn, state: "going" });
  }

  /** `false`: there was none, or it has ended. */
  drop(sessionId: string): boolean { return this.#turns.delete(sessionId); }

  /** An update of the session (schema v2, `StateUpdate`). */
  update(sessionId: string, { sessionUpdate, state, stopReason, error }: JsonObject, failure: (error: unknown) => AgentError): void {
    if (sessionUpdate !== "state_update") return;
    if (state === "running") return this.accepted(sessionId);
    const turn = this.#turns.get(sessionId);
    if (state !== "idle" || turn?.state !== "going") return;
    this.#turns.delete(sessionId);
    turn.settle(stopReason === "error" ? { kind: "failed", error: failure(error) } : { kind: "stopped", reason: stringOr(stopReason, "end_turn") });
  }
}
