/** Captures the agent's output in a tab, for tests in the extension host, which cannot read the page. */
import { applyEvent, emptyConversation, type ChatEvent, type Conversation } from "../protocol/chat/chat";
import type { TabId } from "../protocol/page/host-to-page";

export class ResponseCapture {
  readonly #captures = new Map<TabId, Conversation>();

  /** Discards an earlier capture of this tab. */
  start(tabId: TabId): void {
    this.#captures.set(tabId, emptyConversation({ id: "", name: "" }, ""));
  }
  stop(tabId: TabId): void {
    this.#captures.delete(tabId);
  }

  onEvent(tabId: TabId, event: ChatEvent): void {
    const conversation = this.#captures.get(tabId);
    if (conversation) this.#captures.set(tabId, applyEvent(conversation, event));
  }

  /** The agent's text, without thoughts and tool calls. */
  response(tabId: TabId): string {
    return (this.#captures.get(tabId)?.entries ?? []).map(entry => (entry.kind === "agent" ? entry.text : "")).join("");
  }
}
