/**
 * Agents whose permission requests are allowed without asking, by the setting `bypassPermissions`. The host owns the
 * settings; a choice made here applies immediately, until the host sends the settings. The bypass of a single session
 * is part of the session's state (`session-questions.ts`) and ends with it.
 */
export interface PermissionPolicy {
  /** The decision for a request of this agent. `allow` means `allow_once`, never more (decisions, row 27). */
  decide(agentId: string): "ask" | "allow";
}

export class BypassPolicy implements PermissionPolicy {
  #agents: ReadonlySet<string>;

  constructor(agentIds: readonly string[]) {
    this.#agents = new Set(agentIds);
  }

  decide(agentId: string): "ask" | "allow" {
    return this.#agents.has(agentId) ? "allow" : "ask";
  }

  /** Replaces the complete list. */
  replace(agentIds: readonly string[]): void {
    this.#agents = new Set(agentIds);
  }

  add(agentId: string): void {
    this.#agents = new Set([...this.#agents, agentId]);
  }
}
