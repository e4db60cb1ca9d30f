/**
 * The chat view. VS Code destroys the page of a hidden view, and recreates the page without resolving
 * the view again. This class keeps no state except the view.
 */
import type * as vscode from "vscode";
import type { Log } from "../log";
import type { PageToHost } from "../protocol/page/host-to-page";
import { loadChatPage, type ChatPageDeps } from "./chat-page";
import { PageChannel } from "./page-channel";

export class ChatView implements vscode.WebviewViewProvider {
  readonly page: PageChannel;
  #view: vscode.WebviewView | undefined;

  /** `visible` is called whenever the view is shown or hidden. */
  constructor(
    private readonly pages: ChatPageDeps,
    private readonly log: Log,
    onMessage: (message: PageToHost) => void,
    private readonly visible: (isVisible: boolean) => void,
  ) {
    this.page = new PageChannel({ log, onMessage, send: message => this.#view?.webview.postMessage(message) });
  }

  /** Sets the badge of the view's icon. */
  show(badge: vscode.ViewBadge | undefined): void {
    if (this.#view) this.#view.badge = badge;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const { webview } = view;
    this.#view = view;
    this.log.info("webview", "Webview resolved");
    const listeners = [
      webview.onDidReceiveMessage((message: unknown) => this.page.receive(message)),
      view.onDidChangeVisibility(() => {
        this.log.info("webview", view.visible ? "Webview visible" : "Webview hidden");
        if (!view.visible) this.page.hidden();
        this.visible(view.visible);
      }),
      view.onDidDispose(() => {
        this.log.info("webview", "Webview disposed");
        for (const listener of listeners) listener.dispose();
        if (this.#view !== view) return;
        this.#view = undefined;
        this.page.hidden();
        this.visible(false);
      }),
    ];
    this.visible(view.visible);
    loadChatPage(webview, this.pages);
  }
}
