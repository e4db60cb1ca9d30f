/**
 * Handles the user's actions in tabs, such as opening a tab and answering a question. `composing.ts` handles those on
 * prompts. Pure.
 */
import * as l10n from "@vscode/l10n";
import { emptyConversation, type ActionId } from "../../src/protocol/chat/chat";
import type { HostToPage, PageToHost, TabId } from "../../src/protocol/page/host-to-page";
import { attach, attachTranscript, handleComposing, sentAgain, stopped } from "./composing";
import { isEmpty, typed } from "./drafts";
import { isUnprompted } from "./tab-agent";
import { handleFind, reveal } from "./find";
import { askFiles } from "./file-names";
import type { Branching, Rewinding } from "./branch-model";
import { questionsSeen } from "./seen-questions";
import { askHost } from "./page-requests";
import { demoStarted } from "./tab-agent";
import {
  agentOf,
  chain,
  freshTab,
  isLive,
  MAX_TABS,
  post,
  remarkOn,
  SAVE,
  show,
  withDrafts,
  withTab,
  type Remark,
  type UserAction,
  type Page,
  type Step,
  type Tab,
} from "./page-model";

type StoredSessionTab = Extract<HostToPage, { type: "openTab"; tabId: TabId }>;

export function opened(page: Page, tabId: TabId, now: number): Step {
  if (page.tabs.has(tabId)) return [page, []];
  const agentId = page.openingWith,
    tab = freshTab(tabId, agentOf(page.agents, agentId ?? page.currentAgentId), page.requestNumber, now);
  return chain(
    [
      { ...withTab(page, tab), selected: tabId, toAttach: [], openingWith: undefined, openingDraft: undefined },
      [
        post({ type: "newTab", tabId, ...(agentId === undefined ? {} : { agentId }) }),
        post({ type: "selectTab", tabId }),
        show(tab),
        SAVE,
        ...(agentId === undefined ? [] : [{ kind: "focus", tabId } as const]),
      ],
    ],
    p => askHost(p, [tabId], "missing", now),
    p => (page.openingDraft === undefined ? [p, []] : withLinkDraft(p, tabId, page.openingDraft)),
    p => {
      const openedTab = p.tabs.get(tabId);
      return openedTab && page.toAttach.length > 0
        ? chain(attach(p, openedTab, page.toAttach), q => [q, [{ kind: "focus", tabId }]])
        : [p, []];
    },
  );
}

/** `agentId`: the new tab's agent; default: the agent of new tabs. */
export function openOne(page: Page, agentId?: string): Step {
  if (page.surface === "editor")
    return [page, [post({ type: "openInView", ...(agentId === undefined ? {} : { agentId }) })]];
  return page.tabs.size < MAX_TABS ? [{ ...page, openingWith: agentId }, [{ kind: "openOne" }]] : tooManyTabs(page);
}

/** Uses the selected tab if it is empty. Until a restored tab is live, its conversation is unknown. */
export function openDraft(page: Page, draft: string): Step {
  const tab = page.tabs.get(page.selected ?? "");
  return tab && isUnprompted(tab) && isEmpty(tab.drafts) && (tab.phase === "live" || tab.conversation.cwd === "")
    ? withLinkDraft(page, tab.tabId, draft)
    : openOne(page.tabs.size < MAX_TABS ? { ...page, openingDraft: draft } : page);
}

function withLinkDraft(page: Page, tabId: TabId, text: string): Step {
  const tab = page.tabs.get(tabId);
  return tab === undefined
    ? [page, []]
    : chain(withDrafts(page, { ...tab, remark: FROM_LINK }, typed(tab.drafts, text)), p => [
        p,
        [{ kind: "focus", tabId }],
      ]);
}
const FROM_LINK: Remark = {
  tone: "info",
  text: l10n.t("This prompt comes from a link. Read it before you send it."),
};

/**
 * Opens or selects the tab of a stored session. Like a restored tab, a new one requests its session with the journal: a
 * `newTab` message would start an empty conversation. `entryId`: the entry to show.
 */
export function openStored(page: Page, { tabId, agentId, cwd, entryId }: StoredSessionTab, now: number): Step {
  if (page.tabs.has(tabId)) return chain(selectStored(page, tabId), p => revealStored(p, tabId, entryId, now));
  if (page.tabs.size >= MAX_TABS) return tooManyTabs(page);
  const agent = agentOf(page.agents, agentId),
    tab = { ...freshTab(tabId, agent, page.requestNumber, now), conversation: emptyConversation(agent, cwd) };
  return chain(
    [
      { ...withTab(page, tab), closed: new Set([...page.closed].filter(closedId => closedId !== tabId)) },
      [{ kind: "open", tabId }, show(tab)],
    ],
    p => selectStored(p, tabId),
    p => askHost(p, [tabId], "missing", now),
    p => revealStored(p, tabId, entryId, now),
  );
}

function revealStored(page: Page, tabId: TabId, entryId: string | undefined, now: number): Step {
  const tab = page.tabs.get(tabId);
  return tab && entryId !== undefined ? reveal(page, tab, entryId, now) : [page, []];
}

function selectStored(page: Page, tabId: TabId): Step {
  return [
    { ...page, selected: tabId },
    [{ kind: "select", tabId }, post({ type: "selectTab", tabId }), SAVE, { kind: "focus", tabId }],
  ];
}

