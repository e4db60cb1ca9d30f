/**
 * The enabled extensions in order from the client to the agent, as last sent by the host. New sessions use this list.
 */
import type { ExtensionConfig } from "../../../src/protocol/agents/extensions";

export class ConfiguredExtensions {
  #extensions: readonly ExtensionConfig[];

  constructor(initial: readonly ExtensionConfig[] = []) {
    this.#extensions = initial;
  }

  current(): readonly ExtensionConfig[] {
    return this.#extensions;
  }

  /** Replaces the complete list. */
  set(extensions: readonly ExtensionConfig[]): void {
    this.#extensions = extensions;
  }
}
