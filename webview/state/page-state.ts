/**
 * State machine of the page: handles each message of the host and each action of the user. Pure; `runtime.ts` executes
 * the effects.
 *
 *   restored ──snapshot──▶ live ──sidecar died, or another boot──▶ interrupted ──its snapshot──▶ live
 *
 * Invariants:
 * - A conversation changes only through `applyEvent`, a snapshot that `receive` accepts, and `interrupted`.
 * - Displayed content remains until a snapshot replaces it. The sidecar's journal is the only copy, so that a new page
 *   is empty until its first snapshot.
 * - At most one request per tab is open, repeated after one second, then two, four and eight.
 * - Typed text is a draft, in flight, or in the conversation.
 * - An input shows the draft.
 */
import { emptyConversation } from "../../src/protocol/chat/chat";
import type { HostToPage, TabId } from "../../src/protocol/page/host-to-page";
import * as drafts from "./drafts";
import { attach, forwarded, mentionsFound, sidecarFailed, sidecarReturned } from "./composing";
import { askHost, ticked } from "./page-requests";
import {
  agentOf,
  interruptAll,
  chain,
  freshTab,
  MAX_TABS,
  post,
  remarkOn,
  SAVE,
  SAVE_SOON,
  show,
  withTab,
  withTabs,
  type Effect,
  type UiEvent,
  type Page,
  type Step,
  type Surface,
  type Tab,
} from "./page-model";
import { branchOpened, startBranch, startRewind } from "./branching";
import { filesFound } from "./file-names";
import { findTicked, revealDrawn } from "./find";
import { follow, followed } from "./follow-mode";
import type { SavedPage } from "./saved-page";
import { agentChosen, agentSelected, isBlank, settingsApplied } from "./tab-agent";
import { openMoved, release, reportTitle } from "./moved-tabs";
import { tabMessageReceived } from "./tab-messages";
import { markRead, statusUpdates } from "./tab-status";
import { chatTitle } from "../../src/protocol/chat/chat-title";
import { runCommand } from "./page-commands";
import { questionsRedrawn } from "./seen-questions";
import { opened, openDraft, openOne, openStored, handleAction } from "./page-actions";

/**
 * `requestNumber`: any increasing number, such as the system time. `now`: milliseconds of the clock of all later steps.
 */
export function openPage(saved: SavedPage, requestNumber: number, now: number, surface: Surface = "view"): Step {
  const start = Math.max(requestNumber, saved.asked + 1);
  const tabs = saved.tabs
    .slice(0, surface === "editor" ? 1 : MAX_TABS)
    .map(({ tabId, agent, cwd, title, drafts, read }): [TabId, Tab] => [
      tabId,
      {
        ...freshTab(tabId, agent, start, now),
        drafts,
        read,
        conversation: { ...emptyConversation(agent, cwd), ...(title === "" ? {} : { title }) },
      },
    ]);
  const selected = tabs.some(([tabId]) => tabId === saved.selected) ? saved.selected : tabs[0]?.[0];
  const page: Page = {
    surface,
    reportedTitle: "",
    tabs: new Map(tabs),
    selected,
    focused: undefined,
    answeredByCommand: -Infinity,
    closed: new Set(),
    agents: [],
    currentAgentId: "",
    sidecar: { state: "running" },
    host: { kind: "silent", since: now },
    handled: 0,
    acknowledged: 0,
    requestNumber: start,
    requireModifier: saved.requireModifier ?? false,
    finding: { requestNumber: start, tabId: "", query: "" },
    toAttach: [],
    openingWith: undefined,
    openingDraft: undefined,
    branch: undefined,
    outdated: [],
    bypassed: [],
    firstScreen: undefined,
    following: saved.following ?? false,
    follow: { wanted: undefined, opened: -Infinity, typed: -Infinity },
  };
  const shown = tabs.flatMap(([tabId, tab]): Effect[] => [
    { kind: "open", tabId },
    { kind: "show", tabId },
    ...(tab.drafts.text === "" ? [] : [{ kind: "fill", tabId, text: tab.drafts.text } as const]),
  ]);
  return chain(
    [page, [...shown, ...(selected === undefined ? [] : [{ kind: "select", tabId: selected } as const])]],
    p => askHost(p, [...p.tabs.keys()], "missing", now),
  );
}

export function step(page: Page, event: UiEvent, now: number): Step {
  const [after, effects] = handleEvent(page, event, now);
  return [
    after,
    event.kind === "typed" ? effects : [...effects, ...inputUpdates(page, after), ...statusUpdates(page, after)],
  ];
}

