/**
 * Stores the user's choices for an agent's controls (mode, model, other options) for its next sessions. The choices are
 * in VS Code's extension storage, not in the settings, because they are many and change with each version of an agent.
 *
 * Invariants:
 * - The stored size is bounded; the oldest entries are removed first.
 * - Malformed data, such as that of another version, is read as far as possible.
 */
import type { Log } from "../../log";
import type { ControlValue, ControlValues } from "../../protocol/chat/controls";
import { isObject, type Fields } from "../../protocol/wire/json";

/** The subset of `vscode.Memento` that is used. */
export interface KeyValueStore {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

const KEY = "symposium.chosenControls";
const MAX_AGENTS = 50,
  MAX_CONTROLS = 50,
  MAX_VALUE_LENGTH = 500;

export class PersistedControls {
  constructor(
    private readonly memory: KeyValueStore,
    private readonly log: Log,
  ) {}

  /** By control id; `undefined` if nothing was chosen. */
  of(agentId: string): ControlValues | undefined {
    const values = this.#agents().find(([id]) => id === agentId)?.[1] ?? [];
    return values.length === 0 ? undefined : Object.fromEntries(values);
  }

  /** Stores a choice, unless it is too long. */
  keep(agentId: string, controlId: string, value: ControlValue): void {
    if (![agentId, controlId, value].every(isShort)) return;
    const agents = this.#agents();
    const values = agents.find(([id]) => id === agentId)?.[1] ?? [];
    const next = latest(agents, agentId, latest(values, controlId, value, MAX_CONTROLS), MAX_AGENTS).map(
      ([id, each]) => [id, Object.fromEntries(each)] as const,
    );
    this.memory
      .update(KEY, Object.fromEntries(next))
      .then(undefined, (error: unknown) =>
        this.log.warn("agent", "Could not save the selected controls", { agentId, error }),
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

/** Appends this entry, replacing one with its name, and keeps the latest `limit` entries. */
function latest<T>(all: Entries<T>, name: string, value: T, limit: number): Entries<T> {
  return [...all.filter(([other]) => other !== name), [name, value] as const].slice(-limit);
}

function entries(value: unknown): Entries<unknown> {
  const fields: Fields = isObject(value) ? value : {};
  return Object.entries(fields);
}

function isValue(value: unknown): value is ControlValue {
  return (typeof value === "string" || typeof value === "boolean") && isShort(value);
}
function isShort(value: ControlValue): boolean {
  return value === true || value === false || value.length <= MAX_VALUE_LENGTH;
}
