/**
 * Routes composer messages between the page and the editor: mention searches, context that only the editor can read,
 * and attachments added from the editor.
 *
 * Invariants:
 * - Only the newest search is answered.
 * - Attachments from the editor are queued, up to the limit of a prompt, until a page has received them.
 */
import { withAttachments, type Attachment } from "../protocol/chat/attachments";
import type { PageToHost } from "../protocol/page/host-to-page";
import type { ChatDeps } from "./chat-deps";

type Message<T extends PageToHost["type"]> = Extract<PageToHost, { type: T }>;

export class ComposerRoutes {
  #searching = new AbortController();
  /** Attachments and lines of text that wait for a page. */
  #pendingAttachments: readonly Attachment[] = [];
  #pendingLines: readonly string[] = [];

  constructor(private readonly deps: Pick<ChatDeps, "page" | "composer" | "log">) {}

  /** Never rejects. A failed search returns no results. */
  async find({ requestNumber, query }: Message<"findMentions">): Promise<void> {
    this.#searching.abort();
    const { signal } = (this.#searching = new AbortController());
    const found = (mentions: Parameters<Parameters<ChatDeps["composer"]["find"]>[1]>[0]): void => {
      if (!signal.aborted) this.deps.page.post({ type: "mentionsFound", requestNumber, mentions });
    };
    try {
      await this.deps.composer.find(query, found, signal);
    } catch (error) {
      this.deps.log.warn("webview", "Could not find mentions", { query, error });
      found([]);
    }
  }

  /** Rejects with a message about omitted items, even if other items were added. */
  async requestContext({ tabId, source }: Message<"requestContext">): Promise<void> {
    const { attachments, omitted } = await this.deps.composer.gather(source);
    if (attachments.length > 0) this.deps.page.post({ type: "attach", tabId, attachments });
    if (omitted !== undefined) throw new Error(omitted);
  }

  /** Adds attachments, and lines of text, to the selected tab's draft, now or when a page is ready. */
  async attach(attachments: readonly Attachment[], ...lines: readonly string[]): Promise<void> {
    this.#pendingAttachments = withAttachments(this.#pendingAttachments, attachments);
    this.#pendingLines = [...this.#pendingLines, ...lines];
    await this.pageReady();
  }

  async pageReady(): Promise<void> {
    const attachments = this.#pendingAttachments,
      lines = this.#pendingLines;
    if (attachments.length === 0 || !this.deps.page.isLive) return;
    this.#pendingAttachments = [];
    this.#pendingLines = [];
    const text = lines.length === 0 ? {} : { text: lines.join("\n") };
    if (await this.deps.page.deliver({ type: "attach", attachments, ...text })) return;
    this.#pendingAttachments = withAttachments(attachments, this.#pendingAttachments);
    this.#pendingLines = [...lines, ...this.#pendingLines];
    await this.pageReady();
  }

  dispose(): void {
    this.#searching.abort();
  }
}
