/**
 * Routes messages between the page and the sidecar. Maps tabs to sessions and sessions to tabs. Never inspects the
 * content of a conversation.
 *
 * Invariants:
 * - A prompt waits for the session of its tab, in order with the page's other messages about that tab.
 * - A failure is shown in its tab, or in a notification if it has no tab. Failures that the page retries are not shown.
 * - In an untrusted workspace, conversations can only be read: no tab is opened and no prompt is sent.
 */
import { NOT_TRUSTED, SidecarExited, SidecarRefused, SidecarUnavailable } from "../errors";
import type { Attachment } from "../protocol/chat/attachments";
import type { ActionId, SessionId } from "../protocol/chat/chat";
import { ErrorCode } from "../protocol/wire/errors";
import type { ActionMessage, ActionMethods, ActionName } from "../protocol/chat/session-actions";
import type { SidecarToHost } from "../protocol/sidecar";
import type { PageToHost, TabId, TabPosition } from "../protocol/page/host-to-page";
import type { ParamsOf } from "../protocol/wire/wire";
import type { SidecarPhase } from "../sidecar/restart-policy";
import { SessionStarts, type StartPosition } from "./session-start";
import type { ChatDeps } from "./chat-deps";
import { ComposerRoutes } from "./composer-routes";
import { PageRequests } from "./page-requests";
import { EditorRoutes } from "./editor-routes";
import { PageResume } from "./page-resume";
import { handleReview, type ForkRequest } from "./review-routes";
import { blocksOf, PromptDedup, type Prompt } from "./prompt-dedup";
import { isWindowClosing, sidecarState } from "./sidecar-state";
import { TabSessions, type OpenSession } from "./tab-sessions";

export class ChatController {
  /** Requests of commands to the page. */
  readonly requests: PageRequests;
  readonly #sessions: TabSessions;
  #selected: TabId | undefined;
  readonly #prompts = new PromptDedup();
  readonly #starts: SessionStarts;
  readonly #composer: ComposerRoutes;
  readonly #editor: EditorRoutes;
  /** The last reported value of `outdatedTabs`. */
  #outdated: readonly TabId[] = [];
  readonly #pageResume: PageResume;

  /** `starts` is shared by all surfaces. */
  constructor(
    private readonly deps: ChatDeps,
    starts = new SessionStarts(deps),
  ) {
    this.requests = new PageRequests(deps.page);
    this.#sessions = new TabSessions(() => deps.sidecar.client());
    this.#starts = starts;
    this.#pageResume = new PageResume(deps, this.#sessions, position => this.#open(position));
    this.#composer = new ComposerRoutes(deps);
    this.#editor = new EditorRoutes(deps, this.#starts);
  }

  get tabs(): readonly TabId[] {
    return this.#sessions.ids;
  }

  /** `undefined`: no tab of this surface has the session. */
  tabOf(sessionId: SessionId): TabId | undefined {
    return this.#sessions.tabOf(sessionId);
  }

  /** `undefined`: the tab has no open session. */
  sessionOf(tabId: TabId): SessionId | undefined {
    return this.#sessions.sessionOf(tabId);
  }

  /** The selected tab, while the page is visible. */
  get shownTab(): TabId | undefined {
    return this.deps.page.isLive ? this.#selected : undefined;
  }

  /** Tabs whose settings have changed since their session started. */
  get outdatedTabs(): readonly TabId[] {
    return this.#starts.outdated(this.tabs.filter(tabId => this.#sessions.kind(tabId) !== "lost"));
  }

