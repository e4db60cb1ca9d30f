/**
 * Sends the user's choices to an agent: when they are made, and again before the first prompt of each session.
 *
 * Invariants:
 * - The display follows the order of the wire.
 * - The last choice is persisted.
 */
import {
  offers,
  withValue,
  type Control,
  type ControlValue,
  type ControlValues,
} from "../../../src/protocol/chat/controls";
import { errorMessage } from "../../../src/protocol/wire/errors";
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

  /** Sends the choice to the agent. `isCurrent`: whether the session is still open. */
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
        notify({ kind: "controlSet", controls: controlsIn(result) });
        this.deps.keep(control.id, value);
      })
      .catch((error: unknown) => {
        // superseded by a later session or choice
        if (!isCurrent() || this.#chosen.get(control.id) !== value) return;
        this.#chosen.delete(control.id);
        notify({
          kind: "controlRefused",
          controlId: control.id,
          before: control.value,
          why: errorMessage(error),
        });
      });
  }

  /**
   * Sets the earlier choices that the agent still offers, sequentially. The agent's responses determine the values
   * shown.
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
          controls = controlsIn(result) ?? withValue(controls, id, value);
          notify({ kind: "controlSet", controls });
        })
        .catch((error: unknown) => this.deps.refused(id, error));
    }
  }
}

/** The controls of a response; `undefined` if it lists none, as for `session/set_mode`. */
function controlsIn(result: unknown): readonly Control[] | undefined {
  return Array.isArray(objectOr(result).configOptions) ? controlsOf(result) : undefined;
}
