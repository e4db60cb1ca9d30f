/** View of a tab, computed from the page's state. Pure; `chat-ui.ts` draws it. */
import * as l10n from "@vscode/l10n";
import type { AgentChoice } from "../../../src/protocol/agents/agents";
import type { Attachment } from "../../../src/protocol/chat/attachments";
import type { Command, Conversation, Entry, PlanStep, Usage } from "../../../src/protocol/chat/chat";
import type { Control } from "../../../src/protocol/chat/controls";
import { actionButton, NEW_TAB, newTabWith } from "../cards/buttons";
import { noTerminals, type Card, type CardButton, type ShownTerminal, type Tone } from "../cards/card";
import type { FoundFile } from "../../../src/protocol/page/host-to-page";
import type { ShownDetails } from "./details-view";
import { bypassView, pinnedPlan, type BypassView } from "./dock-view";
import { findView, shownMatches, type FindView, type ShownMatches } from "./find-view";
import { agentPicture, firstScreenView, type FirstScreenView, type PictureView } from "./first-screen";
import type { Reveal } from "../../state/find-model";
import { visibleLine } from "../../../src/protocol/text/visible-text";
import { literal } from "../text/markdown-safe";
import { isLive, isQuestion, turnOf, type Page, type Tab } from "../../state/page-model";
import { isBlank } from "../../state/tab-agent";
import { reviewView, type ReviewView } from "./review-view";
import { questionQueue } from "../../state/question-queue";
import { startView, type StartView } from "./start-view";
import { startedEntries, queueOf, type QueueView } from "./queue-view";
import { entryPlaces } from "../cards/entry-places";
import { cardsOf } from "../cards/render";
import { titleHtml } from "./tab-title";
import { texts } from "../text/chat-texts";

export interface Banner {
  readonly tone: Tone;
  readonly text: string;
  readonly buttons: readonly CardButton[];
}

export interface TabView {
  /** HTML, as the renderer expects for tab titles. */
  readonly title: string;
  readonly cards: readonly Card[];
  /** Number of entries before those of the cards. */
  readonly omitted: number;
  readonly turn: ReturnType<typeof turnOf>;
  /** Current activity in a few words; empty if idle. */
  readonly status: string;
  readonly banner: Banner | undefined;
  readonly placeholder: string;
  /** Attachments of the draft. */
  readonly attachments: readonly Attachment[];
  readonly requireModifier: boolean;
  readonly queue: QueueView | undefined;
  /** Unreviewed changes of files. `undefined` if there are none, or if no session receives the user's actions. */
  readonly review: ReviewView | undefined;
  /** Whether a session receives the user's actions in this tab. */
  readonly live: boolean;
  readonly agent: AgentChoice;
  readonly picture: PictureView;
  readonly controls: readonly Control[];
  readonly commands: readonly Command[];
  readonly usage: Usage | undefined;
  /** The plan above the prompt, while it has open steps or its turn is running. */
  readonly plan: readonly PlanStep[] | undefined;
  /** Whether follow mode is on; `undefined` until the agent has reported a location. */
  readonly following: boolean | undefined;
  readonly details: ShownDetails;
  /** Sources of a permission bypass; `undefined` without a bypass. */
  readonly bypassed: BypassView | undefined;
  /** The find bar; `undefined` while it is closed. */
  readonly find: FindView | undefined;
  readonly matches: ShownMatches;
  /** Content of an empty tab; `undefined` after its first prompt. */
  readonly firstScreen: FirstScreenView | undefined;
  /** The start of the agent; `undefined` if it is not starting. */
  readonly start: StartView | undefined;
  /** Files by their names in answers. */
  readonly files: ReadonlyMap<string, FoundFile>;
  /** The entry to scroll to; a new object scrolls again. */
  readonly reveal: Reveal;
}

