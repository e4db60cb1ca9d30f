/** Capabilities that agents reported in their last run. The model picker shows them before an agent is started. */
import { isObject } from "../protocol/wire/json";
import type { AgentFacts } from "../protocol/lm/lm";
import type { Log } from "../log";
import type { KeyValueStore } from "../settings/store/persisted-controls";

const IMAGES = "symposium.agentsThatTakeImages",
  CONTEXT = "symposium.agentContextTokens";
const MAX_AGENTS = 200;

export class CapabilityCache {
  constructor(
    private readonly memory: KeyValueStore,
    private readonly log: Log,
    private readonly changed: () => void,
  ) {}

  takesImages(agentId: string): boolean {
    return this.#stored(IMAGES)[agentId] === true;
  }

  /** Size of the agent's context window in tokens; `undefined` if the agent has not reported it. */
  contextTokens(agentId: string): number | undefined {
    const tokens = this.#stored(CONTEXT)[agentId];
    return typeof tokens === "number" && tokens > 0 ? tokens : undefined;
  }

  learn({ agentId, images, contextTokens }: AgentFacts): void {
    this.#keep(IMAGES, agentId, images);
    this.#keep(CONTEXT, agentId, contextTokens);
  }

  #keep(key: string, agentId: string, fact: boolean | number | undefined): void {
    const { [agentId]: before, ...others } = this.#stored(key);
    if (fact === undefined || before === fact) return;
    const next = Object.fromEntries([...Object.entries(others), [agentId, fact] as const].slice(-MAX_AGENTS));
    const warn = (error: unknown): void =>
      this.log.warn("lm", "Could not save an agent's capabilities", { agentId, error });
    this.memory.update(key, next).then(() => this.changed(), warn);
  }

  #stored(key: string): Readonly<Record<string, unknown>> {
    const stored = this.memory.get(key);
    return isObject(stored) ? stored : {};
  }
}
