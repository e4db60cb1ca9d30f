/**
 * The user's choices for an agent. A choice is set when it is made, and again before the first prompt of each of the
 * agent's sessions.
 *
 * Invariants: the session's display follows the order of the wire; the last choice is the one that is kept.
 */
import {
  offers,
  withValue,
  type Control,
  type ControlValue,
  type ControlValues,
} from "../../../src/protocol/chat/controls";
import type { AgentConnection } from "../../acp/connection";
import { objectOr } from "../../rpc/json";
import { controlsOf } from "../../acp/adapt/controls";
import type { SessionEvent } from "../session-model";

export interface ControlsDeps {
  /** Persists the value for the agent's next sessions. */
  keep(controlId: string, value: ControlValue): void;
  /** Reports that an earlier choice could not be set. */
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

  /** Stores a choice for the session that opens next. */
  choose(controlId: string, value: ControlValue): void {
    this.#chosen.set(controlId, value);
  }

  /** Sends the choice to the agent. `isCurrent`: whether the session is still the agent's. */
  set(
    connection: AgentConnection,
    agentSession: string,
    control: Control,
    value: ControlValue,
    notify: (event: SessionEvent) => void,
    isCurrent: () => boolean,
  ): void {
    connection
      .setControl(agentSession, control, value, result => {
        notify({ kind: "controlSet", controls: listed(result) });
        this.deps.keep(control.id, value);
      })
      .catch((error: unknown) => {
        // outdated: a later session or choice decides
        if (!isCurrent() || this.#chosen.get(control.id) !== value) return;
        this.#chosen.delete(control.id);
        notify({
          kind: "controlRefused",
          controlId: control.id,
          before: control.value,
          why: error instanceof Error ? error.message : String(error),
        });
      });
  }

  /**
   * Sets the earlier choices that the agent still offers, one after the other. The agent's responses determine the
   * values shown.
   */
  async setAgain(
    connection: AgentConnection,
    agentSession: string,
    offered: readonly Control[],
    notify: (event: SessionEvent) => void,
  ): Promise<void> {
    let controls = offered;
    for (const [id, value] of this.#chosen) {
      const control = controls.find(each => each.id === id);
      if (!control || !offers(control, value) || control.value === value) continue;
      await connection
        .setControl(agentSession, control, value, result => {
          controls = listed(result) ?? withValue(controls, id, value);
          notify({ kind: "controlSet", controls });
        })
        .catch((error: unknown) => this.deps.refused(id, error));
    }
  }
}

/**
 * The controls in a response that lists all of them; `undefined` for `session/set_mode` and for agents that omit them.
 */
function listed(result: unknown): readonly Control[] | undefined {
  return Array.isArray(objectOr(result).configOptions) ? controlsOf(result) : undefined;
}