export function viewOf(page: Page, tab: Tab): TabView {
  const { conversation } = tab;
  const turn = turnOf(tab);
  const agent = conversation.agent.name || l10n.t("the agent");
  const entries: readonly Entry[] = [...conversation.entries, ...startedEntries(tab)];
  const live = isLive(page, tab);
  const terminals = terminalsOf(conversation);
  const answering = new Set(tab.answering.map(({ entryId }) => entryId)),
    questions = questionQueue(entries);
  const isDrawn = (entry: Entry): boolean =>
    !isQuestion(entry) || entry.answered !== undefined || questions.shown.has(entry.id);
  const plan = pinnedPlan(entries, turn !== "idle"),
    placeOf = entryPlaces(entries, { isDrawn, pinnedPlan: plan });
  return {
    title: titleHtml(page, tab),
    cards: entries.flatMap((entry, i) =>
      !isDrawn(entry)
        ? []
        : cardsOf(entry, {
            growing: turn !== "idle" && i === entries.length - 1,
            answerable: live && isQuestion(entry),
            answering: answering.has(entry.id),
            terminals: terminals(entry),
            cwd: conversation.cwd,
            place: placeOf(entry),
            ...(questions.waiting > 0 && questions.shown.has(entry.id) ? { waiting: questions.waiting } : {}),
          }),
    ),
    omitted: conversation.omitted?.count ?? 0,
    turn,
    status: statusOf(turn, visibleLine(agent)),
    banner: bannerOf(page, tab),
    placeholder: isBlank(tab) ? l10n.t`Ask ${agent}. @ adds context, / runs commands` : l10n.t`Ask ${agent}`,
    attachments: tab.drafts.attachments,
    requireModifier: page.requireModifier,
    queue: queueOf(tab),
    review: live ? reviewView(conversation) : undefined,
    live,
    agent: conversation.agent,
    picture: agentPicture(page.firstScreen, conversation.agent),
    controls: conversation.controls,
    commands: conversation.commands,
    usage: conversation.usage,
    plan: plan?.steps,
    details: { details: conversation.details, agent, cwd: conversation.cwd },
    bypassed: bypassView(
      [
        ...(conversation.bypassed ? ["session" as const] : []),
        ...(page.bypassed.find(({ tabId }) => tabId === tab.tabId)?.by ?? []),
      ],
      agent,
    ),
    find: findView(tab),
    matches: shownMatches(tab),
    reveal: tab.reveal,
    start: startView(page, tab),
    files: tab.files.found,
    firstScreen: isBlank(tab) ? firstScreenView(page.firstScreen, conversation.agent) : undefined,
    following: entries.some(entry => entry.kind === "tool" && entry.locations.length > 0) ? page.following : undefined,
  };
}

/** The terminals that a tool call references, without duplicates. */
function terminalsOf({ terminals, cwd }: Conversation): (entry: Entry) => readonly ShownTerminal[] {
  if (terminals === undefined || terminals.length === 0) return () => noTerminals;
  const byId = new Map(
    terminals.map(terminal => [
      terminal.terminalId,
      { terminal, where: terminal.cwd === cwd ? undefined : terminal.cwd },
    ]),
  );
  return entry => {
    if (entry.kind !== "tool" || !entry.content.some(({ kind }) => kind === "terminal")) return noTerminals;
    const ids = new Set(entry.content.flatMap(content => (content.kind === "terminal" ? [content.terminalId] : [])));
    return [...ids].flatMap(id => {
      const shown = byId.get(id);
      return shown === undefined ? [] : [shown];
    });
  };
}

function statusOf(turn: TabView["turn"], agent: string): string {
  switch (turn) {
    case "idle":
    case "starting": // see `start`
      return "";
    case "running":
      return l10n.t`${agent} is working…`;
    case "cancelling":
      return l10n.t`Stopping… ${agent} has not ended its turn yet.`;
  }
}

function bannerOf({ sidecar, outdated }: Page, { tabId, remark }: Tab): Banner | undefined {
  switch (sidecar.state) {
    case "restarting":
      return { tone: "warning", text: literal(`${sidecar.message}${remarkText(remark)}`), buttons: [] };
    case "readOnly":
    case "failed":
      return {
        tone: sidecar.state === "failed" ? "error" : "info",
        text: literal(`${sidecar.message}${remarkText(remark)}`),
        buttons: sidecar.actions.map(actionButton),
      };
    case "running":
      if (remark)
        return {
          tone: remark.tone,
          text: literal(remark.text),
          buttons: remark.newTabWith ? [newTabWith(remark.newTabWith)] : (remark.actions ?? []).map(actionButton),
        };
      return outdated.includes(tabId) ? { tone: "info", text: literal(texts.outdated), buttons: [NEW_TAB] } : undefined;
  }
}

const remarkText = (remark: Tab["remark"]): string => (remark?.until === "sidecar" ? ` ${remark.text}` : "");
