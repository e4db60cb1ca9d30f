/**
 * The frames of VS Code around a webview view, in plain Chromium: workbench, webview and document. The document is
 * written as in VS Code: the extension's HTML with its content security policy, preceded by the API for webviews, with
 * the theme on its root and body.
 *
 * Invariants: messages keep their order in both directions; messages without a document, or to a document that is being
 * replaced, are not delivered.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Frame, Page } from "playwright-core";
import { ROOT } from "../page/harness";
import { themeNamed } from "./themes";

export const ORIGIN = "http://symposium.test";
/** The size of a side bar in a window of 1280 × 900. */
const VIEW = "left: 48px; top: 70px; width: 297px; height: calc(100% - 162px)";

const WORKBENCH = `<!DOCTYPE html><html lang="en"><head><title>Workbench</title><style>
body { margin: 0; background: #808080; }
iframe.webview { position: absolute; ${VIEW}; border: 0; }
</style></head><body><iframe class="webview" title="Symposium" src="/webview"></iframe></body></html>`;
const WEBVIEW = `<!DOCTYPE html><html lang="en"><head><title>Webview</title><style>
html, body { height: 100%; margin: 0; overflow: hidden; }
#active-frame { width: 100%; height: 100%; border: 0; display: block; }
</style></head><body></body></html>`;

/** VS Code's style sheet for webviews, as far as the pages depend on it. */
const DEFAULT_STYLES = `@layer vscode-default {
  body {
    margin: 0; padding: 0 20px; background-color: transparent; color: var(--vscode-editor-foreground);
    font: var(--vscode-font-weight) var(--vscode-font-size) var(--vscode-font-family);
  }
  a, a code { color: var(--vscode-textLink-foreground); }
  code { color: var(--vscode-textPreformat-foreground); background-color: var(--vscode-textPreformat-background); }
  :is(a, input, select, textarea):focus { outline: 1px solid -webkit-focus-ring-color; outline-offset: -1px; }
}`;

export interface VscodePageDeps {
  /** The html that the extension assigns to its webview. */
  html(): string;
  received(message: unknown): void;
}

export class VscodePage {
  #theme: string;
  /** The state that the document stored with `setState`, as JSON. */
  #state: string | undefined;
  #document: Frame | undefined;
  #posted: { readonly message: unknown; readonly settle: (delivered: boolean) => void }[] = [];
  #posting = false;

  private constructor(
    readonly page: Page,
    private readonly deps: VscodePageDeps,
    theme: string,
  ) {
    this.#theme = theme;
  }

  /** Opens the workbench; the view is not shown yet. */
  static async open(page: Page, theme: string, deps: VscodePageDeps): Promise<VscodePage> {
    const opened = new VscodePage(page, deps, theme);
    await page.route(`${ORIGIN}/**`, route => {
      const { pathname } = new URL(route.request().url());
      if (/^\/(dist|media)\/[\w.-]+$/.test(pathname)) return route.fulfill({ path: path.join(ROOT, pathname) });
      if (pathname === "/page") return route.fulfill({ contentType: "text/html; charset=utf-8", body: "" });
      return route.fulfill({ contentType: "text/html", body: pathname === "/webview" ? WEBVIEW : WORKBENCH });
    });
    await page.exposeFunction("symposiumReceived", (json: string) => deps.received(JSON.parse(json)));
    await page.exposeFunction("symposiumState", (json: string) => {
      opened.#state = json;
    });
    await page.goto(ORIGIN);
    return opened;
  }

  get isShown(): boolean {
    return this.#document !== undefined;
  }

