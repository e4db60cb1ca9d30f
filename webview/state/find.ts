/**
 * Find within the conversation of a tab, and the entry that a search has found. The sidecar searches, because the page
 * has only the newest entries. Pure.
 *
 *   closed ──findOpened──▶ open ──queryTyped──▶ searching ──found──▶ found ──findStepped──▶ found, the next entry
 *      ▲                                                                │
 *      └──────────────────────────── findClosed ────────────────────────┘
 *
 * Invariants:
 * - An answer to an earlier query is ignored.
 * - While entries change, the search is repeated, and the shown match remains.
 * - Entries before the page's window are requested in steps, one per drawn frame. A missing entry is ignored.
 */
import { lastIndexOf, type Entry, type FoundEvent } from "../../src/protocol/chat/chat";
import { NO_REVEAL, type Find, type FindAction, type Reveal, type Searched } from "./find-model";
import { chain, post, show, withTab, type Page, type Step, type Tab } from "./page-model";

/** Milliseconds after which an unanswered search is repeated, and the minimum between searches for changed entries. */
export const FIND_RETRY_MS = 2_000,
  REFRESH_MS = 1_000;
/** Milliseconds until a requested entry counts as missing. */
export const REVEAL_TIMEOUT_MS = 10_000;

export function handleFind(page: Page, tab: Tab, action: FindAction, now: number): Step {
  switch (action.kind) {
    case "findOpened":
      return opened(page, tab, action, now);
    case "queryTyped":
      return search(page, tab, action.query, originOf(tab), now);
    case "findStepped":
      return stepped(page, tab, action.by, now);
    case "findClosed":
      return tab.find.kind === "closed"
        ? [page, []]
        : [
            withTab(page, { ...tab, find: { kind: "closed", query: tab.find.query }, reveal: NO_REVEAL }),
            [show(tab), { kind: "focus", tabId: tab.tabId }],
          ];
  }
}

function opened(page: Page, tab: Tab, action: Extract<FindAction, { kind: "findOpened" }>, now: number): Step {
  const { origin, selection } = action,
    query = selection ?? tab.find.query;
  const [next, effects] =
    tab.find.kind === "closed" || query !== tab.find.query ? search(page, tab, query, origin, now) : [page, []];
  return [next, [...effects, { kind: "focusFind", tabId: tab.tabId }]];
}

/** A new query starts at the shown match, as in the editor. */
function originOf({ find, reveal }: Tab): string | undefined {
  return reveal.kind === "none" ? (find.kind === "closed" ? undefined : find.origin) : reveal.entryId;
}

function search(page: Page, tab: Tab, query: string, origin: string | undefined, now: number): Step {
  if (query.trim() === "")
    return [withTab(page, { ...tab, find: { kind: "open", query: "", origin }, reveal: NO_REVEAL }), [show(tab)]];
  return requested(page, tab, { kind: "searching", origin, query, request: requestOf(tab, now) });
}

function requestOf({ findRequests, conversation: { entries } }: Tab, now: number): Searched["request"] {
  return { number: findRequests + 1, at: now, entries };
}

/** A tab without a session sends its request later. */
function requested(page: Page, tab: Tab, find: Extract<Find, Searched>): Step {
  const { tabId, phase } = tab,
    requestNumber = find.request.number;
  return [
    withTab(page, { ...tab, find, findRequests: requestNumber }),
    [show(tab), ...(phase === "live" ? [post({ type: "find", tabId, requestNumber, query: find.query })] : [])],
  ];
}

/** Handles an answer of the sidecar. */
export function found(page: Page, tab: Tab, { requestNumber, entryIds, isCut }: FoundEvent, now: number): Step {
  const { find } = tab;
  if ((find.kind !== "searching" && find.kind !== "found") || find.request.number !== requestNumber) return [page, []];
  const { origin, query, request } = find,
    answer = { requestNumber, entryIds, isCut },
    shown = find.kind === "found" ? find.entryIds[find.at] : undefined,
    remaining = shown === undefined ? -1 : entryIds.indexOf(shown),
    at = remaining === -1 ? matchFrom(entryIds, tab.conversation.entries, shown ?? origin) : remaining,
    next: Tab = { ...tab, find: { kind: "found", origin, query, request, ...answer, at } },
    entryId = entryIds[at];
  if (entryId === undefined) return [withTab(page, { ...next, reveal: NO_REVEAL }), [show(tab)]];
  // A repeated search does not scroll.
  return remaining === -1 ? reveal(page, next, entryId, now) : [withTab(page, next), [show(tab)]];
}

