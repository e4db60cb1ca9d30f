/** The content of a tab in the tab strip, as HTML. Pure. */
import { chatTitle } from "../../../src/protocol/chat/chat-title";
import { readableLine } from "../../../src/protocol/text/visible-text";
import { isEmpty } from "../../state/drafts";
import type { Page, Tab } from "../../state/page-model";
import { tabStatus } from "../../state/tab-status";
import { texts } from "../text/chat-texts";
import { escapeHtml } from "../text/markdown-safe";

/** For screen readers and in the tooltip. */
const spoken = (text: string): string => `<span class="symposium-unseen">${text}: </span>`;
/** Prefix of the title of a tab with a draft. */
const DRAFT = `<span aria-hidden="true">✎ </span>${spoken(texts.draft)}`;

/** A dot with the tab's status, a mark of its draft, and its title. */
export function titleHtml(page: Page, tab: Tab): string {
  const { conversation, drafts } = tab,
    status = tabStatus(page, tab),
    title = chatTitle(conversation, drafts.onTheWay[0]?.text) ?? (conversation.agent.name || "Chat");
  return [
    status === "idle"
      ? ""
      : `<span class="symposium-dot symposium-dot-${status}"></span>${spoken(texts.tabStatus[status])}`,
    isEmpty(drafts) ? "" : DRAFT,
    escapeHtml(readableLine(title)),
  ].join("");
}
