/**
 * What the user chose at the prompt (mode, model, whatever an agent offers), for the agent's next sessions. It is kept
 * where VS Code keeps what extensions know, apart from the settings: choices are many, and change with every agent's
 * version.
 *
 * Invariants: what is kept is bounded, and of what was there longest ago the first to go; what another version kept, or
 * nobody, is read for what it is worth.
 */
import type { Log } from "../../log";
import type { ControlValue, ControlValues } from "../../protocol/controls";
import { isObject, type Fields } from "../../protocol/json";

/** As `vscode.Memento`. */
export interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

const KEY = "symposium.chosenControls";
const MOST_AGENTS = 50,
  MOST_CONTROLS = 50,
  LONGEST = 500;

export class ChosenControls {
  constructor(
    private readonly memory: Memory,
    private readonly log: Log,
  ) {}

  /** By the control's id; `undefined` when nothing was chosen. */
  of(agentId: string): ControlValues | undefined {
    const values = this.#agents().find(([id]) => id === agentId)?.[1] ?? [];
    return values.length === 0 ? undefined : Object.fromEntries(values);
  }

  /** From now on; what is too long to be kept is not. */
  keep(agentId: string, controlId: string, value: ControlValue): void {
    if (![agentId, controlId, value].every(isShort)) return;
    const agents = this.#agents();
    const values = agents.find(([id]) => id === agentId)?.[1] ?? [];
    const kept = latest(agents, agentId, latest(values, controlId, value, MOST_CONTROLS), MOST_AGENTS).map(
      ([id, each]) => [id, Object.fromEntries(each)] as const,
    );
    this.memory
      .update(KEY, Object.fromEntries(kept))
      .then(undefined, (error: unknown) =>
        this.log.warn("agent", "What was chosen could not be kept", { agentId, error }),
      );
  }

  #agents(): Entries<Entries<ControlValue>> {
    return entries(this.memory.get(KEY)).map(
      ([id, values]) =>
        [id, entries(values).filter((entry): entry is readonly [string, ControlValue] => isValue(entry[1]))] as const,
    );
  }
}

type Entries<T> = readonly (readonly [name: string, value: T])[];

/** With this one behind all others, of which no more are left than there may be. */
function latest<T>(all: Entries<T>, name: string, value: T, most: number): Entries<T> {
  return [...all.filter(([other]) => other !== name), [name, value] as const].slice(-most);
}

function entries(value: unknown): Entries<unknown> {
  const fields: Fields = isObject(value) ? value : {};
  return Object.entries(fields);
}

function isValue(value: unknown): value is ControlValue {
  return (typeof value === "string" || typeof value === "boolean") && isShort(value);
}
function isShort(value: ControlValue): boolean {
  return value === true || value === false || value.length <= LONGEST;
}
