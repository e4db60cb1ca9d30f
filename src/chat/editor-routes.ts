/** Routes the page's messages about the editor: links, diffs, texts, terminals, and the code of answers. */
import { NOT_TRUSTED, SidecarUnavailable } from "../errors";
import type { CodeColors } from "../protocol/page/code-colors";
import type { PageToHost } from "../protocol/page/host-to-page";
import type { ChatDeps } from "./chat-deps";
import type { SessionStarts } from "./session-start";

export type EditorMessage = Extract<
  PageToHost,
  {
    type:
      | "openLink"
      | "openDiff"
      | "openText"
      | "openTerminal"
      | "insertCode"
      | "applyCode"
      | "findFiles"
      | "openSymbol";
  }
>;

export class EditorRoutes {
  /** Colors that the page has received. */
  #posted: CodeColors | undefined;

  constructor(
    private readonly deps: Pick<
      ChatDeps,
      | "page"
      | "codeColors"
      | "names"
      | "openLink"
      | "openDiff"
      | "showText"
      | "showPrintout"
      | "code"
      | "isTrusted"
      | "log"
    >,
    private readonly starts: Pick<SessionStarts, "agentOf" | "folderOf">,
  ) {}

  /** Rejects with a message for the user. */
  async handle(message: EditorMessage): Promise<void> {
    const { deps } = this;
    switch (message.type) {
      case "openLink":
        return message.preview ? this.#preview(message.href) : deps.openLink(message.href, false);
      case "openDiff":
        return deps.openDiff(message, this.starts.agentOf(message.tabId));
      case "openText":
        return deps.showText(message.title, message.text);
      case "openTerminal":
        return deps.showPrintout(message);
      case "findFiles":
        return this.#findFiles(message);
      case "openSymbol":
        this.#requireTrust();
        return deps.names.openSymbol(message.name);
      case "insertCode":
        this.#requireTrust();
        return deps.code.insert(message.code);
      case "applyCode":
        this.#requireTrust();
        return deps.code.propose(message.code, message, this.starts.folderOf(message.tabId));
    }
  }

  /** Failures of an unsolicited preview are only logged. */
  async #preview(href: string): Promise<void> {
    await this.deps
      .openLink(href, true)
      .catch((error: unknown) => this.deps.log.debug("webview", "Could not show the agent's current file", { error }));
  }

  /** A new page has its own colors of code. */
  async pageReady(): Promise<void> {
    this.#posted = undefined;
    await this.codeColorsChanged();
  }

  async codeColorsChanged(): Promise<void> {
    const colors = await this.deps.codeColors();
    if (!this.deps.page.isLive || colors === this.#posted) return;
    this.#posted = colors;
    this.deps.page.post({ type: "codeColors", ...(colors === undefined ? {} : { colors }) });
  }

  /** An untrusted workspace has no links in answers. */
  async #findFiles({ tabId, names }: Extract<EditorMessage, { type: "findFiles" }>): Promise<void> {
    if (!this.deps.isTrusted()) return;
    const files = await this.deps.names.files(names, this.starts.folderOf(tabId));
    if (files.length > 0) this.deps.page.post({ type: "filesFound", tabId, files });
  }

  #requireTrust(): void {
    if (!this.deps.isTrusted()) throw new SidecarUnavailable(NOT_TRUSTED);
  }
}
