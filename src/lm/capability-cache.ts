/** Capabilities that agents reported in their last run. The model picker shows them before an agent is started. */
import { isObject } from "../protocol/wire/json";
import type { AgentFacts } from "../protocol/lm/lm";
import type { Log } from "../log";
import type { Memory } from "../settings/store/persisted-controls";

const IMAGES = "symposium.agentsThatTakeImages",
  CONTEXT = "symposium.agentContextTokens";
const MAX_AGENTS = 200;

export class Learned {
  constructor(
    private readonly memory: Memory,
    private readonly log: Log,
    private readonly changed: () => void,
  ) {}

  takesImages(agentId: string): boolean {
    return this.#kept(IMAGES)[agentId] === true;
  }

  /** Size of the agent's context window in tokens; `undefined` if the agent has not reported it. */
  contextTokens(agentId: string): number | undefined {
    const tokens = this.#kept(CONTEXT)[agentId];
    return typeof tokens === "number" && tokens > 0 ? tokens : undefined;
  }

  learn({ agentId, images, contextTokens }: AgentFacts): void {
    this.#keep(IMAGES, agentId, images);
    this.#keep(CONTEXT, agentId, contextTokens);
  }

  #keep(key: string, agentId: string, fact: boolean | number | undefined): void {
    const { [agentId]: before, ...others } = this.#kept(key);
    if (fact === undefined || before === fact) return;
    const next = Object.fromEntries([...Object.entries(others), [agentId, fact] as const].slice(-MAX_AGENTS));
    const warn = (error: unknown): void =>
      this.log.warn("lm", "Could not save an agent's capabilities", { agentId, error });
    this.memory.update(key, next).then(() => this.changed(), warn);
  }

  #kept(key: string): Readonly<Record<string, unknown>> {
    const kept = this.memory.get(key);
    return isObject(kept) ? kept : {};
  }
}
