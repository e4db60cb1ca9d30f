/**
 * The enabled extensions in order from the client to the agent, as last sent by the host. They apply to new sessions.
 */
import type { ExtensionConfig } from "../../../src/protocol/agents/extensions";

export class ConfiguredExtensions {
  #now: readonly ExtensionConfig[];

  constructor(first: readonly ExtensionConfig[] = []) {
    this.#now = first;
  }

  current(): readonly ExtensionConfig[] {
    return this.#now;
  }

  /** Replaces the complete list. */
  set(extensions: readonly ExtensionConfig[]): void {
    this.#now = extensions;
  }
}
