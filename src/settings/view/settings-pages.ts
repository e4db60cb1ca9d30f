/**
 * Where a settings page is shown: the view below the chat, and an editor of its own. VS Code destroys the document of
 * either when it is hidden, and builds it anew when it is shown; nothing is kept here but which editor there is.
 */
import * as vscode from "vscode";
import { freshNonce, pageHtml } from "../../chat/page-html";
import type { Log } from "../../log";
import { SETTINGS_PAGE } from "../../names";
import type { SettingsController } from "./settings-controller";
import { validateSettings } from "./validate-settings-message";

export class SettingsPages implements vscode.WebviewViewProvider, vscode.WebviewPanelSerializer {
  #panel: vscode.WebviewPanel | undefined;

  constructor(
    private readonly extension: vscode.Uri,
    private readonly controller: SettingsController,
    private readonly log: Log,
    private readonly opened: () => void,
  ) {}

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#fill(view.webview, false, {
      visibility: heard => view.onDidChangeVisibility(() => heard(view.visible)),
      gone: heard => view.onDidDispose(heard),
    });
  }

  /** As an editor: the one that is there, or a new one. */
  open(): void {
    if (this.#panel) return this.#panel.reveal();
    this.#show(
      vscode.window.createWebviewPanel(SETTINGS_PAGE, "Symposium Settings", vscode.ViewColumn.Active, {
        enableFindWidget: true,
      }),
    );
  }

  /** The window was reloaded while the editor was open. */
  async deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    this.#show(panel);
  }

  #show(panel: vscode.WebviewPanel): void {
    this.#panel = panel;
    panel.iconPath = vscode.Uri.joinPath(this.extension, "media", "symposium.png");
    this.#fill(panel.webview, true, {
      visibility: heard => panel.onDidChangeViewState(() => heard(panel.visible)),
      gone: heard =>
        panel.onDidDispose(() => {
          if (this.#panel === panel) this.#panel = undefined;
          heard();
        }),
    });
  }

  #fill(
    webview: vscode.Webview,
    isPage: boolean,
    life: {
      visibility(heard: (isVisible: boolean) => void): vscode.Disposable;
      gone(heard: () => void): vscode.Disposable;
    },
  ): void {
    this.opened();
    const page = this.controller.attach({
      isPage,
      post: message => void webview.postMessage(message).then(undefined, () => undefined),
    }); // one that is not delivered was for a page that says `ready` anew
    const listeners = [
      webview.onDidReceiveMessage((value: unknown) => {
        const validated = validateSettings(value);
        if (validated.ok) void page.heard(validated.message);
        else this.log.warn("webview", "A message of a settings page was ignored", { why: validated.why });
      }),
      life.visibility(isVisible => {
        if (!isVisible) page.hidden();
      }),
      life.gone(() => {
        for (const listener of listeners) listener.dispose();
        page.dispose();
      }),
    ];
    const dist = vscode.Uri.joinPath(this.extension, "dist");
    webview.options = { enableScripts: true, enableForms: false, enableCommandUris: false, localResourceRoots: [dist] };
    const script = webview.asWebviewUri(vscode.Uri.joinPath(dist, "settings.js")).toString();
    webview.html = pageHtml({
      cspSource: webview.cspSource,
      nonce: freshNonce(),
      title: "Symposium Settings",
      root: "symposium-settings",
      script,
    });
  }
}
