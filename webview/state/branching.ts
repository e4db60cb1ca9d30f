/**
 * Branches of a conversation (issue 17 item 2): a new tab starts with the beginning of another conversation. Also
 * restores the files to before a prompt. Pure.
 *
 * Invariants:
 * - The source and its draft stay unchanged.
 * - The new tab opens when the sidecar has stored it. Until then, its prompt is held here. Only the
 *   newest branch is held. A failure is shown in the source.
 * - A branch from an editor opens in the chat view.
 * - An agent that does not remember the beginning gets its transcript with the first prompt, as an attachment.
 */
import type { Attachment } from "../../src/protocol/chat/attachments";
import type { Entry } from "../../src/protocol/chat/chat";
import type { HostToPage, TabId } from "../../src/protocol/page/host-to-page";
import { isWhole } from "./attachment-sizes";
import { attach } from "./composing";
import type { Branching, BranchKind, PendingBranch, Rewinding } from "./branch-model";
import * as drafts from "./drafts";
import { openStored, tooManyTabs } from "./page-actions";
import {
  agentOf,
  chain,
  isLive,
  MAX_TABS,
  post,
  SAVE,
  show,
  withTab,
  type Page,
  type Step,
  type Tab,
} from "./page-model";

type Prompt = Extract<Entry, { readonly kind: "user" }>;

export function startBranch(page: Page, tab: Tab, { entryId, branch, newId }: Branching): Step {
  const { entries } = tab.conversation,
    at = entries.findIndex(entry => entry.kind === "user" && entry.id === entryId),
    prompt = entries[at] as Prompt | undefined;
  if (prompt === undefined || !isLive(page, tab)) return [page, [show(tab)]];
  if (page.tabs.size >= MAX_TABS) return tooManyTabs(page);
  const isAfter = branch === "fork" || branch === "continueWith",
    before = isAfter ? entries.slice(at + 1).find(({ kind }) => kind === "user")?.id : entryId;
  return [
    { ...page, branch: isAfter ? undefined : pendingOf(prompt, branch, newId) },
    [
      post({
        type: "forkSession",
        tabId: tab.tabId,
        newId,
        ...(before === undefined ? {} : { before }),
        ...(branch === "continueWith" ? { choosesAgent: true } : {}),
      }),
    ],
  ];
}

/** The host asks for a confirmation. It then creates the branch, whose draft is held here. */
export function startRewind(page: Page, tab: Tab, { entryId, newId }: Rewinding): Step {
  const prompt = tab.conversation.entries.find(
    (entry): entry is Prompt => entry.kind === "user" && entry.id === entryId,
  );
  if (prompt === undefined || !isLive(page, tab)) return [page, [show(tab)]];
  if (newId !== undefined && page.tabs.size >= MAX_TABS) return tooManyTabs(page);
  return [
    newId === undefined ? page : { ...page, branch: pendingOf(prompt, "edit", newId) },
    [post({ type: "rewind", tabId: tab.tabId, entryId, ...(newId === undefined ? {} : { newId }) })],
  ];
}

/** A damaged journal may lack the content of attachments. A prompt without one of them is not sent. */
function pendingOf({ text, attachments = [] }: Prompt, branch: BranchKind, newId: TabId): PendingBranch {
  const whole = attachments.filter(isWhole);
  return {
    tabId: newId,
    text,
    attachments: whole,
    ...(branch === "retry" && whole.length === attachments.length ? { sentAs: `${newId}-retry` } : {}),
  };
}

/** Opens the tab of a stored branch, with its draft or prompt. */
export function branchOpened(
  page: Page,
  { transcript, ...session }: Extract<HostToPage, { type: "forked" }>,
  now: number,
): Step {
  const { branch } = page,
    pending: PendingBranch =
      branch?.tabId === session.tabId ? branch : { tabId: session.tabId, text: "", attachments: [] };
  const context: readonly Attachment[] = transcript === undefined ? [] : [{ kind: "transcript", text: transcript }],
    attachments = [...context, ...pending.attachments],
    { sentAs, text } = pending,
    // The snapshot of the new session sends it.
    onTheWay: readonly drafts.Sent[] =
      sentAs === undefined ? [] : [{ messageId: sentAs, text, ...(attachments.length === 0 ? {} : { attachments }) }];
  if (page.surface === "editor") {
    const { tabId, agentId, cwd } = session,
      content = sentAs === undefined ? { ...drafts.noDrafts, text, attachments } : { ...drafts.noDrafts, onTheWay },
      agent = agentOf(page.agents, agentId);
    return [
      { ...page, branch: undefined },
      [post({ type: "moveTab", to: "view", tabId, agent, cwd, title: "", drafts: content })],
    ];
  }
  return chain(openStored({ ...page, branch: undefined }, { ...session, type: "openTab" }, now), p => {
    const tab = p.tabs.get(session.tabId);
    if (tab === undefined) return [p, []];
    if (sentAs === undefined)
      return chain(attach(p, { ...tab, drafts: drafts.typed(tab.drafts, text) }, attachments), q => [
        q,
        [{ kind: "fill", tabId: tab.tabId, text }],
      ]);
    const sent = { ...tab, drafts: { ...tab.drafts, onTheWay: [...tab.drafts.onTheWay, ...onTheWay] } };
    return [withTab(p, sent), [SAVE, show(sent)]];
  });
}
