/**
 * The agent of a tab, which can be replaced until the first answer. Pure.
 *
 * Invariants:
 * - A tab with a replaced agent has a new session under the same tab id.
 * - The typed text and the unanswered prompts become the draft or prompts in flight to the new session.
 * - A tab with an answer keeps its agent.
 */
import * as l10n from "@vscode/l10n";
import { ELIZA, type AgentChoice } from "../../src/protocol/agents/agents";
import type { HostToPage, TabId } from "../../src/protocol/page/host-to-page";
import { isWhole } from "./attachment-sizes";
import * as drafts from "./drafts";
import { askHost } from "./page-requests";
import {
  agentOf,
  chain,
  freshTab,
  post,
  remarkOn,
  SAVE,
  show,
  turnOf,
  withTab,
  type Effect,
  type Page,
  type Remark,
  type Step,
  type Tab,
} from "./page-model";

/** Whether no prompt was sent in the tab. */
export function isUnprompted({ conversation: { entries, omitted, queue }, drafts: { onTheWay } }: Tab): boolean {
  return (
    onTheWay.length === 0 &&
    (queue?.prompts.length ?? 0) === 0 &&
    omitted === undefined &&
    entries.every(({ kind }) => kind === "notice")
  );
}

/** Whether the tab shows the first screen: no prompt was sent, and it is not a stored session that is still loading. */
export function isBlank(tab: Tab): boolean {
  const { cwd, origin } = tab.conversation;
  return isUnprompted(tab) && origin === undefined && (tab.phase === "live" || cwd === "");
}

/** Whether the agent has not answered and no turn is running. */
function isUnanswered(tab: Tab): boolean {
  const { entries, omitted } = tab.conversation;
  return (
    turnOf(tab) === "idle" && omitted === undefined && entries.every(({ kind }) => kind === "notice" || kind === "user")
  );
}

/** Whether the tab is empty except for the reason why its agent did not start. */
function hasFailedToStart(tab: Tab): boolean {
  const { accepts, start, entries } = tab.conversation;
  return (
    isUnprompted(tab) &&
    accepts === undefined &&
    start === undefined &&
    entries.some(entry => entry.kind === "notice" && entry.isOver !== true)
  );
}

/**
 * Handles a selection in the agent picker. A selected agent that failed to start starts again. The selected agent also
 * becomes the agent of new tabs.
 */
export function agentChosen(page: Page, agentId: string, now: number): Step {
  const tab = page.selected === undefined ? undefined : page.tabs.get(page.selected),
    agent = agentOf(selectable(page), agentId);
  return chain(
    [{ ...page, currentAgentId: agentId }, [post({ type: "selectAgent", agentId }), { kind: "showAgents" }]],
    p => {
      if (tab === undefined) return [p, []];
      if (tab.conversation.agent.id === agentId && hasFailedToStart(tab)) return replaceAgent(p, tab, agent, now);
      if (tab.conversation.agent.id === agentId)
        return tab.remark?.newTabWith === undefined
          ? [p, []]
          : [withTab(p, { ...tab, remark: undefined }), [show(tab)]];
      if (isUnprompted(tab)) return replaceAgent(p, tab, agent, now);
      return remarkOn(p, tab.tabId, {
        tone: "info",
        text: l10n.t`New tabs use ${agent.name}. This tab keeps ${tab.conversation.agent.name}.`,
        newTabWith: agent,
      });
    },
  );
}

/** The configured agents, and the detected ones that the first screen offers. */
function selectable({ agents, firstScreen }: Page): readonly AgentChoice[] {
  const offers = firstScreen?.agents ?? [];
  return [...agents, ...offers.map(({ id, name }) => ({ id, name }))];
}

/** Starts the built-in agent in an unprompted tab. Later tabs keep their agent. */
export function demoStarted(page: Page, tab: Tab, now: number): Step {
  const { id, name } = ELIZA;
  return isUnprompted(tab) && tab.conversation.agent.id !== id
    ? replaceAgent(page, tab, { id, name }, now)
    : [page, []];
}

/**
 * Starts unprompted tabs again that have become outdated; their remarks remain, because the user did nothing.
 * `before`: the outdated tabs before this change, which are skipped, so that no tab is started twice for one change.
 */
export function settingsApplied(page: Page, before: readonly TabId[], now: number): Step {
  return page.outdated
    .filter(tabId => !before.includes(tabId))
    .reduce<Step>(
      (result, tabId) =>
        chain(result, p => {
          const tab = p.tabs.get(tabId);
          return tab && isBlank(tab) ? replaceAgent(p, tab, tab.conversation.agent, now, tab.remark) : [p, []];
        }),
      [page, []],
    );
}

/** Handles the selection of another agent by a recovery button of the tab. */
export function agentSelected(
  page: Page,
  { tabId, agentId }: Extract<HostToPage, { type: "agentSelected" }>,
  now: number,
): Step {
  const tab = page.tabs.get(tabId),
    agent = agentOf(page.agents, agentId);
  if (tab === undefined) return [page, []];
  if (isUnanswered(tab)) return replaceAgent(page, tab, agent, now);
  return tab.conversation.agent.id === agentId
    ? [page, []]
    : remarkOn(page, tabId, {
        tone: "info",
        text: l10n.t`New tabs use ${agent.name}. This tab keeps ${tab.conversation.agent.name}.`,
        newTabWith: agent,
      });
}

function replaceAgent(page: Page, tab: Tab, agent: AgentChoice, now: number, remark?: Remark): Step {
  const { tabId } = tab;
  const fresh: Tab = {
    ...freshTab(tabId, agent, tab.seen.requestNumber, now),
    drafts: draftsFor(tab, agent.id),
    remark,
  };
  const reopening: readonly Effect[] = [
    post({ type: "closeTab", tabId }),
    post({ type: "newTab", tabId, agentId: agent.id }),
    ...(page.selected === tabId ? [post({ type: "selectTab", tabId })] : []),
  ];
  return chain([withTab(page, fresh), [show(fresh), SAVE, ...reopening]], p => askHost(p, [tabId], "missing", now));
}

/**
 * Unanswered prompts are sent to the new session under new ids, because the host does not forward a failed id again. If
 * an attachment's content is not available, the prompts become the draft instead.
 */
function draftsFor({ conversation: { entries, queue }, drafts: before }: Tab, agentId: string): drafts.Drafts {
  const sent = entries.flatMap((entry): readonly drafts.Sent[] =>
    entry.kind !== "user"
      ? []
      : [
          {
            messageId: entry.id,
            text: entry.text,
            ...(entry.attachments === undefined ? {} : { attachments: entry.attachments }),
          },
        ],
  );
  const waiting = [...sent, ...(queue?.prompts ?? []), ...before.onTheWay].map(prompt => ({
    ...prompt,
    messageId: `${prompt.messageId.slice(-MAX_ID_LENGTH)}+${agentId.slice(0, MAX_ID_LENGTH)}`,
  }));
  const areComplete = waiting.every(({ attachments = [] }) => attachments.every(isWhole));
  return areComplete
    ? { ...before, takenBack: [], onTheWay: waiting }
    : drafts.returned(
        { ...before, takenBack: [], onTheWay: [] },
        waiting.map(prompt => ({ ...prompt, attachments: (prompt.attachments ?? []).filter(isWhole) })),
      );
}
const MAX_ID_LENGTH = 80;
