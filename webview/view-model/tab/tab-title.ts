/** The content of a tab in the tab strip, as HTML. Pure. */
import { isEmpty } from "../../state/drafts";
import { plainTitle } from "../../state/moved-tabs";
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
  const status = tabStatus(page, tab);
  return [
    status === "idle"
      ? ""
      : `<span class="symposium-dot symposium-dot-${status}"></span>${spoken(texts.tabStatus[status])}`,
    isEmpty(tab.drafts) ? "" : DRAFT,
    escapeHtml(plainTitle(tab)),
  ].join("");
}
