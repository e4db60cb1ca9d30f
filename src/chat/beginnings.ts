/** With what a tab's session begins: which agent, in which folder, and what of it the page still shows. */
import { agentReplaced } from "../errors";
import type { NewChat } from "../protocol/sidecar";
import type { TabId, TabPosition } from "../protocol/webview";
import type { ChatWorld } from "./chat-world";

export class Beginnings {
  /** Per tab, its agent's name. */
  readonly #agents = new Map<TabId, string>();
  /** Until the last choice of the agent of new tabs is in the settings. */
  #selecting: Promise<void> = Promise.resolve();

  constructor(private readonly world: Pick<ChatWorld, "settings" | "selectAgent" | "folders" | "chosen">) {}

  agentOf(tabId: TabId): string { return this.#agents.get(tabId) ?? "the agent"; }
  forget(tabId: TabId): void { this.#agents.delete(tabId); }

  async selectAgent(agentId: string): Promise<void> {
    if (!this.world.settings().agents.some(({ id }) => id === agentId)) throw new Error(`There is no agent with the id ${agentId}.`);
    const selected = this.world.selectAgent(agentId);
    this.#selecting = selected.catch(() => undefined); // who chose it is told
    await selected;
  }

  /** `agentId`: of the agent that the tab had; absent: the one of new tabs, also when that is only just being chosen. May ask the user. */
  of(tabId: TabId, { agentId, cwd, shown }: Pick<TabPosition, "agentId" | "cwd" | "shown">, why?: string): () => Promise<NewChat> {
    const selecting = this.#selecting;
    return async () => {
      await selecting;
      const { agents, currentAgentId, protocolV2 } = this.world.settings();
      const agent = agents.find(({ id }) => id === agentId) ?? agents.find(({ id }) => id === currentAgentId);
      if (!agent) throw new Error(`No agent has the id ${currentAgentId}.`);
      this.#agents.set(tabId, agent.name);
      const replaced = agentId === undefined || agent.id === agentId ? [] : [agentReplaced(agentId, agent.name)];
      const sentences = shown.length === 0 || why === undefined ? [] : [why, ...replaced];
      const folder = cwd !== undefined && this.world.folders.isOurs(cwd) ? cwd : await this.world.folders.choose();
      const controls = this.world.chosen.of(agent.id), folders = this.world.folders.all;
      return {
        agent, cwd: folder, shown, ...(sentences.length === 0 ? {} : { why: sentences.join(" ") }), ...(controls === undefined ? {} : { controls }), ...(protocolV2 ? { protocol: 2 } : {}),
        ...(folders.length > 1 ? { folders } : {}),
      };
    };
  }
}
