/** What the walkthrough ticks off when it has happened, told to VS Code as keys of `when` clauses. */
import { CONTEXTS } from "../names";
import { ELIZA } from "../protocol/agents";
import type { ChatEvent } from "../protocol/chat";

type Milestone = keyof typeof CONTEXTS;

export class Milestones {
  readonly #reached = new Set<Milestone>();

  /** `set`: VS Code's `setContext`. */
  constructor(private readonly set: (key: string, value: boolean) => void) {}

  /** The agent of new tabs. */
  agent(id: string): void { if (id !== ELIZA.id) this.#reach("agentChosen"); }

  /** In any tab. */
  event(event: ChatEvent): void { if (event.type === "upsert" && event.entry.kind === "agent") this.#reach("answered"); }

  #reach(milestone: Milestone): void {
    if (this.#reached.has(milestone)) return;
    this.#reached.add(milestone);
    this.set(CONTEXTS[milestone], true);
  }
}
