/**
 * Schedule of the page's requests for events and snapshots. Pure.
 *
 * Invariants:
 * - At most one request per tab is open.
 * - An unanswered request is repeated after one second, then two, four and eight, until a message arrives.
 * - After three seconds of a turn without a message, missed events are requested, because the end of the turn may have
 *   been dropped.
 * - Nothing is requested while no sidecar is running.
 */
import { ask } from "../../src/protocol/chat/delivery";
import type { TabId, TabPosition } from "../../src/protocol/page/host-to-page";
import {
  chain,
  post,
  show,
  turnOf,
  withTab,
  type RequestState,
  type Effect,
  type Page,
  type Step,
  type Tab,
} from "./page-model";

/** Milliseconds until an unanswered request is repeated. The delay doubles up to `MAX_WAIT_MS`. */
export const ASK_AGAIN_MS = 1_000;
/** Milliseconds of a turn without a message, after which missed events are requested. */
export const SILENCE_MS = 3_000;
const MAX_WAIT_MS = 8_000;
/** Milliseconds after which an unconfirmed answer to a question can be given again. */
const ANSWERING_MS = 5_000;

export const missing = (now: number): RequestState => ({ kind: "missing", since: now, wait: ASK_AGAIN_MS });

export function ticked(page: Page, now: number): Step {
  const started: Step =
    page.host.kind === "silent" && now - page.host.since >= ASK_AGAIN_MS
      ? askHost({ ...page, host: { ...page.host, since: now } }, [...page.tabs.keys()], "missing", now)
      : [page, []];
  return chain(started, expireAnswers(now), p => {
    if (p.sidecar.state !== "running" && p.sidecar.state !== "readOnly") return [p, []];
    const due = (kind: "missing" | "checking") =>
      [...p.tabs.values()].filter(tab => dueFor(tab, now) === kind).map(tab => tab.tabId);
    return chain(
      [p, []],
      q => askIfAny(q, due("missing"), "missing", now),
      q => askIfAny(q, due("checking"), "checking", now),
    );
  });
}

function dueFor(tab: Tab, now: number): "missing" | "checking" | undefined {
  const { asking } = tab;
  if (asking.kind === "missing") return now - asking.since >= asking.wait ? "missing" : undefined;
  if (turnOf(tab) === "idle") return undefined;
  const since = asking.kind === "checking" ? Math.max(asking.since, tab.lastMessageAt) : tab.lastMessageAt;
  return now - since >= Math.max(SILENCE_MS, asking.kind === "checking" ? asking.wait : 0) ? "checking" : undefined;
}

function expireAnswers(now: number): (page: Page) => Step {
  return page =>
    [...page.tabs.values()].reduce<Step>(
      (result, tab) => {
        const open = tab.answering.filter(({ since }) => now - since < ANSWERING_MS);
        return open.length === tab.answering.length
          ? result
          : chain(result, p => [withTab(p, { ...tab, answering: open }), [show(tab)]]);
      },
      [page, []],
    );
}

function askIfAny(page: Page, tabIds: readonly TabId[], kind: "missing" | "checking", now: number): Step {
  return tabIds.length === 0 ? [page, []] : askHost(page, tabIds, kind, now);
}

/** Posts the positions of these tabs. Without tabs, announces only the page, until the host has answered. */
export function askHost(page: Page, tabIds: readonly TabId[], kind: "missing" | "checking", now: number): Step {
  if (tabIds.length === 0 && page.host.kind === "met") return [page, []];
  const tabs = new Map(page.tabs);
  for (const tabId of tabIds) {
    const tab = tabs.get(tabId);
    if (!tab) continue;
    const wait =
      tab.asking.kind === kind
        ? Math.min(tab.asking.wait * 2, MAX_WAIT_MS)
        : kind === "missing"
          ? ASK_AGAIN_MS
          : SILENCE_MS;
    tabs.set(tabId, {
      ...tab,
      seen: ask(tab.seen),
      asking: { kind: tab.asking.kind === "missing" ? "missing" : kind, since: now, wait },
    });
  }
  return positioned({ ...page, tabs }, tabIds, []);
}

export function positioned(page: Page, tabIds: readonly TabId[], effects: readonly Effect[]): Step {
  const tabs = tabIds.flatMap((tabId): TabPosition[] => {
    const tab = page.tabs.get(tabId);
    if (!tab) return [];
    const { agent, cwd } = tab.conversation;
    return [
      {
        tabId,
        ...(tab.seen.at ? { at: tab.seen.at } : {}),
        requestNumber: tab.seen.requestNumber,
        ...(agent.id === "" ? {} : { agentId: agent.id }),
        ...(cwd === "" ? {} : { cwd }),
      },
    ];
  });
  return [page, [...effects, post({ type: "webviewReady", tabs })]];
}
