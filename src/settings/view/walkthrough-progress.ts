/** Sets completed steps of the walkthrough as VS Code context keys, including steps completed before it was opened. */
import type { Clock } from "../../clock";
import { CONTEXTS, SETTINGS, type SettingName } from "../../names";
import { ELIZA } from "../../protocol/agents/agents";
import type { ChatEvent } from "../../protocol/chat/chat";

type Milestone = keyof typeof CONTEXTS;

/** Settings that the chat and the commands also write. A value does not prove that the user has used the settings. */
const WRITTEN_ELSEWHERE: ReadonlySet<string> = new Set<SettingName>([
  "symposium.agents",
  "symposium.currentAgentId",
  "symposium.extensions",
  "symposium.bypassPermissions",
]);
const OWN_SETTINGS = (Object.keys(SETTINGS) as SettingName[]).filter(name => !WRITTEN_ELSEWHERE.has(name));

/**
 * VS Code registers the walkthrough up to 5 seconds after the start of a window, and never ticks off a step whose key
 * was set before.
 */
const REGISTRATION_MS = 10_000;

export class Milestones {
  readonly #reached = new Set<Milestone>();
  readonly #registration: { dispose(): void };
  #isRegistered = false;

  /** `set`: VS Code's `setContext`, whose keys are lost on restart. `memory` persists reached milestones. */
  constructor(
    private readonly set: (key: string, value: boolean) => void,
    private readonly memory: { get(key: string): unknown; update(key: string, value: true): PromiseLike<void> },
    clock: Clock,
  ) {
    this.#registration = clock.after(REGISTRATION_MS, () => {
      this.#isRegistered = true;
      for (const milestone of this.#reached) this.set(CONTEXTS[milestone], true);
    });
    for (const [milestone, key] of Object.entries(CONTEXTS) as [Milestone, string][])
      if (memory.get(key) === true) this.#reach(milestone);
  }

  /** Called with the agent for new tabs. */
  agent(id: string): void {
    if (id !== ELIZA.id) this.#reach("agentChosen");
  }

  /** `agentId`: the agent of the event's tab, if known. */
  event(event: ChatEvent, agentId: string | undefined): void {
    if (event.type !== "upsert") return;
    const { entry } = event;
    if (entry.kind === "user" && (entry.attachments ?? []).length > 0) this.#reach("contextAdded");
    if (entry.kind !== "agent") return;
    this.#reach("answered");
    // An agent that requires a sign-in does not answer without one. Eliza never requires it.
    if (agentId !== undefined && agentId !== ELIZA.id) this.#reach("signedIn");
  }

  /** Called when a key of an agent is in the secret storage. */
  keyStored(): void {
    this.#reach("signedIn");
  }

  /** Called for the page and for the view. */
  settingsOpened(): void {
    this.#reach("settingsUsed");
  }

  /** `ownValue`: the user's own value of a setting; undefined if unset. */
  settings(ownValue: (name: SettingName) => unknown): void {
    if (OWN_SETTINGS.some(name => ownValue(name) !== undefined)) this.#reach("settingsUsed");
  }

  dispose(): void {
    this.#registration.dispose();
  }

  #reach(milestone: Milestone): void {
    if (this.#reached.has(milestone)) return;
    this.#reached.add(milestone);
    if (this.#isRegistered) this.set(CONTEXTS[milestone], true);
    if (this.memory.get(CONTEXTS[milestone]) !== true) void this.memory.update(CONTEXTS[milestone], true);
  }
}
