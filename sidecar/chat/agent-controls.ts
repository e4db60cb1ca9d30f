/**
 * What a person has chosen for an agent: set when it is chosen, and again before the first prompt of each of its
 * sessions.
 *
 * Invariants: what the session shows follows the order of the wire; the last choice is the one that is kept.
 */
import { offers, withValue, type Control, type ControlValue, type ControlValues } from "../../src/protocol/controls";
import type { AgentConnection } from "../acp/connection";
import { objectOr } from "../rpc/json";
import { controlsOf, requestToSet } from "../acp/adapt/controls";
import type { SessionEvent } from "./session-model";

export interface ControlsDeps {
  /** For the agent's next sessions. */
  keep(controlId: string, value: ControlValue): void;
  /** What was chosen before could not be set. */
  refused(controlId: string, error: unknown): void;
}

export class AgentControls {
  readonly #chosen: Map<string, ControlValue>;

  constructor(
    chosen: ControlValues,
    private readonly deps: ControlsDeps,
  ) {
    this.#chosen = new Map(Object.entries(chosen));
  }

  /** For the session that opens next. */
  choose(controlId: string, value: ControlValue): void {
    this.#chosen.set(controlId, value);
  }

  /** Asks the agent to set it. `isCurrent`: the session is still the agent's. */
  set(
    connection: AgentConnection,
    agentSession: string,
    control: Control,
    value: ControlValue,
    tell: (event: SessionEvent) => void,
    isCurrent: () => boolean,
  ): void {
    const { method, params } = requestToSet(control, value, connection.version);
    connection
      .request(agentSession, method, params, result => {
        tell({ kind: "controlSet", controls: listed(result) });
        this.deps.keep(control.id, value);
      })
      .catch((error: unknown) => {
        // not the last word: that is the next session's, or the next choice's
        if (!isCurrent() || this.#chosen.get(control.id) !== value) return;
        this.#chosen.delete(control.id);
        tell({
          kind: "controlRefused",
          controlId: control.id,
          before: control.value,
          why: error instanceof Error ? error.message : String(error),
        });
      });
  }

  /** Sets what was chosen and is on offer, one after the other; the agent's answers say what is so. */
  async setAgain(
    connection: AgentConnection,
    agentSession: string,
    offered: readonly Control[],
    tell: (event: SessionEvent) => void,
  ): Promise<void> {
    let controls = offered;
    for (const [id, value] of this.#chosen) {
      const control = controls.find(each => each.id === id);
      if (!control || !offers(control, value) || control.value === value) continue;
      const { method, params } = requestToSet(control, value, connection.version);
      await connection
        .request(agentSession, method, params, result => {
          controls = listed(result) ?? withValue(controls, id, value);
          tell({ kind: "controlSet", controls });
        })
        .catch((error: unknown) => this.deps.refused(id, error));
    }
  }
}

/** The controls in an answer that has them all; `session/set_mode` and agents that leave them out say nothing. */
function listed(result: unknown): readonly Control[] | undefined {
  return Array.isArray(objectOr(result).configOptions) ? controlsOf(result) : undefined;
}
