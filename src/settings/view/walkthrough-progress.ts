/**
 * Completed steps of the walkthrough, set in VS Code as keys of `when` clauses: also those that were done before it was
 * opened.
 */
import { CONTEXTS, SETTINGS, type SettingName } from "../../names";
import { ELIZA } from "../../protocol/agents";
import type { ChatEvent } from "../../protocol/chat";

type Milestone = keyof typeof CONTEXTS;

/** Settings that the chat and the commands write, too: a value does not show that the user has used the settings. */
const WRITTEN_ELSEWHERE: ReadonlySet<string> = new Set<SettingName>([
  "symposium.agents",
  "symposium.currentAgentId",
  "symposium.extensions",
  "symposium.bypassPermissions",
]);
const OWN_SETTINGS = (Object.keys(SETTINGS) as SettingName[]).filter(name => !WRITTEN_ELSEWHERE.has(name));

export class Milestones {
  readonly #reached = new Set<Milestone>();

  /** `set`: VS Code's `setContext`, which a restart forgets; `memory` keeps what was reached before it. */
  constructor(
    private readonly set: (key: string, value: boolean) => void,
    private readonly memory: { get(key: string): unknown; update(key: string, value: true): PromiseLike<void> },
  ) {
    for (const [milestone, key] of Object.entries(CONTEXTS) as [Milestone, string][])
      if (memory.get(key) === true) this.#reach(milestone);
  }

  /** The agent of new tabs. */
  agent(id: string): void {
    if (id !== ELIZA.id) this.#reach("agentChosen");
  }

  /** In any tab; `agentId`: of its agent, if that is known. */
  event(event: ChatEvent, agentId: string | undefined): void {
    if (event.type !== "upsert") return;
    const { entry } = event;
    if (entry.kind === "user" && (entry.attachments ?? []).length > 0) this.#reach("contextAdded");
    if (entry.kind !== "agent") return;
    this.#reach("answered");
    // An agent that needs a sign-in does not answer without one. Eliza never needs it.
    if (agentId !== undefined && agentId !== ELIZA.id) this.#reach("signedIn");
  }

  /** A key of an agent is in the secret storage. */
  keyStored(): void {
    this.#reach("signedIn");
  }

  /** As a page or as a view. */
  settingsOpened(): void {
    this.#reach("settingsUsed");
  }

  /** `ownValue`: the user's own value of a setting; undefined if there is none. */
  settings(ownValue: (name: SettingName) => unknown): void {
    if (OWN_SETTINGS.some(name => ownValue(name) !== undefined)) this.#reach("settingsUsed");
  }

  #reach(milestone: Milestone): void {
    if (this.#reached.has(milestone)) return;
    this.#reached.add(milestone);
    this.set(CONTEXTS[milestone], true);
    if (this.memory.get(CONTEXTS[milestone]) !== true) void this.memory.update(CONTEXTS[milestone], true);
  }
}
