/**
 * Pending writes of bypasses to the settings. Pure; `configuration.ts` writes.
 *
 * Invariants:
 * - A pending change is effective immediately, so that another change in the meantime does not undo it.
 * - A failed write is reverted and reported.
 */
import { withBypass } from "./agents";

export interface BypassDeps {
  /** Changes are serialized: each starts from the current value. */
  change(change: (value: unknown) => unknown): Promise<void>;
  failed(agentId: string, isOn: boolean, error: unknown): void;
}

interface Pending {
  readonly agentId: string;
  readonly isOn: boolean;
}

export class BypassWrites {
  /** In the order of the calls. */
  #pending: readonly Pending[] = [];

  constructor(private readonly deps: BypassDeps) {}

  /** The bypassed agents of the settings after all pending changes. */
  with(bypass: readonly string[]): readonly string[] {
    return this.#pending.reduce(
      (all, { agentId, isOn }) => (isOn ? [...new Set([...all, agentId])] : all.filter(id => id !== agentId)),
      bypass,
    );
  }

  /** Resolves when the change is written, or has failed and is reported. */
  async set(agentId: string, isOn: boolean): Promise<void> {
    const pending: Pending = { agentId, isOn };
    this.#pending = [...this.#pending, pending];
    const done = (): void => {
      this.#pending = this.#pending.filter(otherPending => otherPending !== pending);
    };
    try {
      await this.deps.change(value => withBypass(value, agentId, isOn));
      done();
    } catch (error) {
      done();
      this.deps.failed(agentId, isOn, error);
    }
  }
}
