/**
 * Who is allowed without asking. One interface for whatever rules come later; today the setting `bypassPermissions` of an
 * agent is the only one. The settings are the host's; until they come back, a choice made here counts already.
 */
export interface PermissionPolicy {
  /** What to do with a request of this agent. `allow` is `allow_once`, never more (decisions, row 27). */
  decide(agentId: string): "ask" | "allow";
}

export class BypassPolicy implements PermissionPolicy {
  #agents: ReadonlySet<string>;

  constructor(agentIds: readonly string[]) { this.#agents = new Set(agentIds); }

  decide(agentId: string): "ask" | "allow" { return this.#agents.has(agentId) ? "allow" : "ask"; }

  /** The complete list, in place of the one before. */
  replace(agentIds: readonly string[]): void { this.#agents = new Set(agentIds); }

  add(agentId: string): void { this.#agents = new Set([...this.#agents, agentId]); }
}
