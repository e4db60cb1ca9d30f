/**
 * Agents whose permission requests are allowed without asking, by the setting `bypassPermissions`. The host owns the
 * settings; until it sends them back, a choice made here counts already. The bypass of one session is not kept here: it
 * is part of the session's state (`session-questions.ts`) and ends with it.
 */
export interface PermissionPolicy {
  /** What to do with a request of this agent. `allow` is `allow_once`, never more (decisions, row 27). */
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

  /** The complete list, in place of the one before. */
  replace(agentIds: readonly string[]): void {
    this.#agents = new Set(agentIds);
  }

  add(agentId: string): void {
    this.#agents = new Set([...this.#agents, agentId]);
  }
}