/** Fills the inputs of drafts that changed by other events than typing. */
function inputUpdates(before: Page, after: Page): readonly Effect[] {
  return before.tabs === after.tabs
    ? []
    : [...after.tabs.values()].flatMap(({ tabId, drafts: { text } }): Effect[] =>
        text === (before.tabs.get(tabId)?.drafts.text ?? "") ? [] : [{ kind: "fill", tabId, text }],
      );
}

function handleEvent(page: Page, event: UiEvent, now: number): Step {
  switch (event.kind) {
    case "received":
      return chain(received(page, event.message, now), p => followed(page, p, event.message, now));
    case "ticked":
      return chain(
        ticked(page, now),
        p => follow(p, now),
        p => findTicked(p, now),
      );
    case "followToggled":
      return [
        { ...page, following: !page.following, follow: { ...page.follow, wanted: undefined } },
        [...[...page.tabs.values()].map(show), SAVE],
      ];
    case "focusMoved":
      return [{ ...page, focused: event.to }, []];
    case "pageFocused":
      return [page, [post({ type: "focusChanged", hasFocus: event.hasFocus })]];
    case "drawn":
      return chain(revealDrawn(markRead(questionsRedrawn(page, now)), now), reportTitle, p =>
        p.handled === p.acknowledged
          ? [p, [SAVE_SOON]]
          : [{ ...p, acknowledged: p.handled }, [SAVE_SOON, post({ type: "ack", handled: p.handled })]],
      );
    case "linkClicked":
      return [page, [post({ type: "openLink", href: event.href })]];
    case "extensionsDisabled":
      return [page, [post({ type: "disableExtensions", ids: event.ids })]];
    case "extensionsPreviewed":
      return [page, [post({ type: "previewExtensions" })]];
    case "agentChosen":
      return agentChosen(page, event.agentId, now);
    case "opened":
      return opened(page, event.tabId, now);
    default: {
      const tab = page.tabs.get(event.tabId);
      if (tab === undefined) return [page, []];
      if (event.kind === "branched") return startBranch(page, tab, event);
      return event.kind === "rewound" ? startRewind(page, tab, event) : handleAction(page, tab, event, now);
    }
  }
}

export function saved(page: Page): SavedPage {
  const tabs = [...page.tabs.values()];
  return {
    version: 1,
    asked: Math.max(page.requestNumber, ...tabs.map(tab => tab.seen.requestNumber)),
    selected: page.selected ?? "",
    ...(page.following ? { following: true } : {}),
    ...(page.requireModifier ? { requireModifier: true } : {}),
    tabs: tabs.map(({ tabId, conversation, drafts, read }) => ({
      tabId,
      agent: conversation.agent,
      cwd: conversation.cwd,
      title: chatTitle(conversation, drafts.onTheWay[0]?.text) ?? "",
      drafts,
      ...(read === undefined ? {} : { read }),
    })),
  };
}

// --- messages from the host

function received(page: Page, message: HostToPage, now: number): Step {
  switch (message.type) {
    case "event":
    case "snapshot": {
      const counted = { ...page, handled: page.handled + 1 };
      const tab = page.tabs.get(message.tabId);
      return tab ? tabMessageReceived(counted, tab, message, now) : [counted, [{ kind: "show", tabId: message.tabId }]];
    }
    case "state":
      return stateReceived(page, message, now);
    case "requestReplay":
      return askHost(page, [...page.tabs.keys()], "checking", now);
    case "openTab":
      if (message.tabId !== undefined) return openStored(page, message, now);
      return message.draft === undefined ? openOne(page, message.agentId) : openDraft(page, message.draft);
    case "forked":
      return branchOpened(page, message, now);
    case "firstScreen":
      return [{ ...page, firstScreen: message.screen }, [...page.tabs.values()].filter(isBlank).map(show)];
    case "filesFound": {
      const tab = page.tabs.get(message.tabId);
      return tab ? filesFound(page, tab, message.files) : [page, []];
    }
    case "codeColors":
      return [page, [{ kind: "colorCode", colors: message.colors }]];
    case "runCommand":
      return runCommand(page, message.command, now);
    case "notice":
      return remarkOn(page, page.selected, {
        tone: message.tone,
        text: message.message,
        actions: message.actions,
      });
    case "movedTab":
      return openMoved(page, message, now);
    case "releaseTab":
      return release(page, message.tabId);
    case "closeTab":
      return [page, page.tabs.has(message.tabId) ? [{ kind: "close", tabId: message.tabId }] : []];
    case "agentSelected":
      return agentSelected(page, message, now);
    case "mentionsFound":
      return mentionsFound(page, message);
    case "attach":
      return attachReceived(page, message);
    case "failed": {
      const tab = page.tabs.get(message.tabId);
      return tab ? failed(page, tab, message) : [page, []];
    }
  }
}