  /** Handles a message of the page. Rejects with the error that the tab also shows, for callers other than the page. */
  async handle(message: PageToHost): Promise<void> {
    try {
      await this.#route(message);
    } catch (error) {
      this.#failed(message, error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
  }

  #route(message: PageToHost): Promise<void> | void {
    switch (message.type) {
      case "webviewReady":
        return this.#pageReady(message.tabs);
      case "newTab":
        return this.#newTab({ start: "empty", ...message });
      case "takeOver":
        return this.#newTab({ ...message, start: "takeOver" });
      case "forkSession":
        return this.#fork(message);
      case "openSession":
        return this.#openStored(message.conversation);
      case "moveTab": {
        const { type: _, to, ...tab } = message;
        return this.deps.others.move(tab, to);
      }
      case "openInView":
        return this.deps.others.openInView(message.agentId);
      case "titleChanged":
        return this.deps.others.titleChanged(message.title);
      case "closeTab":
        return void this.closeSession(message.tabId);
      case "selectTab":
        this.#selected = message.tabId;
        this.deps.shownTabChanged?.();
        return;
      case "focusChanged":
        this.deps.focusChanged?.(message.hasFocus);
        return;
      case "prompt":
        return this.#prompts.send(message, prompt => this.#forward(prompt));
      case "findMentions":
        return this.#composer.find(message);
      case "requestContext":
        return this.#composer.requestContext(message);
      case "bypass":
        return this.#toSession(message.tabId, session => this.#bypass(session, message.tabId));
      case "action":
        return this.#performAction(message.tabId, message.action);
      case "selectAgent":
        return this.#starts.selectAgent(message.agentId);
      case "disableExtensions":
        return this.deps.firstScreen.disable(message.ids);
      case "previewExtensions":
        return this.deps.firstScreen.preview();
      case "openLink":
      case "openDiff":
      case "openText":
      case "openTerminal":
      case "insertCode":
      case "applyCode":
      case "findFiles":
      case "openSymbol":
        return this.#editor.handle(message);
      case "review":
      case "rewind":
        return this.#toSession(message.tabId, () => handleReview(message, this.deps, fork => this.#fork(fork)));
      case "ack":
        return;
      case "log":
        this.deps.log.emit({ timestamp: new Date(), category: "webview", ...message });
        return;
      case "withdraw":
        this.#prompts.withdraw(message.messageId);
        return this.#forwardAction(message);
      default:
        return this.#forwardAction(message);
    }
  }

