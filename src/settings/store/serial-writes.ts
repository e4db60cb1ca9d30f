/**
 * Changes of settings that are more than a word, from several sides at once. Pure; `configuration.ts` writes.
 *
 * Invariant: one after the other, because each begins with what is there; one that cannot be written does not hold up
 * the next.
 */
import type { SettingName } from "../../names";

export interface WritesDeps {
  /** The user's own value, as it is. */
  value(name: SettingName): unknown;
  /** `undefined`: the key is removed. */
  write(name: SettingName, value: unknown): PromiseLike<void>;
}

export class SerialWrites {
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly deps: WritesDeps) {}

  /**
   * Resolves when it is written; rejects with what the editor says, when it cannot be. What gives back the value that
   * is there writes nothing.
   */
  change(name: SettingName, change: (value: unknown) => unknown): Promise<void> {
    const written = this.#last.then(async () => {
      const before = this.deps.value(name),
        after = change(before);
      if (after !== before) await this.deps.write(name, after);
    });
    this.#last = written.catch(() => undefined);
    return written;
  }
}
