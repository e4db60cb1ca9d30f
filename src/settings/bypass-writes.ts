/**
 * Bypasses on their way into the settings. Pure; `configuration.ts` writes.
 *
 * Invariants: they are written one after the other, because each begins with what is there; one that is being written counts as
 * written, so that nothing else that changes meanwhile takes it back; one that could not be written counts no more, and is told.
 */
import { withBypass } from "./agents";

export interface BypassWorld {
  /** The user's own value of `symposium.agents`, as it is. */
  value(): unknown;
  write(value: unknown): Promise<void>;
  failed(agentId: string, error: unknown): void;
}

export class BypassWrites {
  #pending: readonly string[] = [];
  #last: Promise<void> = Promise.resolve();

  constructor(private readonly world: BypassWorld) {}

  /** The bypassed agents that the settings name, and those on their way there. */
  with(bypass: readonly string[]): readonly string[] { return [...new Set([...bypass, ...this.#pending])]; }

  /** Resolves when it is written, or that has failed and is told. */
  add(agentId: string): Promise<void> {
    this.#pending = [...this.#pending, agentId];
    return this.#last = this.#last.then(() => this.#write(agentId));
  }

  async #write(agentId: string): Promise<void> {
    const done = (): void => { this.#pending = this.#pending.toSpliced(this.#pending.indexOf(agentId), 1); };
    try {
      await this.world.write(withBypass(this.world.value(), agentId));
      done();
    } catch (error) {
      done();
      this.world.failed(agentId, error);
    }
  }
}
