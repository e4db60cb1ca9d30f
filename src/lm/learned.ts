/** Which agents take images, as they said when they last ran, for models that are shown before their agent is started. */
import { isObject } from "../protocol/json";
import type { Log } from "../log";
import type { Memory } from "../settings/chosen-controls";

const KEY = "symposium.agentsThatTakeImages";
const MOST = 200;

export class Learned {
  constructor(private readonly memory: Memory, private readonly log: Log, private readonly changed: () => void) {}

  takesImages(agentId: string): boolean { return this.#kept()[agentId] === true; }

  learn(agentId: string, images: boolean): void {
    const { [agentId]: before, ...others } = this.#kept();
    if (before === images) return;
    const next = Object.fromEntries([...Object.entries(others), [agentId, images] as const].slice(-MOST));
    this.memory.update(KEY, next).then(() => this.changed(), (error: unknown) => this.log.warn("lm", "What an agent can do could not be kept", { agentId, error }));
  }

  #kept(): Readonly<Record<string, unknown>> {
    const kept = this.memory.get(KEY);
    return isObject(kept) ? kept : {};
  }
}