  /** Writes a new document, in place of the one that is shown. */
  async show(): Promise<void> {
    this.#leave();
    const webview = this.page.frames().find(frame => frame.url() === `${ORIGIN}/webview`);
    if (webview === undefined) throw new Error("The workbench has no webview.");
    await this.page.locator("iframe.webview").evaluate(frame => {
      frame.classList.add("ready");
      if (frame instanceof HTMLElement) frame.style.display = "";
    });
    await webview.evaluate(async html => {
      document.querySelector("#active-frame")?.remove();
      const frame = document.createElement("iframe");
      frame.id = "active-frame";
      frame.title = "Symposium";
      frame.sandbox.add("allow-scripts", "allow-same-origin", "allow-forms", "allow-downloads");
      frame.src = "/page";
      await new Promise(resolve => {
        frame.addEventListener("load", resolve, { once: true });
        document.body.append(frame);
      });
      frame.contentDocument?.open();
      frame.contentDocument?.write(html);
      frame.contentDocument?.close();
    }, this.#html());
    this.#document = webview.childFrames().at(-1);
  }

  async hide(): Promise<void> {
    this.#leave();
    await this.page.locator("iframe.webview").evaluate(frame => {
      if (frame instanceof HTMLIFrameElement) {
        frame.style.display = "none";
        frame.contentDocument?.querySelector("#active-frame")?.remove();
      }
    });
  }

  #leave(): void {
    this.#document = undefined;
    for (const { settle } of this.#posted.splice(0)) settle(false);
  }

  /** Loads the workbench again, as *Developer: Reload Window*; the view is not shown. */
  async reload(): Promise<void> {
    this.#leave();
    await this.page.reload();
  }

  async selectTheme(name: string): Promise<void> {
    const { classes, variables } = themeNamed(name);
    this.#theme = name;
    await this.#document?.evaluate(
      ({ name, classes, style }) => {
        document.documentElement.style.cssText = style;
        const kept = [...document.body.classList].filter(each => !each.startsWith("vscode-"));
        document.body.className = [...kept, ...classes.split(" ")].join(" ");
        document.body.dataset["vscodeThemeName"] = name;
        document.body.dataset["vscodeThemeKind"] = classes.split(" ")[0];
      },
      { name, classes, style: declarations(variables) },
    );
  }

  /** As `webview.postMessage`: resolves with whether the message was delivered. */
  post(message: unknown): Promise<boolean> {
    if (this.#document === undefined) return Promise.resolve(false);
    return new Promise(settle => {
      this.#posted.push({ message, settle });
      if (!this.#posting) void this.#postAll();
    });
  }

  /** Shows a modal dialog as VS Code does. Resolves to the label of the button that was pressed. */
  ask(question: string, buttons: readonly string[]): Promise<string> {
    return this.page.evaluate(
      ({ question, buttons }) =>
        new Promise<string>(resolve => {
          const dialog = document.createElement("div"),
            text = document.createElement("p");
          dialog.className = "monaco-dialog-box";
          dialog.style.cssText = "position: absolute; left: 400px; top: 200px; background: white";
          text.textContent = question;
          dialog.append(
            text,
            ...buttons.map(label => {
              const button = document.createElement("button");
              button.textContent = label;
              button.addEventListener("click", () => {
                dialog.remove();
                resolve(label);
              });
              return button;
            }),
          );
          document.body.append(dialog);
        }),
      { question, buttons },
    );
  }

  async #postAll(): Promise<void> {
    this.#posting = true;
    while (this.#posted.length > 0) {
      const posted = this.#posted.splice(0);
      const delivered = await this.#document
        ?.evaluate(
          messages => {
            for (const message of JSON.parse(messages) as readonly unknown[]) window.postMessage(message, "*");
          },
          JSON.stringify(posted.map(({ message }) => message)),
        )
        .then(
          () => true,
          () => false,
        );
      for (const { settle } of posted) settle(delivered ?? false);
    }
    this.#posting = false;
  }

  #html(): string {
    const { classes, variables } = themeNamed(this.#theme);
    const attributes = `role="document" class="${classes}" data-vscode-theme-kind="${classes.split(" ")[0]}"`;
    const api = readFileSync(path.join(ROOT, "src/test/webview/fixtures/webview-api.js"), "utf8");
    const before = `<script>${api.replace("STATE;", () => `${JSON.stringify(this.#state ?? "").replaceAll("<", "\\u003c")};`)}</script>`;
    return this.deps
      .html()
      .replace("<html ", () => `<html style="${declarations(variables).replaceAll('"', "'")}" `)
      .replace("<head>", () => `<head>${before}<style id="_defaultStyles">${DEFAULT_STYLES}</style>`)
      .replace("<body>", () => `<body ${attributes} data-vscode-theme-name="${this.#theme}">`);
  }
}

const declarations = (variables: Readonly<Record<string, string>>): string =>
  Object.entries({ ...variables })
    .map(([name, value]) => `--vscode-${name}: ${value}`)
    .join("; ");
