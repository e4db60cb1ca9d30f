/**
 * API keys that the user entered for agents, in the editor's secret storage. One entry per agent holds its variables as
 * JSON. An unreadable entry counts as absent and is logged without its content.
 */
import type { Log } from "../../log";
import { isObject } from "../../protocol/wire/json";
import { knownSecrets } from "../../protocol/redaction/redact";

/** The subset of `vscode.SecretStorage` that is used. */
export interface SecretStore {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, value: string): PromiseLike<void>;
  delete(key: string): PromiseLike<void>;
}

type Variables = Readonly<Record<string, string>>;

export class AgentSecrets {
  /** `onKeys` is called each time keys of an agent are stored or loaded. */
  constructor(
    private readonly store: SecretStore,
    private readonly log: Pick<Log, "warn">,
    private readonly onKeys: () => void,
  ) {}

  async environment(agentId: string): Promise<Variables> {
    const stored = await this.store.get(keyOf(agentId));
    if (stored === undefined) return {};
    try {
      const value: unknown = JSON.parse(stored);
      if (isObject(value)) {
        const env = Object.fromEntries(
          Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
        );
        hide(env);
        this.#report(env);
        return env;
      }
    } catch {
      /* The parser's message would quote the secret. */
    }
    this.log.warn("agent", "Could not read the stored keys of an agent", { agentId });
    return {};
  }

  /** Replaces the agent's keys; an empty object deletes them. */
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

/** Excludes these values from all logs. */
function hide(env: Variables): void {
  knownSecrets.add(Object.values(env));
}

function keyOf(agentId: string): string {
  return `symposium.agent.${agentId}`;
}