  /** Forwards an event of the sidecar to the page without inspecting it. */
  event({ sessionId, ...event }: ParamsOf<SidecarToHost, "chat/event">): void {
    const tabId = this.#sessions.tabOf(sessionId);
    if (tabId === undefined) return; // late: the tab is closed
    this.deps.page.post({ type: "event", tabId, ...event });
    this.deps.forwarded(tabId, event.event, this.#starts.agentIdOf(tabId));
  }

  snapshot({ sessionId, ...snapshot }: ParamsOf<SidecarToHost, "chat/snapshot">): void {
    const tabId = this.#sessions.tabOf(sessionId);
    if (tabId !== undefined) this.deps.page.post({ type: "snapshot", tabId, ...snapshot });
  }

  phaseChanged(phase: SidecarPhase): void {
    if (isWindowClosing(phase)) return;
    // Also when the next sidecar starts, because a stopping sidecar may still have opened a session.
    if (phase.kind !== "running") this.#sessions.lost();
    if (phase.kind === "failed") this.#sessions.refuse(new SidecarUnavailable(phase.message));
    this.postState();
    if (phase.kind === "running" && this.#sessions.isAnyWithoutSession) this.deps.page.post({ type: "requestReplay" });
  }

  /** Called when the user trusts the workspace, after the replacement of the read-only sidecar. */
  trustGranted(): void {
    this.postState();
    this.deps.page.post({ type: "requestReplay" });
  }

  /** Call it after a change of the settings, the tabs or the sidecar. */
  postState(selected?: TabId): void {
    const { agents, currentAgentId, requireModifier } = this.deps.settings(),
      outdated = this.outdatedTabs,
      bypassed = this.#starts.bypassed(this.tabs);
    this.deps.page.post({
      type: "state",
      agents: agents.map(({ id, name }) => ({ id, name })),
      currentAgentId,
      tabs: this.tabs,
      sidecar: sidecarState(this.deps.sidecar.phase, this.deps.isTrusted()),
      ...(requireModifier ? { requireModifier } : {}),
      ...(outdated.length === 0 ? {} : { outdated }),
      ...(bypassed.length === 0 ? {} : { bypassed }),
      // Sent only to a page that has lost its selection; otherwise the page's own selection is newer.
      ...(selected === undefined ? {} : { selected }),
    });
    if (outdated.join() === this.#outdated.join()) return;
    this.#outdated = outdated;
    this.deps.outdatedChanged?.(outdated);
  }

  codeColorsChanged(): void {
    void this.#editor.codeColorsChanged();
  }

  /** Closes the tab and its session. Without a page, the tab stays open, because the next page restores it. */
  async closeTab(tabId: TabId): Promise<void> {
    if (!this.deps.page.isLive) return;
    this.deps.page.post({ type: "closeTab", tabId });
    await this.closeSession(tabId);
  }

  /** Passes the tab with its session to another surface. No effect on tabs of other surfaces. */
  pass(tabId: TabId, target: ChatController): void {
    this.#sessions.pass(tabId, target.#sessions);
    if (this.#selected === tabId) this.#selected = undefined;
  }

  /** Adds attachments and lines of text to the selected tab's draft, or queues them for the next page. */
  attach(attachments: readonly Attachment[], ...lines: readonly string[]): Promise<void> {
    return this.#composer.attach(attachments, ...lines);
  }

  /**
   * Call after the selection of an agent by a command or a button. The selected tab starts it, or offers a new tab if
   * it has an answer. `false`: no tab is visible.
   */
  async agentSelected(agentId: string): Promise<boolean> {
    const tabId = this.#selected;
    return tabId !== undefined && (await this.deps.page.deliver({ type: "agentSelected", tabId, agentId }));
  }

  /** Restarts the agent of the selected tab. `false`: no tab is open. */
  async restartAgent(): Promise<boolean> {
    const tabId = this.#selected !== undefined && this.tabs.includes(this.#selected) ? this.#selected : this.tabs[0];
    if (tabId === undefined) return false;
    await this.handle({ type: "action", tabId, action: "restartAgent" });
    return true;
  }

  /** Deletes all stored conversations and returns their number. Rejects with a message for the user. */
  async deleteHistory(): Promise<number> {
    if (!this.deps.isTrusted()) throw new SidecarUnavailable(NOT_TRUSTED);
    const client = await this.deps.sidecar.client();
    return (await client.request("history/delete", {})).count;
  }

  restartSidecar(): void {
    if (this.deps.isTrusted()) this.deps.sidecar.restart();
    else this.deps.notify(NOT_TRUSTED, ["manageTrust"]);
  }

  dispose(): void {
    this.#composer.dispose();
    this.#sessions.dispose();
  }

  async #pageReady(positions: readonly TabPosition[]): Promise<void> {
    const hasTabs = this.tabs.length > 0 || positions.length > 0;
    this.deps.shownTabChanged?.();
    for (const position of positions)
      if (!this.deps.others.isElsewhere(position.tabId)) void this.#pageResume.replay(position);
    this.requests.beforeState();
    this.postState(positions.length === 0 ? this.#selected : undefined);
    this.requests.afterState(hasTabs);
    this.deps.firstScreen.refresh();
    void this.#editor.pageReady();
    void this.#composer.pageReady();
    // Start the sidecar without waiting for the first tab.
    if (this.deps.isTrusted()) await this.deps.sidecar.client().catch(() => undefined); // the state shows the reason
  }

  async #newTab(position: StartPosition): Promise<void> {
    if (this.#sessions.kind(position.tabId) !== undefined) return;
    if (!this.deps.isTrusted()) throw new SidecarUnavailable(NOT_TRUSTED);
    const opening = this.#open(position);
    this.postState();
    this.deps.firstScreen.refresh();
    await opening;
  }

  async #open(position: StartPosition): Promise<void> {
    await this.#sessions.open(position.tabId, this.#starts.of(position));
  }

  /** The conversation of a tab has the tab's id. */
  async #fork({ tabId, newId, before, choosesAgent }: ForkRequest): Promise<void> {
    if (!this.deps.isTrusted()) throw new SidecarUnavailable(NOT_TRUSTED);
    const agent = choosesAgent ? await this.deps.pickAgent(this.#starts.agentIdOf(tabId)) : undefined;
    if (choosesAgent && agent === undefined) return;
    const client = await this.deps.sidecar.client();
    this.requests.openBranch(
      await client.request("sessions/fork", {
        conversation: tabId,
        newId,
        ...(before === undefined ? {} : { before }),
        ...(agent === undefined ? {} : { agent }),
      }),
    );
  }

  async #openStored(conversation: string): Promise<void> {
    const client = await this.deps.sidecar.client();
    this.deps.others.openSession(await client.request("sessions/open", { ref: { kind: "stored", conversation } }));
  }

  /** Closes the session of a tab that its page has closed. */
  closeSession(tabId: TabId): Promise<void> {
    const closing = this.#sessions.close(tabId);
    this.#starts.forget(tabId);
    this.deps.tabClosed?.(tabId);
    if (this.#selected === tabId) this.#selected = undefined;
    this.postState();
    return closing;
  }

  async #forward(prompt: Prompt): Promise<void> {
    const { tabId, messageId } = prompt;
    if (!this.deps.isTrusted()) throw new SidecarUnavailable(NOT_TRUSTED);
    // The session's error is that of the opening.
    if (this.#sessions.kind(tabId) === "lost") this.#open({ tabId }).catch(() => undefined);
    const { client, sessionId } = await this.#sessions.session(tabId);
    if (this.#prompts.isWithdrawn(messageId)) return;
    await client.request("chat/prompt", { sessionId, messageId, blocks: blocksOf(prompt) });
  }

  /** Sends to the tab's session. Drops the message if the session is lost or does not exist. */
  async #toSession(tabId: TabId, send: (session: OpenSession) => Promise<unknown>): Promise<void> {
    const kind = this.#sessions.kind(tabId);
    if (kind === "open" || kind === "opening") await send(await this.#sessions.session(tabId));
  }

  /** If the session ends during the confirmation, nothing is allowed. */
  async #bypass({ client, sessionId }: OpenSession, tabId: TabId): Promise<void> {
    const until = await this.deps.confirmBypass(this.#starts.agentOf(tabId));
    if (until !== undefined && this.#sessions.tabOf(sessionId) === tabId)
      await client.request("chat/bypass", { sessionId, until });
  }

  /** Forwards an action of the user to the session, under the same name and with the same parameters. */
  #forwardAction({ type, tabId, ...params }: ActionMessage): Promise<void> {
    return this.#toSession(tabId, ({ client, sessionId }) =>
      client.request(`chat/${type}`, { sessionId, ...params } as ParamsOf<ActionMethods, `chat/${ActionName}`>),
    );
  }

  async #performAction(tabId: TabId, action: ActionId): Promise<void> {
    switch (action) {
      case "sendAgain":
      case "sendTranscript":
      case "takeOver":
      case "openOrigin":
        return; // handled by the page
      case "restartSidecar":
        return this.restartSidecar();
      case "addToConfiguration":
        return this.#addToConfiguration(tabId);
      case "restartAgent":
        return this.#toSession(tabId, ({ client, sessionId }) => client.request("chat/restartAgent", { sessionId }));
      default:
        return this.deps.perform(action);
    }
  }

  async #addToConfiguration(tabId: TabId): Promise<void> {
    const agentId = this.#starts.agentIdOf(tabId);
    if (agentId !== undefined) await this.deps.addToConfiguration(agentId);
  }

  #failed(message: PageToHost, error: Error): void {
    const { page, log } = this.deps;
    const tabId = "tabId" in message ? message.tabId : undefined;
    log.warn("webview", "A page request failed", {
      type: message.type,
      ...(tabId === undefined ? {} : { tabId }),
      error,
      cause: error.cause,
    });
    // The page sends pending messages again when it requests its state, also the page of the next window.
    if (error instanceof SidecarExited || isWindowClosing(this.deps.sidecar.phase)) return;
    if (tabId !== undefined && error instanceof SidecarRefused && error.code === ErrorCode.unknownSession) {
      this.#sessions.forget(tabId);
      this.postState();
      return page.post({ type: "requestReplay" });
    }
    if (tabId === undefined) return this.deps.notify(error.message, []);
    if (message.type === "prompt") this.#prompts.failed(message.messageId, error.message);
    page.post({
      type: "failed",
      tabId,
      ...(message.type === "prompt" ? { messageId: message.messageId } : {}),
      message: error.message,
      ...(message.type === "newTab" || message.type === "takeOver" ? { noSession: true } : {}),
    });
  }
}
