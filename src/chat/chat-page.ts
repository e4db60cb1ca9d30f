/** Loads the page of the chat into a webview of VS Code. */
import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import { pageTranslation } from "../translation";
import { freshNonce, pageHtml, sessionKey, workspaceKey } from "./page-html";

export interface ChatPageDeps {
  readonly extension: Pick<vscode.ExtensionContext, "extensionUri" | "storageUri">;
  restoresSessions(): boolean;
}

/** `tabId`: the only tab of an editor. `opening`: see `PageParts`. */
export function loadChatPage(
  webview: vscode.Webview,
  { extension: { extensionUri, storageUri }, restoresSessions }: ChatPageDeps,
  tabId?: string,
  opening?: string,
): void {
  const dist = vscode.Uri.joinPath(extensionUri, "dist"),
    localResourceRoots = [dist, vscode.Uri.joinPath(extensionUri, "media")];
  webview.options = { enableScripts: true, enableForms: false, enableCommandUris: false, localResourceRoots };
  webview.html = pageHtml({
    cspSource: webview.cspSource,
    nonce: freshNonce(),
    title: l10n.t("Symposium"),
    root: "symposium",
    script: webview.asWebviewUri(vscode.Uri.joinPath(dist, "webview.js")).toString(),
    ...(tabId === undefined ? {} : { surface: "editor" }),
    ...workspaceKey(storageUri?.toString(), tabId),
    ...(opening === undefined ? {} : { opening }),
    ...sessionKey(vscode.env.sessionId, restoresSessions()),
    ...pageTranslation(),
  });
}
