/**
 * Keys that the user gave for agents, in the editor's secret storage: one entry for each agent, its variables as JSON.
 * What cannot be read counts as none, and is logged without its content.
 */
import type { Log } from "../../log";
import { isObject } from "../../protocol/json";
import { knownSecrets } from "../../protocol/redaction/redact";

/** Of `vscode.SecretStorage`. */
export interface SecretStore {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, value: string): PromiseLike<void>;
  delete(key: string): PromiseLike<void>;
}

type Variables = Readonly<Record<string, string>>;

export class AgentSecrets {
  /** `onKeys`: called each time keys of an agent are stored or found. */
  constructor(
    private readonly store: SecretStore,
    private readonly log: Pick<Log, "warn">,
    private readonly onKeys: () => void,
  ) {}

  async environment(agentId: string): Promise<Variables> {
    const kept = await this.store.get(keyOf(agentId));
    if (kept === undefined) return {};
    try {
      const value: unknown = JSON.parse(kept);
      if (isObject(value)) {
        const env = Object.fromEntries(
          Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
        );
        hide(env);
        this.#report(env);
        return env;
      }
    } catch {
      /* The parser's message quotes what was kept. */
    }
    this.log.warn("agent", "The keys that are kept for an agent cannot be read", { agentId });
    return {};
  }

  /** In place of those before; none: forgotten. */
  async keep(agentId: string, env: Variables): Promise<void> {
    hide(env);
    await (Object.keys(env).length === 0
      ? this.store.delete(keyOf(agentId))
      : this.store.store(keyOf(agentId), JSON.stringify(env)));
    this.#report(env);
  }

  #report(env: Variables): void {
    if (Object.keys(env).length > 0) this.onKeys();
  }
}

/** From now on they are in no log. */
function hide(env: Variables): void {
  knownSecrets.add(Object.values(env));
}

function keyOf(agentId: string): string {
  return `symposium.agent.${agentId}`;
}
