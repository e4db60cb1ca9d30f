/**
 * The turns of an agent that uses ACP v2. The response to a prompt only acknowledges it; a state update of the session
 * ends the turn.
 *
 *   waiting ── response, or `running` ──▶ running ── `idle` ──▶ settled   `idle` while waiting ends an earlier turn
 */
import type { AgentError } from "../errors";
import { stringOr, type JsonObject } from "../rpc/json";
import { UPDATE_KINDS } from "./methods";

/** `usage` is the agent's own token count (ACP schema, `Usage`), not validated. */
export type PromptOutcome =
  | { readonly kind: "stopped"; readonly reason: string; readonly usage?: JsonObject }
  | { readonly kind: "failed"; readonly error: AgentError };

/** The turn of one prompt. */
export interface Turn {
  state: "waiting" | "running";
  readonly settle: (outcome: PromptOutcome) => void;
}

export class Turns {
  readonly #turns = new Map<string, Turn>();

  begin(sessionId: string, settle: Turn["settle"]): Turn {
    const turn: Turn = { state: "waiting", settle };
    this.#turns.set(sessionId, turn);
    return turn;
  }

  accepted(sessionId: string, turn: Turn): void {
    if (this.#turns.get(sessionId) === turn) turn.state = "running";
  }

  /**
   * Returns `false` if the turn has ended or is not the session's current one. Without `turn`, drops any current turn.
   */
  drop(sessionId: string, turn?: Turn): boolean {
    return (turn === undefined || this.#turns.get(sessionId) === turn) && this.#turns.delete(sessionId);
  }

  /** Handles a state update of the session (schema v2, `StateUpdate`). */
  update(
    sessionId: string,
    { sessionUpdate, state, stopReason, error }: JsonObject,
    failure: (error: unknown) => AgentError,
  ): void {
    const turn = this.#turns.get(sessionId);
    if (sessionUpdate !== UPDATE_KINDS.state_update || !turn) return;
    if (state === "running") turn.state = "running";
    if (state !== "idle" || turn.state !== "running") return;
    this.#turns.delete(sessionId);
    turn.settle(
      stopReason === "error"
        ? { kind: "failed", error: failure(error) }
        : { kind: "stopped", reason: stringOr(stopReason, "end_turn") },
    );
  }
}
