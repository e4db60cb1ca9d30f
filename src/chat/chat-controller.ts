/**
 * Between the page and the sidecar: finds the session of a tab and the tab of a session, and hands over. What a
 * conversation holds is never looked into.
 *
 * Invariants: a prompt waits for the session of its tab, in order with what else the page says about that tab; whatever fails is said
 * in the tab that it belongs to (by VS Code when it belongs to none), unless the page repeats it by itself; in a workspace that is not trusted nothing is started.
 */
import type { WorkingFolders } from "../editor/working-folders";
import { agentReplaced, NOT_TRUSTED, SIDECAR_RESTARTED, SidecarGone, SidecarRefused, SidecarUnavailable, WINDOW_RELOADED } from "../errors";
import type { Log } from "../log";
import type { ActionId, ChatEvent } from "../protocol/chat";
import { ErrorCode } from "../protocol/errors";
import type { HostToSidecar, NewChat, SidecarToHost } from "../protocol/sidecar";
import type { Change, HostToPage, PageToHost, TabId, TabPosition } from "../protocol/webview";
import { assertNever, type ParamsOf } from "../protocol/wire";
import type { ChosenControls } from "../settings/chosen-controls";
import type { Settings } from "../settings/settings";
import type { SidecarClient } from "../sidecar-client";
import type { SidecarPhase } from "../sidecar-policy";
import { GAVE_UP, sidecarState } from "./sidecar-state";
import { TabSessions, type OpenSession } from "./tab-sessions";

export interface ChatWorld {
  readonly page: { readonly isLive: boolean; post(message: HostToPage): void };
  readonly sidecar: { readonly phase: SidecarPhase; client(): Promise<SidecarClient>; restart(): void };
  readonly folders: WorkingFolders;
  /** What the user chose for an agent. */
  readonly chosen: Pick<ChosenControls, "of">;
  readonly log: Log;
  settings(): Settings;
  isTrusted(): boolean;
  selectAgent(agentId: string): Promise<void>;
  /** Those that are not about a session. */
  act(action: Exclude<HostAction, "restartAgent" | "restartSidecar">): Promise<void>;
  /** Rejects with a sentence for the user. */
  openLink(href: string, preview: boolean): Promise<void>;
  openDiff(change: Change, agent: string): Promise<void>;
  showPrintout(terminal: Extract<PageToHost, { type: "open-terminal" }>): void;
  /** A sentence with its buttons, when no page is there to show it, or no tab. */
  tell(message: string, actions: readonly HostAction[]): void;
  /** What is forwarded to a page, for those who test. */
  forwarded(tabId: TabId, event: ChatEvent): void;
}

/** What the host does; the rest is the page's. */
export type HostAction = Exclude<ActionId, "sendAgain">;
type Prompt = Extract<PageToHost, { type: "prompt" }>;
type Position = ParamsOf<HostToSidecar, "chat/replay">;

/** How many of the last prompts that failed are remembered. */
const FAILED_PROMPTS = 100;

export class ChatController {
  readonly #sessions: TabSessions;
  #selected: TabId | undefined;
  /** A command wants a tab, and waits for the page. */
  #tabWanted = false;
  /** Ids of prompts that wait for their answer, and of those that failed, with the sentence. */
  readonly #prompts = new Set<string>();
  readonly #failedPrompts = new Map<string, string>();
  /** How often sessions were lost with their sidecar. */
  #losses = 0;
  /** Per tab, its agent's name. */
  readonly #agents = new Map<TabId, string>();
  /** Until the last choice of the agent of new tabs is in the settings. */
  #selecting: Promise<void> = Promise.resolve();
  /** Per tab, the latest position that waits for its session. */
  readonly #asking = new Map<TabId, Omit<Position, "sessionId">>();

  constructor(private readonly world: ChatWorld) {
    this.#sessions = new TabSessions(() => world.isTrusted() ? world.sidecar.client() : Promise.reject(new SidecarUnavailable(NOT_TRUSTED)));
  }

  get tabs(): readonly TabId[] { return this.#sessions.ids; }

  /** Does what the page says. Rejects with what was also said in the tab: callers other than the page may want to know. */
  async handle(message: PageToHost): Promise<void> {
    try { await this.#route(message); }
    catch (error) {
      this.#failed(message, error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
  }

  #route(message: PageToHost): Promise<void> | void {
    switch (message.type) {
      case "webview-ready": return this.#pageReady(message.tabs, message.losses);
      case "new-tab": return this.#newTab(message.tabId);
      case "close-tab": return this.#closeTab(message.tabId);
      case "select-tab": this.#selected = message.tabId; return;
      case "prompt": return this.#prompt(message);
      case "cancel": return this.#toSession(message.tabId, ({ client, sessionId }) => client.request("chat/cancel", { sessionId }));
      case "answer-permission": return this.#toSession(message.tabId, ({ client, sessionId }) =>
        client.request("chat/answerPermission", { sessionId, permissionId: message.permissionId, choice: message.choice }));
      case "answer-elicitation": return this.#toSession(message.tabId, ({ client, sessionId }) =>
        client.request("chat/answerElicitation", { sessionId, elicitationId: message.elicitationId, choice: message.choice }));
      case "set-option": return this.#toSession(message.tabId, ({ client, sessionId }) =>
        client.request("chat/setOption", { sessionId, controlId: message.controlId, value: message.value }));
      case "action": return this.#act(message.tabId, message.action);
      case "select-agent": return this.#selectAgent(message.agentId);
      case "open-link": return message.preview ? this.#preview(message.href) : this.world.openLink(message.href, false);
      case "open-diff": return this.world.openDiff(message, this.#agents.get(message.tabId) ?? "the agent");
      case "open-terminal": this.world.showPrintout(message); return;
      case "ack": return;
      case "log": this.world.log.emit({ timestamp: new Date(), category: "webview", ...message }); return;
      default: return assertNever(message, "message of the page");
    }
  }

