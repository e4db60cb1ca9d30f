/**
 * Editors that show one chat each. VS Code destroys the page of an editor in the background, and restores editors when
 * a window is reloaded.
 *
 * VS Code stores the state of a page with a delay. An editor that was restored without it shows a recorded tab.
 * Without a tab, it is closed.
 */
import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import type { Log } from "../log";
import { CHAT_EDITOR } from "../names";
import type { PageToHost, TabId } from "../protocol/page/host-to-page";
import type { KeyValueStore } from "../settings/store/persisted-controls";
import { AttentionBadge, type AttentionDeps } from "./attention-badge";
import type { ChatController } from "./chat-controller";
import { loadChatPage, type ChatPageDeps } from "./chat-page";
import type { ChatSurfaces, EditorSurface } from "./chat-surfaces";
import { editorTitle } from "./editor-title";
import { PageChannel } from "./page-channel";
import { freshNonce, sessionKey, tabOfPage } from "./page-html";

export interface ChatEditorsDeps {
  readonly pages: ChatPageDeps;
  /** The workspace's memory. */
  readonly memory: KeyValueStore;
  readonly log: Log;
  readonly surfaces: Pick<ChatSurfaces, "tabs" | "show" | "restored" | "closed" | "focusChanged">;
  createController(page: PageChannel, editor: () => EditorSurface): ChatController;
  /** Shows a notification with a button that reveals the editor. */
  notify(sentence: string, editor: EditorSurface): void;
  now: AttentionDeps["now"];
  activityOf(tabId: TabId): "idle" | "working" | "question";
}

export class ChatEditors implements vscode.WebviewPanelSerializer {
  readonly #editors = new Map<TabId, ChatEditor>();

  constructor(private readonly deps: ChatEditorsDeps) {}

  open(tabId: TabId, inNewWindow: boolean): EditorSurface {
    const panel = vscode.window.createWebviewPanel(CHAT_EDITOR, l10n.t("Chat"), vscode.ViewColumn.Active, {
        enableFindWidget: false,
      }),
      editor = this.#create(panel, tabId);
    void editor.open(inNewWindow);
    return editor;
  }

  /** Restores an editor after the window was reloaded. */
  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const { surfaces, pages } = this.deps,
      { session } = sessionKey(vscode.env.sessionId, pages.restoresSessions()),
      tabId = tabOfPage(state, session) ?? (session === undefined ? this.#unclaimed() : undefined);
    if (tabId === undefined || surfaces.tabs.includes(tabId)) {
      panel.dispose();
      if (tabId !== undefined) await surfaces.show(tabId);
      return;
    }
    const editor = this.#create(panel, tabId);
    surfaces.restored(editor);
    // A page without a saved copy opens the tab with the default agent and folder.
    editor.controller.requests.openSession({ conversation: tabId, agentId: "", cwd: "" });
    editor.load();
  }

  /** Call it when the activity in the tab has changed. */
  activityChanged(tabId: TabId): void {
    this.#editors.get(tabId)?.showTitle();
  }

  dispose(): void {
    for (const { controller } of this.#editors.values()) controller.dispose();
  }

  #create(panel: vscode.WebviewPanel, tabId: TabId): ChatEditor {
    const editor = new ChatEditor(panel, tabId, this.deps);
    this.#editors.set(tabId, editor);
    this.#record([...this.#recorded().filter(each => each !== tabId), tabId]);
    panel.onDidDispose(() => {
      if (this.#editors.get(tabId) === editor) {
        this.#editors.delete(tabId);
        this.#record(this.#recorded().filter(each => each !== tabId));
      }
      this.deps.surfaces.closed(editor);
      editor.controller.dispose();
    });
    return editor;
  }

  /** A recorded tab that no surface shows. */
  #unclaimed(): TabId | undefined {
    return this.#recorded().find(tabId => !this.deps.surfaces.tabs.includes(tabId));
  }

  /** The tabs of editors that the user has not closed, also those of the last window. */
  #recorded(): readonly TabId[] {
    const tabs = this.deps.memory.get(EDITORS);
    return Array.isArray(tabs) ? tabs.filter((tabId): tabId is TabId => typeof tabId === "string") : [];
  }

  #record(tabs: readonly TabId[]): void {
    void this.deps.memory.update(EDITORS, tabs);
  }
}