/**
 * Moves only the failed prompt back to the draft, because others may be accepted. If the tab has no session, all its
 * prompts move back.
 */
function failed(
  page: Page,
  tab: Tab,
  { messageId, message, noSession }: Extract<HostToPage, { type: "failed" }>,
): Step {
  const back = drafts.restoreFailed(tab.drafts, prompt =>
    noSession ? tab.phase === "restored" : prompt.messageId === messageId,
  );
  const after: Tab = {
    ...tab,
    drafts: back,
    answering: messageId === undefined ? [] : tab.answering,
    remark: { tone: "error", text: message },
  };
  return [
    withTab(page, after),
    [show(tab), ...(back === tab.drafts ? [] : [SAVE]), ...forwarded(page, tab.drafts.onTheWay, after)],
  ];
}

/** Attaches to the given tab, otherwise to the selected tab, otherwise to a new one. */
function attachReceived(page: Page, { tabId, attachments, text }: Extract<HostToPage, { type: "attach" }>): Step {
  const tab =
    page.tabs.get(tabId ?? page.selected ?? "") ?? (tabId === undefined ? page.tabs.values().next().value : undefined);
  if (tab) {
    const withText = text === undefined ? tab : { ...tab, drafts: drafts.suggested(tab.drafts, text) };
    return chain(attach(page, withText, attachments), p => [
      p,
      p.selected === tab.tabId ? [{ kind: "focus", tabId: tab.tabId }] : [],
    ]);
  }
  return tabId === undefined ? openOne({ ...page, toAttach: [...page.toAttach, ...attachments] }) : [page, []];
}

function stateReceived(page: Page, state: Extract<HostToPage, { type: "state" }>, now: number): Step {
  const first = page.host.kind === "silent";
  const hostSelected = page.host.kind === "met" ? page.host.selected : undefined;
  const agent = agentOf(state.agents, state.currentAgentId);
  const remaining = MAX_TABS - page.tabs.size;
  const unknown = state.tabs.filter(tabId => !page.tabs.has(tabId) && !page.closed.has(tabId)).slice(0, remaining);
  const next: Page = {
    ...page,
    agents: state.agents,
    currentAgentId: state.currentAgentId,
    sidecar: state.sidecar,
    requireModifier: state.requireModifier === true,
    outdated: state.outdated ?? [],
    bypassed: state.bypassed ?? [],
    host: { kind: "met", selected: state.selected },
    tabs: new Map([
      ...page.tabs,
      ...unknown.map((tabId): [TabId, Tab] => [tabId, freshTab(tabId, agent, page.requestNumber, now)]),
    ]),
  };
  const all = [...next.tabs.keys()];
  const effects: Effect[] = [
    { kind: "showAgents" },
    ...unknown.map(tabId => ({ kind: "open", tabId }) as const),
    ...all.map(tabId => ({ kind: "show", tabId }) as const),
    ...(next.requireModifier === page.requireModifier ? [] : [SAVE]),
  ];
  const isSidecarBack = page.sidecar.state !== "running" && state.sidecar.state === "running";
  const { sidecar } = state,
    hasExited = sidecar.state === "restarting" || sidecar.state === "failed",
    brokenBy = hasExited && (first || page.sidecar.state === "running") ? sidecar.message : undefined;
  return chain(
    [next, effects],
    p => [brokenBy === undefined ? p : interruptAll(p, brokenBy), []],
    p => [isSidecarBack ? withTabs(p, sidecarReturned) : p, []],
    p => [sidecar.state === "failed" || sidecar.state === "readOnly" ? withTabs(p, sidecarFailed) : p, []],
    p => askHost(p, isSidecarBack ? all : unknown, "missing", now),
    p => settingsApplied(p, page.outdated, now),
    p => selectTab(p, tabToSelect(p, state.selected, first, hostSelected)),
    p => (first && p.tabs.size === 0 && p.surface === "view" ? openOne(p) : [p, []]),
  );
}

/** The tab to select: the host's selection when it changes. At first the page's own selection takes precedence. */
function tabToSelect(
  page: Page,
  host: TabId | undefined,
  first: boolean,
  before: TabId | undefined,
): TabId | undefined {
  const changed = host !== undefined && page.tabs.has(host) && (first ? page.selected === undefined : host !== before);
  return changed ? host : (page.selected ?? page.tabs.keys().next().value);
}

function selectTab(page: Page, tabId: TabId | undefined): Step {
  return tabId === undefined || tabId === page.selected
    ? [page, []]
    : [{ ...page, selected: tabId }, [{ kind: "select", tabId }, SAVE]];
}
