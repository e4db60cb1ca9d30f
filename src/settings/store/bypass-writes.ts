/**
 * Bypasses on their way into the settings. Pure; `configuration.ts` writes.
 *
 * Invariants: one that is being written, or taken back, counts as that already, so that nothing else that changes
 * meanwhile undoes it; one that could not be written counts no more, and is told.
 */
import { withBypass } from "./agents";

export interface BypassDeps {
  /** One after the other: each begins with what is there. */
  change(change: (value: unknown) => unknown): Promise<void>;
  failed(agentId: string, isOn: boolean, error: unknown): void;
}

interface Pending {
  readonly agentId: string;
  readonly isOn: boolean;
}

export class BypassWrites {
  /** In the order of asking. */
  #pending: readonly Pending[] = [];

  constructor(private readonly deps: BypassDeps) {}

  /** The bypassed agents that the settings name, after what is on its way there. */
  with(bypass: readonly string[]): readonly string[] {
    return this.#pending.reduce(
      (all, { agentId, isOn }) => (isOn ? [...new Set([...all, agentId])] : all.filter(id => id !== agentId)),
      bypass,
    );
  }

  /** Resolves when it is written, or that has failed and is told. */
  async set(agentId: string, isOn: boolean): Promise<void> {
    const pending: Pending = { agentId, isOn };
    this.#pending = [...this.#pending, pending];
    const done = (): void => {
      this.#pending = this.#pending.filter(other => other !== pending);
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
