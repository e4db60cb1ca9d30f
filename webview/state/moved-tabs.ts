/**
 * Tabs on their way between the chat view and editors, and the title of an editor's tab. Pure.
 *
 * Invariants:
 * - A tab stays in its page until the host confirms with `releaseTab`, so that its unsent content is never lost.
 * - An editor opens no second tab. The host opens it in the chat view.
 */
import { chatTitle } from "../../src/protocol/chat/chat-title";
import type { HostToPage, MoveCommand, MovedTab, PageToHost, TabId } from "../../src/protocol/page/host-to-page";
import { readableLine } from "../../src/protocol/text/visible-text";
import { openStored } from "./page-actions";
import { chain, post, SAVE, show, withTab, type Page, type Step, type Tab } from "./page-model";

const DESTINATION = {
  moveToEditor: "editor",
  moveToWindow: "window",
  moveToView: "view",
} as const satisfies Readonly<Record<MoveCommand, Extract<PageToHost, { type: "moveTab" }>["to"]>>;

/** Passes the tab to the host, which opens it elsewhere. No effect if the tab is already there. */
export function moveTab(page: Page, tab: Tab, command: MoveCommand): Step {
  const to = DESTINATION[command];
  return [
    page,
    (to === "view") === (page.surface === "view") ? [] : [post({ type: "moveTab", to, ...contentOf(tab) })],
  ];
}

function contentOf({ tabId, conversation, drafts }: Tab): MovedTab {
  const { agent, cwd } = conversation;
  return {
    tabId,
    ...(agent.id === "" ? {} : { agent }),
    ...(cwd === "" ? {} : { cwd }),
    title: (chatTitle(conversation) ?? "").slice(0, MAX_TITLE),
    drafts,
  };
}

/** Opens the tab. The snapshot of its session then sends the prompts in flight that the session has not received. */
export function openMoved(
  page: Page,
  { tabId, agent, cwd = "", title, drafts }: Extract<HostToPage, { type: "movedTab" }>,
  now: number,
): Step {
  const isNew = !page.tabs.has(tabId),
    agentId = agent?.id ?? page.currentAgentId;
  return chain(openStored(page, { type: "openTab", tabId, agentId, cwd }, now), p => {
    const tab = p.tabs.get(tabId);
    if (tab === undefined || !isNew) return [p, []];
    const conversation = {
      ...tab.conversation,
      ...(agent === undefined ? {} : { agent }),
      ...(title === "" ? {} : { title }),
    };
    const moved = { ...tab, drafts, conversation };
    return [withTab(p, moved), [show(moved), SAVE]];
  });
}

/** Removes a tab that another surface shows, and selects its neighbor. */
export function release(page: Page, tabId: TabId): Step {
  if (!page.tabs.has(tabId)) return [page, []];
  const ids = [...page.tabs.keys()],
    at = ids.indexOf(tabId),
    next = page.selected === tabId ? (ids[at + 1] ?? ids[at - 1]) : page.selected,
    tabs = new Map(page.tabs);
  tabs.delete(tabId);
  return [
    { ...page, tabs, closed: new Set([...page.closed, tabId]), selected: next },
    [
      SAVE,
      { kind: "close", tabId },
      ...(next === undefined || next === page.selected
        ? []
        : [{ kind: "select", tabId: next } as const, post({ type: "selectTab", tabId: next })]),
    ],
  ];
}

/** The text of a tab's title, without its status. */
export function plainTitle({ conversation, drafts }: Tab): string {
  return readableLine(chatTitle(conversation, drafts.onTheWay[0]?.text) ?? (conversation.agent.name || "Chat"));
}
const MAX_TITLE = 200;

/** Sends a changed title to the host, which shows it in the tab of the editor. */
export function reportTitle(page: Page): Step {
  const [tab] = page.tabs.values();
  if (page.surface === "view" || tab === undefined) return [page, []];
  const title = plainTitle(tab).slice(0, MAX_TITLE);
  return title === page.reportedTitle
    ? [page, []]
    : [{ ...page, reportedTitle: title }, [post({ type: "titleChanged", title })]];
}
