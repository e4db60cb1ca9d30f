/**
 * Shows settings pages in the view below the chat and in an editor. VS Code destroys their documents when they are
 * hidden and recreates them when they are shown. The only state here is the open editor.
 */
import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import { freshNonce, pageHtml } from "../../chat/page-html";
import type { Log } from "../../log";
import { SETTINGS_PAGE } from "../../names";
import { validated } from "../../protocol/wire/schema";
import { settingsToHost } from "../../protocol/settings/settings-to-host";
import { pageTranslation } from "../../translation";
import type { SettingsController } from "./settings-controller";

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
      visibility: onEvent => view.onDidChangeVisibility(() => onEvent(view.visible)),
      gone: onEvent => view.onDidDispose(onEvent),
    });
  }

  /** Reveals the existing editor or opens a new one. */
  open(): void {
    if (this.#panel) return this.#panel.reveal();
    this.#show(
      vscode.window.createWebviewPanel(SETTINGS_PAGE, l10n.t("Symposium Settings"), vscode.ViewColumn.Active, {
        enableFindWidget: true,
      }),
    );
  }

  /** Restores the editor after the window was reloaded. */
  async deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    this.#show(panel);
  }

  #show(panel: vscode.WebviewPanel): void {
    this.#panel = panel;
    panel.iconPath = vscode.Uri.joinPath(this.extension, "media", "symposium.png");
    this.#fill(panel.webview, true, {
      visibility: onEvent => panel.onDidChangeViewState(() => onEvent(panel.visible)),
      gone: onEvent =>
        panel.onDidDispose(() => {
          if (this.#panel === panel) this.#panel = undefined;
          onEvent();
        }),
    });
  }

  #fill(
    webview: vscode.Webview,
    isPage: boolean,
    life: {
      visibility(onEvent: (isVisible: boolean) => void): vscode.Disposable;
      gone(onEvent: () => void): vscode.Disposable;
    },
  ): void {
    this.opened();
    const page = this.controller.attach({
      isPage,
      post: message => void webview.postMessage(message).then(undefined, () => undefined),
    }); // an undelivered message was for a page that will send `ready` again
    const listeners = [
      webview.onDidReceiveMessage((value: unknown) => {
        const validation = validated(settingsToHost, value);
        if (validation.ok) void page.onMessage(validation.message);
        else this.log.warn("webview", "Ignored an invalid settings page message", { why: validation.why });
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
      title: l10n.t("Symposium Settings"),
      root: "symposium-settings",
      script,
      ...pageTranslation(),
    });
  }
}