/** Index of the first match at the origin or after it, otherwise of the newest match. */
function matchFrom(entryIds: readonly string[], entries: readonly Entry[], origin: string | undefined): number {
  const from = origin === undefined ? -1 : lastIndexOf(entries, origin);
  if (from === -1) return entryIds.length - 1;
  const after = new Set(entries.slice(from).map(({ id }) => id)),
    at = entryIds.findIndex(id => after.has(id));
  return at === -1 ? entryIds.length - 1 : at;
}

function stepped(page: Page, tab: Tab, by: 1 | -1, now: number): Step {
  const { find } = tab;
  if (find.kind !== "found") return [page, []];
  const count = find.entryIds.length,
    at = (find.at + by + count) % count,
    entryId = find.entryIds[at];
  return entryId === undefined ? [page, []] : reveal(page, { ...tab, find: { ...find, at } }, entryId, now);
}

/** Shows the entry of the tab, which may not have the entry yet. */
export function reveal(page: Page, tab: Tab, entryId: string, now: number): Step {
  const { conversation, phase, tabId } = tab,
    omitted = conversation.omitted?.count ?? 0;
  if (lastIndexOf(conversation.entries, entryId) !== -1) return revealed(page, tab, { kind: "shown", entryId });
  if (phase === "restored") return revealed(page, tab, { kind: "waiting", entryId });
  if (omitted === 0 || phase !== "live") return revealed(page, tab, NO_REVEAL);
  return chain(revealed(page, tab, { kind: "loading", entryId, omitted, at: now }), p => [
    p,
    [post({ type: "showEntry", tabId, entryId })],
  ]);
}

const revealed = (page: Page, tab: Tab, next: Reveal): Step => [withTab(page, { ...tab, reveal: next }), [show(tab)]];

/** Continues to load entries. Called after each drawn frame, so that a frame adds few cards. */
export function revealDrawn(page: Page, now: number): Step {
  return overTabs(page, (p, tab) => {
    const { reveal: wanted, conversation, phase } = tab;
    switch (wanted.kind) {
      case "none":
      case "shown":
        return [p, []];
      case "waiting":
        return phase === "restored" ? [p, []] : reveal(p, tab, wanted.entryId, now);
      case "loading":
        return (conversation.omitted?.count ?? 0) < wanted.omitted ? reveal(p, tab, wanted.entryId, now) : [p, []];
    }
  });
}

/** Repeats searches, and gives up missing entries. */
export function findTicked(page: Page, now: number): Step {
  return overTabs(page, (p, tab) => {
    const { find, reveal: wanted } = tab;
    if (wanted.kind === "loading" && now - wanted.at >= REVEAL_TIMEOUT_MS) return revealed(p, tab, NO_REVEAL);
    return tab.phase === "live" && isDue(tab, now) && "request" in find
      ? requested(p, tab, { ...find, request: requestOf(tab, now) })
      : [p, []];
  });
}

function isDue({ find, conversation }: Tab, now: number): boolean {
  if (find.kind === "searching") return now - find.request.at >= FIND_RETRY_MS;
  if (find.kind !== "found") return false;
  const wait = find.requestNumber === find.request.number ? REFRESH_MS : FIND_RETRY_MS;
  return find.request.entries !== conversation.entries && now - find.request.at >= wait;
}

function overTabs(page: Page, change: (page: Page, tab: Tab) => Step): Step {
  return [...page.tabs.values()].reduce<Step>((result, tab) => chain(result, p => change(p, tab)), [page, []]);
}
