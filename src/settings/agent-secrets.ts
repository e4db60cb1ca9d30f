/**
 * Keys that the user gave for agents, in the editor's secret storage: one entry for each agent, its variables as JSON. What cannot be read counts as none, and is
 * logged without its content.
 */
import type { Log } from "../log";
import { isObject } from "../protocol/json";

/** Of `vscode.SecretStorage`. */
export interface SecretStore { get(key: string): PromiseLike<string | undefined>; store(key: string, value: string): PromiseLike<void>; delete(key: string): PromiseLike<void> }

type Variables = Readonly<Record<string, string>>;

export class AgentSecrets {
  constructor(private readonly store: SecretStore, private readonly log: Pick<Log, "warn">) {}

  async environment(agentId: string): Promise<Variables> {
    const kept = await this.store.get(keyOf(agentId));
    if (kept === undefined) return {};
    try {
      const value: unknown = JSON.parse(kept);
      if (isObject(value)) return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"));
    } catch { /* The parser's message quotes what was kept. */ }
    this.log.warn("agent", "The keys that are kept for an agent cannot be read", { agentId });
    return {};
  }

  /** In place of those before; none: forgotten. */
  async keep(agentId: string, env: Variables): Promise<void> {
    await (Object.keys(env).length === 0 ? this.store.delete(keyOf(agentId)) : this.store.store(keyOf(agentId), JSON.stringify(env)));
  }
}

function keyOf(agentId: string): string { return `symposium.agent.${agentId}`; }
