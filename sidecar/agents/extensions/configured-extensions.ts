/**
 * The enabled extensions, in their order from the client to the agent, as the host said last: those of sessions that
 * begin from now on.
 */
import type { ExtensionConfig } from "../../../src/protocol/extensions";

export class ConfiguredExtensions {
  #now: readonly ExtensionConfig[];

  constructor(first: readonly ExtensionConfig[] = []) {
    this.#now = first;
  }

  current(): readonly ExtensionConfig[] {
    return this.#now;
  }

  /** The complete list, in place of the one before. */
  set(extensions: readonly ExtensionConfig[]): void {
    this.#now = extensions;
  }
}
