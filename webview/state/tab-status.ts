/** Status of a tab that its dot shows, and the part of its conversation that the user has seen. Pure. */
import type { Conversation } from "../../src/protocol/chat/chat";
import { isLive, isQuestion, show, turnOf, withTab, type Effect, type Page, type Tab } from "./page-model";

/** `unread`, `failed`: a turn has ended while another tab was selected, `failed` with an error. */
export type TabStatus = "idle" | "working" | "question" | "unread" | "failed";

export function tabStatus(page: Page, tab: Tab): TabStatus {
  const { conversation, read, tabId } = tab;
  if (isLive(page, tab) && conversation.entries.some(entry => isQuestion(entry) && entry.answered === undefined))
    return "question";
  if (turnOf(tab) !== "idle") return "working";
  if (page.selected === tabId || read === undefined || read === endOf(conversation)) return "idle";
  const last = conversation.entries.at(-1);
  return last?.kind === "notice" && last.severity === "error" ? "failed" : "unread";
}

/** Call after a drawing. The content of a restored tab counts as seen, unless an earlier page has recorded less. */
export function markRead(page: Page): Page {
  return [...page.tabs.values()].reduce((result, tab) => {
    if (tab.phase !== "live" || (tab.tabId !== page.selected && tab.read !== undefined)) return result;
    const read = endOf(tab.conversation);
    return read === tab.read ? result : withTab(result, { ...tab, read });
  }, page);
}

/** Redraws a tab whose dot disappears because it was selected. */
export function statusUpdates(before: Page, after: Page): readonly Effect[] {
  const tab = before.selected === after.selected ? undefined : before.tabs.get(after.selected ?? ""),
    status = tab && tabStatus(before, tab);
  return tab && (status === "unread" || status === "failed") ? [show(tab)] : [];
}

/** Identifies the end of the conversation. Ids have any length. */
function endOf({ entries }: Conversation): string {
  const last = entries.at(-1);
  if (last === undefined) return "";
  const state = last.kind === "tool" ? last.status : "text" in last ? String(last.text.length) : "";
  return `${last.id.slice(0, MAX_ID)} ${state}`;
}
const MAX_ID = 200;
