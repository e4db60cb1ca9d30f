/**
 * Allows the permission requests of agents in the setting `bypassPermissions` without asking. The host owns the
 * setting. An added agent is allowed immediately, and the next settings of the host replace the list.
 *
 * The bypass of one session is part of the session's state (`chat/session-questions.ts`).
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
