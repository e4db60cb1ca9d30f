/**
 * Requests of commands to the page. Without a page, some wait for the next one; see `WAITING`. A newer request to open
 * a tab, or to run a command, replaces a waiting one. Every tab from another surface arrives.
 */
import type { ForkedSession, OpenableSession } from "../protocol/sessions/sessions";
import type { HostToPage, MovedTab, PageCommand } from "../protocol/page/host-to-page";
import type { ChatDeps } from "./chat-deps";

/** Commands whose effect the user also expects in a view that the command has just shown. */
const WAITING: readonly PageCommand[] = ["focusPrompt", "moveToEditor", "moveToWindow", "moveToView"];

/** A tab that another surface has shown. */
export interface Arrival {
  readonly tab: MovedTab;
  /** Called before the page receives the tab. Passes the session to this surface. Without effect if called again. */
  takeSession(): void;
  /** Called when the page has received the tab. */
  arrived(): void;
}

type OpenTab = Extract<HostToPage, { type: "openTab" | "forked" }>;

export class PageRequests {
  #tab: OpenTab | undefined;
  #command: PageCommand | undefined;
  readonly #arrivals: Arrival[] = [];

  constructor(private readonly page: ChatDeps["page"]) {}

  /** Makes the page open a tab. `agentId` defaults to the agent for new tabs. */
  openTab(agentId?: string): void {
    this.#requestTab({ type: "openTab", ...(agentId === undefined ? {} : { agentId }) });
  }

  /** Like `openTab`, with the text of a link in the prompt. */
  openDraft(draft: string): void {
    this.#requestTab({ type: "openTab", draft });
  }

  /** Makes the page open or select the tab of a stored session. `entryId`: the entry that a search has found. */
  openSession({ conversation, agentId, cwd }: OpenableSession, entryId?: string): void {
    const entry = entryId === undefined ? {} : { entryId };
    this.#requestTab({ type: "openTab", tabId: conversation, agentId, cwd, ...entry });
  }

  /** Makes the page open the tab of a new branch, with its transcript in the draft. */
  openBranch({ conversation, agentId, cwd, transcript }: ForkedSession): void {
    this.#requestTab({
      type: "forked",
      tabId: conversation,
      agentId,
      cwd,
      ...(transcript === undefined ? {} : { transcript }),
    });
  }

  /** Makes the page open a tab that another surface has shown. */
  openMoved(arrival: Arrival): void {
    if (this.page.isLive) void this.#deliver(arrival);
    else this.#arrivals.push(arrival);
  }

  /** Makes the page run a command in its selected tab. Without a page, the next one runs those in `WAITING`. */
  run(command: PageCommand): void {
    if (this.page.isLive) this.page.post({ type: "runCommand", command });
    else if (WAITING.includes(command)) this.#command = command;
  }

  /** Posts the waiting tabs of existing sessions, because a page without tabs opens an empty one after the state. */
  beforeState(): void {
    for (const arrival of this.#arrivals.splice(0)) void this.#deliver(arrival);
    if (this.#tab?.tabId !== undefined) this.#postTab(this.#tab);
  }

  /** Posts the other waiting requests. A page without tabs opens its first tab itself, with the agent for new tabs. */
  afterState(hasTabs: boolean): void {
    const tab = this.#tab;
    if (tab && (hasTabs || "agentId" in tab || "draft" in tab)) this.#postTab(tab);
    this.#tab = undefined;
    if (this.#command !== undefined) this.page.post({ type: "runCommand", command: this.#command });
    this.#command = undefined;
  }

  async #deliver(arrival: Arrival): Promise<void> {
    arrival.takeSession();
    if (await this.page.deliver({ type: "movedTab", ...arrival.tab })) arrival.arrived();
    else this.openMoved(arrival);
  }

  #requestTab(tab: OpenTab): void {
    if (this.page.isLive) this.page.post(tab);
    else this.#tab = tab;
  }

  #postTab(tab: OpenTab): void {
    this.#tab = undefined;
    this.page.post(tab);
  }
}
