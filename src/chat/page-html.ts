/** The HTML document of a page. */
import { createHash, randomBytes } from "node:crypto";
import { isObject } from "../protocol/wire/json";
import type { Translation } from "../translation";

export interface PageParts {
  /** VS Code's Content Security Policy source for webview resources. */
  readonly cspSource: string;
  readonly script: string;
  readonly title: string;
  /** The id of the element that the script renders into. */
  readonly root: string;
  /** See `workspaceKey`. If absent, the page stores nothing in the browser's storage. */
  readonly workspace?: string;
  /** See `sessionKey`. If absent, the page restores the tabs of any session of VS Code. */
  readonly session?: string;
  /** Identifies a new editor. If absent, the page restores the copy of any earlier editor with its tab. */
  readonly opening?: string;
  /** Mark of the body for scripts and styles. */
  readonly surface?: "editor";
  /** New for each document, 128 bits. */
  readonly nonce: string;
  /** Absent in English. */
  readonly translation?: Translation;
}

export function freshNonce(): string {
  return randomBytes(16).toString("base64url");
}

/**
 * Identifies a workspace in the browser's storage without revealing its path. `storage`: VS Code's storage folder of
 * the workspace. `tabId`: of an editor, which stores its page apart from the view's.
 */
export function workspaceKey(storage: string | undefined, tabId?: string): { readonly workspace?: string } {
  return storage === undefined ? {} : { workspace: digest(tabId === undefined ? storage : `${storage}\n${tabId}`) };
}

/** Identifies a session of VS Code, if the page restores the tabs of no other session. `id`: `vscode.env.sessionId`. */
export function sessionKey(id: string, restoresSessions: boolean): { readonly session?: string } {
  return restoresSessions ? {} : { session: digest(id) };
}

/**
 * The tab of an editor's saved page. `undefined`: the page is invalid, or of a session of VS Code that is not restored.
 */
export function tabOfPage(state: unknown, session: string | undefined): string | undefined {
  if (!isObject(state) || !Array.isArray(state["tabs"])) return undefined;
  const [tab] = state["tabs"] as readonly unknown[],
    tabId = isObject(tab) ? tab["tabId"] : undefined;
  return typeof tabId === "string" && (session === undefined || state["session"] === session) ? tabId : undefined;
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

/**
 * Scripts run by nonce only. Inline styles are allowed because the chat library creates them at run time. Images are
 * the extension's own or data URIs.
 */
function policy({ cspSource, nonce }: PageParts): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource} 'unsafe-inline'`,
    `img-src ${cspSource} data:`,
    `font-src ${cspSource}`,
    "connect-src 'none'",
    "frame-src 'none'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** A data block, which browsers do not execute. `webview/translation.ts` reads it. */
function texts({ translation }: PageParts): string {
  if (translation === undefined) return "";
  return `<script type="application/json" id="texts">${JSON.stringify(translation.texts).replaceAll("<", "\\u003c")}</script>\n`;
}

function data(name: string, value: string | undefined): string {
  return value === undefined ? "" : ` data-${name}="${value}"`;
}

export function pageHtml(parts: PageParts): string {
  return `<!DOCTYPE html>
<html lang="${parts.translation?.language ?? "en"}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(parts)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${parts.title}</title>
</head>
<body${data("surface", parts.surface)}>
<div id="${parts.root}"${data("workspace", parts.workspace)}${data("session", parts.session)}${data("opening", parts.opening)}></div>
${texts(parts)}<script nonce="${parts.nonce}" src="${parts.script}"></script>
</body>
</html>
`;
}
