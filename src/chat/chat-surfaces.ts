/**
 * The surfaces that show chats: the view with its tabs, and editors with one tab each. Each has a page with a
 * controller. Commands apply to the active surface, which is the last one with the keyboard focus.
 *
 * Invariants:
 * - At most one surface shows a conversation. If VS Code restores it in two, the first one keeps it.
 * - A moved tab keeps its session. Its first surface keeps the tab until the other one has received it.
 * - New tabs open in the view.
 */
import * as l10n from "@vscode/l10n";
import type { Attachment } from "../protocol/chat/attachments";
import {
  MAX_TABS,
  type HostNotice,
  type HostToPage,
  type MovedTab,
  type PageCommand,
  type TabId,
} from "../protocol/page/host-to-page";
import type { ForkedSession, OpenableSession } from "../protocol/sessions/sessions";
import type { SidecarToHost } from "../protocol/sidecar";
import type { ParamsOf } from "../protocol/wire/wire";
import type { SelectedAgent } from "../settings/store/select-agent";
import type { SidecarPhase } from "../sidecar/restart-policy";
import type { AttentionBadge } from "./attention-badge";
import type { ChatController } from "./chat-controller";
import type { ChatDeps, HostAction, OtherSurfaces } from "./chat-deps";
import { GAVE_UP } from "./sidecar-state";

export interface Surface {
  readonly controller: ChatController;
  readonly attention: Pick<AttentionBadge, "onEvent" | "take" | "clear">;
  readonly page: ChatDeps["page"];
  /** Shows the surface and moves the focus to it. */
  reveal(): Promise<void>;
}

/** An editor with one tab. */
export interface EditorSurface extends Surface {
  readonly tabId: TabId;
  /** Whether it is the active editor of VS Code. */
  readonly isActive: boolean;
  titleChanged(title: string): void;
  moveToNewWindow(): Promise<void>;
  close(): void;
}

/** A message about the chat, with buttons. */
export interface ChatNotice extends HostNotice {
  readonly actions: readonly HostAction[];
}

export interface SurfacesDeps extends Pick<ChatDeps, "sidecar"> {
  /** Shows a notification of VS Code. */
  notify(notice: ChatNotice): void;
  view(): Surface;
  openEditor(tabId: TabId, inNewWindow: boolean): EditorSurface;
  /** Whether the tab has an open question. */
  hasQuestion(tabId: TabId): boolean;
  /** The keyboard focus has moved to a page of the chat, or away from all. */
  focusChanged(hasFocus: boolean): void;
  shownTabChanged(): void;
}

export class ChatSurfaces {
  readonly #editors = new Set<EditorSurface>();
  /** Editors that show a tab, or restore it. */
  readonly #claims = new Map<TabId, EditorSurface>();
  #focused: Surface | undefined;
  #lastFocused: Surface | undefined;

  constructor(private readonly deps: SurfacesDeps) {}

  /** The view's controller. */
  get main(): ChatController {
    return this.deps.view().controller;
  }