const EDITORS = "symposium.chatEditors";

class ChatEditor implements EditorSurface {
  readonly page: PageChannel;
  readonly controller: ChatController;
  readonly attention: AttentionBadge;
  #title: string;
  /** Status after the end of a turn. */
  #unread: "idle" | "unread" | "failed" = "idle";

  constructor(
    private readonly panel: vscode.WebviewPanel,
    readonly tabId: TabId,
    private readonly deps: ChatEditorsDeps,
  ) {
    const { log, pages } = deps,
      { webview } = panel;
    this.#title = panel.title;
    this.page = new PageChannel({
      log,
      send: message => webview.postMessage(message),
      onMessage: message => this.#onMessage(message),
    });
    this.attention = new AttentionBadge({
      show: badge => {
        this.#unread = badge === undefined ? "idle" : badge.hasFailed ? "failed" : "unread";
        this.showTitle();
      },
      notify: sentence => deps.notify(sentence, this),
      now: deps.now,
    });
    this.controller = deps.createController(this.page, () => this);
    panel.iconPath = vscode.Uri.joinPath(pages.extension.extensionUri, "media", "symposium.png");
    const listeners = [
      webview.onDidReceiveMessage((message: unknown) => this.page.receive(message)),
      panel.onDidChangeViewState(() => this.#visible(panel.visible)),
      panel.onDidDispose(() => {
        for (const listener of listeners) listener.dispose();
        this.page.hidden();
      }),
    ];
    this.attention.visible(panel.visible);
  }

  get isActive(): boolean {
    return this.panel.active;
  }

  /**
   * Loads the page of a new editor when it is in its window, because a move would load it again. Stays in this window
   * if no other can be opened.
   */
  async open(inNewWindow: boolean): Promise<void> {
    if (inNewWindow) {
      if (!(await isShown(this.panel))) return;
      await this.moveToNewWindow().catch((error: unknown) =>
        this.deps.log.warn("webview", "Could not move the chat to a new window", { error }),
      );
    }
    this.load(freshNonce());
  }

  /** Loads the page. `opening`: see `PageParts`. */
  load(opening?: string): void {
    loadChatPage(this.panel.webview, this.deps.pages, this.tabId, opening);
  }

  async reveal(): Promise<void> {
    this.panel.reveal();
  }

  async moveToNewWindow(): Promise<void> {
    await vscode.commands.executeCommand("workbench.action.moveEditorToNewWindow");
  }

  titleChanged(title: string): void {
    this.#title = title;
    this.showTitle();
  }

  showTitle(): void {
    const activity = this.deps.activityOf(this.tabId);
    this.panel.title = editorTitle(this.#title, activity === "idle" ? this.#unread : activity);
  }

  close(): void {
    this.panel.dispose();
  }

  #visible(isVisible: boolean): void {
    if (!isVisible) {
      this.page.hidden();
      this.deps.surfaces.focusChanged(this, false);
    }
    this.attention.visible(isVisible);
  }

  #onMessage(message: PageToHost): void {
    this.controller.handle(message).catch(() => undefined); // shown in the tab and logged
  }
}

/** Resolves when VS Code shows the new editor as the active one, with `false` if the editor is closed instead. */
function isShown(panel: vscode.WebviewPanel): Promise<boolean> {
  const isActive = (): boolean => {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    return input instanceof vscode.TabInputWebview && input.viewType.endsWith(CHAT_EDITOR);
  };
  if (isActive()) return Promise.resolve(true);
  return new Promise(resolve => {
    const listeners = [
      vscode.window.tabGroups.onDidChangeTabs(() => {
        if (isActive()) end(true);
      }),
      panel.onDidDispose(() => end(false)),
    ];
    const end = (isOpen: boolean): void => {
      for (const listener of listeners) listener.dispose();
      resolve(isOpen);
    };
  });
}