  /** From the sidecar, unopened, to the page. */
  event({ sessionId, ...event }: ParamsOf<SidecarToHost, "chat/event">): void {
    const tabId = this.#sessions.tabOf(sessionId);
    if (tabId === undefined) return; // late: the tab is closed
    this.world.page.post({ type: "event", tabId, ...event });
    this.world.forwarded(tabId, event.event);
  }

  snapshot({ sessionId, ...snapshot }: ParamsOf<SidecarToHost, "chat/snapshot">): void {
    const tabId = this.#sessions.tabOf(sessionId);
    if (tabId !== undefined) this.world.page.post({ type: "snapshot", tabId, ...snapshot });
  }

  phaseChanged(phase: SidecarPhase): void {
    if (phase.kind === "stopped" || (phase.kind === "stopping" && phase.next === "rest")) return; // the window closes
    // Also when the next one starts: a sidecar that is being stopped may still have opened a session.
    if (phase.kind !== "running" && this.#sessions.lost()) this.#losses++;
    if (phase.kind === "failed") {
      this.#sessions.refuse(new SidecarUnavailable(phase.message));
      if (!this.world.page.isLive) this.world.tell(phase.message, GAVE_UP);
    }
    this.postState();
    if (phase.kind === "running" && this.#sessions.someLost) this.world.page.post({ type: "askAgain" });
  }

  /** The workspace is trusted from now on: the page asks for what it could not have. */
  trustGranted(): void {
    this.postState();
    this.world.page.post({ type: "askAgain" });
  }

  /** After a change of what it tells: settings, tabs, the sidecar. */
  postState(selected?: TabId): void {
    const { agents, currentAgentId } = this.world.settings();
    this.world.page.post({
      type: "state", agents: agents.map(({ id, name }) => ({ id, name })), currentAgentId, tabs: this.tabs, sidecar: sidecarState(this.world.sidecar.phase, this.world.isTrusted()),
      ...(this.#losses === 0 ? {} : { losses: this.#losses }),
      // Only a page that has lost its own selection is told: what the user selects meanwhile is newer.
      ...(selected === undefined ? {} : { selected }),
    });
  }

  /** The page opens a tab as if the user had; when there is no page yet, the one that comes does. */
  openTab(): void {
    if (this.world.page.isLive) this.world.page.post({ type: "openTab" });
    else this.#tabWanted = true;
  }

  /** For the tab that the user looks at; `false`: there is none. */
  async restartAgent(): Promise<boolean> {
    const tabId = this.#selected !== undefined && this.tabs.includes(this.#selected) ? this.#selected : this.tabs[0];
    if (tabId === undefined) return false;
    await this.handle({ type: "action", tabId, action: "restartAgent" });
    return true;
  }

  restartSidecar(): void {
    if (this.world.isTrusted()) this.world.sidecar.restart();
    else this.world.tell(NOT_TRUSTED, ["manageTrust"]);
  }

  dispose(): void { this.#sessions.dispose(); }

  async #pageReady(positions: readonly TabPosition[], losses = this.#losses): Promise<void> {
    const known = this.tabs.length > 0 || positions.length > 0;
    if (this.world.isTrusted()) for (const position of positions) void this.#position(position, losses === this.#losses);
    this.postState(positions.length === 0 ? this.#selected : undefined);
    // A first page opens its first tab by itself.
    if (this.#tabWanted && known) this.world.page.post({ type: "openTab" });
    this.#tabWanted = false;
    // The start of the sidecar need not wait for the first tab.
    if (this.world.isTrusted()) await this.world.sidecar.client().catch(() => undefined); // the state tells why
  }

  /** Opens what has no session (any more), then has the sidecar send what the page misses. */
  async #position({ tabId, at, asked, shown, agentId, cwd }: TabPosition, isUpToDate: boolean): Promise<void> {
    // Said before the page heard of the loss: what was on its way to it then is not in `shown`. It asks again.
    if (!isUpToDate && this.#sessions.kind(tabId) === "lost") return;
    const isWaiting = this.#asking.has(tabId);
    this.#asking.set(tabId, { asked, ...(at === undefined ? {} : { at }) });
    const kind = this.#sessions.kind(tabId);
    if (kind === undefined || kind === "lost") this.#open(tabId, agentId, cwd, shown, kind === undefined ? WINDOW_RELOADED : SIDECAR_RESTARTED).catch(() => undefined);
    if (isWaiting) return;
    try {
      const { client, sessionId } = await this.#sessions.session(tabId);
      const latest = this.#asking.get(tabId);
      if (latest) client.notify("chat/replay", { sessionId, ...latest });
    } catch (error) {
      if (error instanceof SidecarRefused) this.world.page.post({ type: "failed", tabId, message: error.message });
      this.world.log.warn("agent", "A tab has no session", { tabId, error });
    } finally {
      this.#asking.delete(tabId);
    }
  }

  async #newTab(tabId: TabId): Promise<void> {
    if (this.#sessions.kind(tabId) !== undefined) return;
    if (!this.world.isTrusted()) throw new SidecarUnavailable(NOT_TRUSTED);
    const opening = this.#open(tabId, undefined, undefined, []);
    this.postState();
    await opening;
  }

  /** `agentId`: of the agent that the tab had; absent: the one of new tabs, also when that is only just being chosen. */
  async #open(tabId: TabId, agentId: string | undefined, cwd: string | undefined, shown: NewChat["shown"], why?: string): Promise<void> {
    const selecting = this.#selecting;
    await this.#sessions.open(tabId, async () => {
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
    });
  }

  #closeTab(tabId: TabId): void {
    this.#sessions.close(tabId);
    this.#agents.delete(tabId);
    if (this.#selected === tabId) this.#selected = undefined;
    this.postState();
  }

  /** A page repeats what a snapshot does not contain, also what still waits for its answer, or failed before the page heard so. */
  async #prompt(prompt: Prompt): Promise<void> {
    const failed = this.#failedPrompts.get(prompt.messageId);
    if (failed !== undefined) throw new Error(failed);
    if (this.#prompts.has(prompt.messageId)) return;
    this.#prompts.add(prompt.messageId);
    try { await this.#forward(prompt); }
    finally { this.#prompts.delete(prompt.messageId); }
  }

  async #forward({ tabId, messageId, text }: Prompt): Promise<void> {
    if (!this.world.isTrusted()) throw new SidecarUnavailable(NOT_TRUSTED);
    // No page will come and say what it shows.
    if (this.#sessions.kind(tabId) === "lost" && !this.world.page.isLive) await this.#open(tabId, undefined, undefined, []);
    const { client, sessionId } = await this.#sessions.session(tabId);
    await client.request("chat/prompt", { sessionId, messageId, blocks: [{ type: "text", text }] });
  }

  /** A prompt that was said to have failed must not be accepted later: its text is in the input again. */
  #remember(messageId: string, sentence: string): void {
    this.#failedPrompts.set(messageId, sentence);
    const [oldest] = this.#failedPrompts.keys();
    if (this.#failedPrompts.size > FAILED_PROMPTS && oldest !== undefined) this.#failedPrompts.delete(oldest);
  }

  /** Nobody asked for it: what cannot be shown is left alone. */
  async #preview(href: string): Promise<void> {
    await this.world.openLink(href, true).catch((error: unknown) => this.world.log.debug("webview", "Where the agent works could not be shown", { error }));
  }

  async #selectAgent(agentId: string): Promise<void> {
    if (!this.world.settings().agents.some(({ id }) => id === agentId)) throw new Error(`There is no agent with the id ${agentId}.`);
    const selected = this.world.selectAgent(agentId);
    this.#selecting = selected.catch(() => undefined); // who chose it is told
    await selected;
  }

  /** What is said to a session that died with its sidecar, or to none, means nothing any more. */
  async #toSession(tabId: TabId, say: (session: OpenSession) => Promise<unknown>): Promise<void> {
    const kind = this.#sessions.kind(tabId);
    if (kind === "open" || kind === "opening") await say(await this.#sessions.session(tabId));
  }

  async #act(tabId: TabId, action: ActionId): Promise<void> {
    switch (action) {
      case "sendAgain": return; // the page does it
      case "restartSidecar": return this.restartSidecar();
      case "restartAgent": return this.#toSession(tabId, ({ client, sessionId }) => client.request("chat/restartAgent", { sessionId }));
      default: return this.world.act(action);
    }
  }

  #failed(message: PageToHost, error: Error): void {
    const { page, log } = this.world;
    const tabId = "tabId" in message ? message.tabId : undefined;
    log.warn("webview", "What the page asked for failed", { type: message.type, ...(tabId === undefined ? {} : { tabId }), error, cause: error.cause });
    // The page repeats what was on its way when it asks again.
    if (error instanceof SidecarGone) return;
    if (tabId !== undefined && error instanceof SidecarRefused && error.code === ErrorCode.unknownSession) {
      this.#sessions.forget(tabId);
      return page.post({ type: "askAgain" });
    }
    if (tabId === undefined) return this.world.tell(error.message, []);
    if (message.type === "prompt") this.#remember(message.messageId, error.message);
    page.post({ type: "failed", tabId, ...(message.type === "prompt" ? { messageId: message.messageId } : {}), message: error.message });
  }
}