/** Says in the selected tab that no further tab can be opened. */
export function tooManyTabs(page: Page): Step {
  return remarkOn(page, page.selected, {
    tone: "info",
    text: l10n.t`${MAX_TABS} tabs are open. Close one to open another.`,
  });
}

export function handleAction(
  page: Page,
  tab: Tab,
  action: Exclude<UserAction, Branching | Rewinding>,
  now: number,
): Step {
  const { tabId } = tab;
  switch (action.kind) {
    case "closed": {
      const tabs = new Map(page.tabs);
      tabs.delete(tabId);
      return [
        {
          ...page,
          tabs,
          closed: new Set([...page.closed, tabId].slice(-50)),
          selected: page.selected === tabId ? undefined : page.selected,
        },
        [post({ type: "closeTab", tabId }), SAVE],
      ];
    }
    case "selected":
      return page.selected === tabId
        ? [page, []]
        : [{ ...page, selected: tabId }, [post({ type: "selectTab", tabId }), show(tab), SAVE]];
    case "stopped":
      return stopped(page, tab);
    case "findOpened":
    case "queryTyped":
    case "findStepped":
    case "findClosed":
      return handleFind(page, tab, action, now);
    case "newTabWanted":
      return openOne(page, action.agentId ?? tab.conversation.agent.id);
    case "answered":
      return answered(
        page,
        tab,
        action.permissionId,
        { type: "answerPermission", tabId, permissionId: action.permissionId, choice: action.choice },
        now,
      );
    case "demoStarted":
      return demoStarted(page, tab, now);
    case "questionsSeen":
      return [questionsSeen(page, tab, action.entryIds, now), []];
    case "bypassWanted":
      return [page, isLive(page, tab) ? [post({ type: "bypass", tabId })] : []];
    case "elicitationAnswered":
      return answered(
        page,
        tab,
        action.elicitationId,
        { type: "answerElicitation", tabId, elicitationId: action.elicitationId, choice: action.choice },
        now,
      );
    case "reviewed": {
      const { kind: _, ...review } = action;
      return [page, isLive(page, tab) ? [post({ type: "review", ...review })] : []];
    }
    case "diffWanted": {
      const { kind: _, ...change } = action;
      return [page, [post({ type: "openDiff", ...change })]];
    }
    case "codeInserted":
      return [page, [post({ type: "insertCode", tabId, code: action.code })]];
    case "codeApplied":
      return [
        page,
        [post({ type: "applyCode", tabId, code: action.code, named: action.named, mentioned: action.mentioned })],
      ];
    case "filesNamed":
      return askFiles(page, tab, action.names);
    case "symbolWanted":
      return [page, [post({ type: "openSymbol", tabId, name: action.name })]];
    case "terminalWanted":
      return [
        page,
        (tab.conversation.terminals ?? [])
          .filter(({ terminalId }) => terminalId === action.terminalId)
          .map(({ command, output, exit }) =>
            post({ type: "openTerminal", tabId, command, output, ...(exit ? { exit } : {}) }),
          ),
      ];
    case "controlChosen":
      return [
        page,
        [
          ...(isLive(page, tab)
            ? [post({ type: "setControl", tabId, controlId: action.controlId, value: action.value })]
            : []),
          show(tab),
        ],
      ];
    case "actionChosen":
      switch (action.action) {
        case "sendAgain":
          return sentAgain(page, tab, action.messageId, now);
        case "sendTranscript":
          return attachTranscript(page, tab);
        case "takeOver":
          return takeOver(page, tab, now);
        case "openOrigin":
          return openOrigin(page, tab);
        default:
          return chain(withoutRemark(page, tab, action.action), p => [
            p,
            [post({ type: "action", tabId, action: action.action })],
          ]);
      }
    default:
      return handleComposing(page, tab, action, now);
  }
}

/** Removes the remark that offered the action. */
function withoutRemark(page: Page, tab: Tab, action: ActionId): Step {
  return tab.remark?.actions?.includes(action) === true
    ? [withTab(page, { ...tab, remark: undefined }), [show(tab)]]
    : [page, []];
}

function openOrigin(page: Page, { tabId, conversation: { origin } }: Tab): Step {
  if (origin === undefined) return [page, []];
  const { conversation } = origin;
  return page.tabs.has(conversation)
    ? selectStored(page, conversation)
    : [page, [post({ type: "openSession", tabId, conversation })]];
}

/** Opens the conversation anew. The other window then stops writing it. */
function takeOver(page: Page, tab: Tab, now: number): Step {
  const { tabId, seen, drafts, conversation } = tab,
    { agent, cwd } = conversation,
    fresh = {
      ...freshTab(tabId, agent, seen.requestNumber, now),
      drafts,
      conversation: { ...conversation, turn: IDLE },
    };
  const reopening = [
    post({ type: "closeTab", tabId }),
    post({ type: "takeOver", tabId, agentId: agent.id, cwd }),
    ...(page.selected === tabId ? [post({ type: "selectTab", tabId })] : []),
  ];
  return chain([withTab(page, fresh), [show(fresh), ...reopening]], p => askHost(p, [tabId], "missing", now));
}
const IDLE = { state: "idle" } as const;

export function answered(page: Page, tab: Tab, entryId: string, message: PageToHost, now: number): Step {
  return [
    withTab(page, { ...tab, answering: [...tab.answering, { entryId, since: now }] }),
    [post(message), show(tab)],
  ];
}