  get tabs(): readonly TabId[] {
    return [...new Set([...this.#all.flatMap(({ controller }) => controller.tabs), ...this.#claims.keys()])];
  }

  /** The selected tabs of visible pages. */
  get shownTabs(): readonly TabId[] {
    return this.#all.flatMap(({ controller: { shownTab } }) => (shownTab === undefined ? [] : [shownTab]));
  }

  get outdatedTabs(): readonly TabId[] {
    return this.#all.flatMap(({ controller }) => controller.outdatedTabs);
  }

  /** Whether any page is ready. */
  get isLive(): boolean {
    return this.#all.some(({ page }) => page.isLive);
  }

  /** Posts to every page. */
  post(message: HostToPage): void {
    for (const { page } of this.#all) page.post(message);
  }

  /** Shows a message about the chat: in the visible chat, whose prompt a notification would cover. */
  async report(message: string, tone: ChatNotice["tone"] = "info", actions: ChatNotice["actions"] = []): Promise<void> {
    const surface = [this.active, ...this.#all].find(({ controller }) => controller.shownTab !== undefined),
      notice: ChatNotice = { tone, message, actions };
    if (!(await surface?.page.deliver({ type: "notice", ...notice }))) this.deps.notify(notice);
  }

  event(event: ParamsOf<SidecarToHost, "chat/event">): void {
    for (const { controller } of this.#all) controller.event(event);
  }

  snapshot(snapshot: ParamsOf<SidecarToHost, "chat/snapshot">): void {
    for (const { controller } of this.#all) controller.snapshot(snapshot);
  }

  attention(request: ParamsOf<SidecarToHost, "chat/attention">): void {
    const surface = this.#all.find(({ controller }) => controller.tabOf(request.sessionId) !== undefined);
    (surface ?? this.deps.view()).attention.onEvent(request);
  }

  phaseChanged(phase: SidecarPhase): void {
    const isSeen = this.isLive;
    for (const { controller, attention } of this.#all) {
      controller.phaseChanged(phase);
      if (phase.kind !== "running") attention.clear();
    }
    if (phase.kind === "failed" && !isSeen)
      this.deps.notify({ tone: "error", message: phase.message, actions: GAVE_UP });
  }

  /** Called when the user trusts the workspace. Replaces the read-only sidecar. */
  trustGranted(): void {
    if (this.deps.sidecar.phase.kind !== "idle") this.deps.sidecar.restart();
    for (const { controller } of this.#all) controller.trustGranted();
  }

  /** Call it after a change of the settings. */
  settingsChanged(): void {
    for (const { controller } of this.#all) controller.postState();
  }

  /** Call it after a change of the editor's colors of code. */
  codeColorsChanged(): void {
    for (const { controller } of this.#all) controller.codeColorsChanged();
  }

  // --- commands

  async openTab(agentId?: string): Promise<void> {
    const view = this.deps.view();
    view.controller.requests.openTab(agentId);
    await view.reveal();
  }

  /** Opens a tab with the text of a link in the prompt. */
  async openDraft(text: string): Promise<void> {
    const view = this.deps.view();
    view.controller.requests.openDraft(text);
    await view.reveal();
  }

  async openBranch(branch: ForkedSession): Promise<void> {
    const view = this.deps.view();
    view.controller.requests.openBranch(branch);
    await view.reveal();
  }

  /** Shows the session's tab where it is open, otherwise in the view. `entryId`: an entry that a search has found. */
  async openSession(session: OpenableSession, entryId?: string): Promise<void> {
    const surface = this.#surfaceOf(session.conversation);
    surface.controller.requests.openSession(session, entryId);
    await surface.reveal();
  }

  /** Selects and shows an open tab. */
  show(tabId: TabId): Promise<void> {
    return this.openSession({ conversation: tabId, agentId: "", cwd: "" });
  }

  /** Closes the tab and its session. A tab of the hidden view stays open, because the next page restores it. */
  async closeTab(tabId: TabId): Promise<void> {
    const editor = this.#claims.get(tabId);
    if (editor === undefined) return this.main.closeTab(tabId);
    await editor.controller.closeSession(tabId);
    editor.close();
  }

  /** Adds attachments to the draft of the active surface, and shows it. */
  async attach(attachments: readonly Attachment[]): Promise<void> {
    const { active } = this;
    void active.controller.attach(attachments);
    await active.reveal();
  }

  /** Adds an attachment and a line of text to the draft of this tab, which was just shown. */
  attachTo(tabId: TabId, attachment: Attachment, line: string): Promise<void> {
    return this.controllerOf(tabId).attach([attachment], line);
  }

  /** Makes the page of the active surface run a command. */
  run(command: PageCommand): void {
    this.active.controller.requests.run(command);
  }

  async focusPrompt(): Promise<void> {
    const { active } = this;
    await active.reveal();
    active.controller.requests.run("focusPrompt");
  }

  /** Shows the next question: of the active surface, otherwise of another one. */
  async nextQuestion(): Promise<void> {
    const hasQuestion = ({ controller }: Surface): boolean =>
        controller.tabs.some(tabId => this.deps.hasQuestion(tabId)),
      surface = [this.active, ...this.#all].find(hasQuestion) ?? this.active;
    await surface.reveal();
    surface.controller.requests.run("nextQuestion");
  }

  /** Moves the selected tab of the view to an editor. */
  moveToEditor(): Promise<void> {
    return this.#runInView("moveToEditor");
  }

  /** Moves the active editor of a chat, otherwise the selected tab of the view. */
  moveToNewWindow(): Promise<void> {
    const editor = [...this.#editors].find(({ isActive }) => isActive);
    return editor === undefined ? this.#runInView("moveToWindow") : editor.moveToNewWindow();
  }

  /** Moves the active editor of a chat, otherwise the last focused one. */
  moveToView(): void {
    const editor = [...this.#editors].find(({ isActive }) => isActive) ?? this.active;
    if (isEditor(editor)) editor.controller.requests.run("moveToView");
  }

  /** See `ChatController.agentSelected`, for the surface that the user has used last. */
  async agentSelected({ id, added }: SelectedAgent): Promise<void> {
    if ((await this.active.controller.agentSelected(id)) || added === undefined) return;
    await this.report(l10n.t`${added} is selected for new tabs and is installed with the first one.`);
  }

  /** Restarts the agent of the active surface's tab. `false`: no tab is open. */
  restartAgent(): Promise<boolean> {
    return this.active.controller.restartAgent();
  }

  /** The controller of the tab's surface; default: the view's. */
  controllerOf(tabId: TabId): ChatController {
    return this.#surfaceOf(tabId).controller;
  }

  // --- surfaces

  get active(): Surface {
    return this.#lastFocused ?? this.deps.view();
  }

  /** Adds an editor that VS Code has restored. Its page requests the session. */
  restored(editor: EditorSurface): void {
    this.#editors.add(editor);
    this.#claims.set(editor.tabId, editor);
  }

  /** Call it when the user has closed the editor. Its session is closed, like that of a closed tab. */
  closed(editor: EditorSurface): void {
    this.#editors.delete(editor);
    if (this.#claims.get(editor.tabId) === editor) this.#claims.delete(editor.tabId);
    for (const tabId of editor.controller.tabs) void editor.controller.closeSession(tabId);
    this.focusChanged(editor, false);
    if (this.#lastFocused === editor) this.#lastFocused = undefined;
    this.deps.shownTabChanged();
  }

  focusChanged(surface: Surface, hasFocus: boolean): void {
    if (hasFocus) this.#focused = this.#lastFocused = surface;
    else if (this.#focused !== surface) return;
    else this.#focused = undefined;
    this.deps.focusChanged(hasFocus);
  }

  /** The others, for the controller of a surface. */
  othersOf(surface: () => Surface): OtherSurfaces {
    return {
      isElsewhere: tabId => this.#isElsewhere(tabId, surface()),
      move: (tab, to) => this.#move(tab, surface(), to),
      openInView: agentId => void this.openTab(agentId),
      openSession: session => void this.openSession(session),
      titleChanged: title => {
        const editor = surface();
        if (isEditor(editor)) editor.titleChanged(title);
      },
    };
  }

  #isElsewhere(tabId: TabId, surface: Surface): boolean {
    const other = this.#claims.get(tabId) ?? (this.main.tabs.includes(tabId) ? this.deps.view() : surface);
    if (other === surface) return false;
    giveUp(surface, tabId);
    return true;
  }

  #move(tab: MovedTab, source: Surface, to: "view" | "editor" | "window"): void {
    const { tabId } = tab,
      // A branch of an editor's session is new.
      isHere = !isEditor(source) || source.tabId === tabId;
    if (to === "view" && this.main.tabs.length >= MAX_TABS)
      return void this.report(l10n.t`${MAX_TABS} tabs are open. Close one to open another.`);
    const target = to === "view" ? this.deps.view() : this.#openEditor(tabId, to === "window");
    target.controller.requests.openMoved({
      tab,
      takeSession: () => {
        if (isHere) this.#pass(tabId, source, target);
      },
      arrived: () => {
        if (isHere) giveUp(source, tabId);
      },
    });
    if (to === "view") void target.reveal();
  }

  #openEditor(tabId: TabId, inNewWindow: boolean): EditorSurface {
    const editor = this.deps.openEditor(tabId, inNewWindow);
    this.#editors.add(editor);
    this.#lastFocused = editor;
    return editor;
  }

  #pass(tabId: TabId, source: Surface, target: Surface): void {
    const sessionId = source.controller.sessionOf(tabId);
    if (isEditor(target)) this.#claims.set(tabId, target);
    else this.#claims.delete(tabId);
    source.controller.pass(tabId, target.controller);
    const request = sessionId === undefined ? undefined : source.attention.take(sessionId);
    if (request !== undefined) target.attention.onEvent(request);
  }

  async #runInView(command: PageCommand): Promise<void> {
    const view = this.deps.view();
    await view.reveal();
    view.controller.requests.run(command);
  }

  get #all(): readonly Surface[] {
    return [this.deps.view(), ...this.#editors];
  }

  #surfaceOf(tabId: TabId): Surface {
    return this.#claims.get(tabId) ?? this.deps.view();
  }
}

function isEditor(surface: Surface): surface is EditorSurface {
  return "tabId" in surface;
}

/** Removes the tab from the surface's page, without closing its session. */
function giveUp(surface: Surface, tabId: TabId): void {
  if (isEditor(surface)) surface.close();
  else surface.page.post({ type: "releaseTab", tabId });
}
