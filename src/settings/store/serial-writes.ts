/**
 * Serializes read-modify-write changes of settings. Pure; `configuration.ts` writes.
 *
 * Invariant: changes run one after the other, because each starts from the current value. A failed write does not block
 * the next.
 */
import type { SettingName } from "../../names";

export interface WritesDeps {
  /** The user's raw value. */
  value(name: SettingName): unknown;
  /** `undefined` removes the key. */
  write(name: SettingName, value: unknown): PromiseLike<void>;
}

export class SerialWrites {
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly deps: WritesDeps) {}

  /**
   * Resolves when the value is written; rejects with the editor's error. If `change` returns the same value, nothing is
   * written.
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
