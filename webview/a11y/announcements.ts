/**
 * Screen reader announcements for a change of the page. Pure; `live-region.ts` outputs them.
 *
 * - Selected tab: complete sentences of answers, notices, failed tool calls, questions, the end of a turn with the
 *   number of changed files, and changes of attachments and queued prompts.
 * - Other tabs: new questions and the end of a turn.
 *
 * Invariants (`announcements.test.ts`):
 * - Content that was on screen when the tab was selected, or that a snapshot restores, is never announced.
 * - Each finished sentence is announced once, in order.
 */
import * as l10n from "@vscode/l10n";
import { filesChanged, promptCount } from "../view-model/text/plural-texts";
import { isSame } from "../../src/protocol/chat/attachments";
import type { Conversation, Entry, Permission } from "../../src/protocol/chat/chat";
import type { Elicitation } from "../../src/protocol/chat/elicitation";
import { visibleLine } from "../../src/protocol/text/visible-text";
import { keyOf } from "../view-model/cards/card";
import { chipView } from "../view-model/tab/chip";
import { isQuestion, type Page, type Tab } from "../state/page-model";
import { NO_QUESTIONS, questionQueue, type QuestionQueue } from "../state/question-queue";
import { startText } from "../view-model/tab/start-view";
import { questionText, requesterText } from "../view-model/cards/question-text";
import { passed, read, unread, type Reader } from "../view-model/text/sentences";

export type Announcement =
  /** Queued after pending utterances. */
  | { readonly kind: "announce"; readonly text: string }
  /** Spoken immediately, because the agent waits for the user or the user has just acted. */
  | { readonly kind: "sayNow"; readonly text: string }
  /**
   * Moves the focus to this card, whose description contains the question. If the focus must not move, `text` is spoken
   * immediately.
   */
  | { readonly kind: "ask"; readonly key: string; readonly text: string }
  /** Drops pending utterances. */
  | { readonly kind: "hush" };

/** Reading position in the most recently extended answer of the selected tab. */
export interface Listening {
  readonly growing: { readonly id: string; readonly reader: Reader } | undefined;
}

export const listening: Listening = { growing: undefined };

export function announce(state: Listening, before: Page, after: Page): readonly [Listening, readonly Announcement[]] {
  if (before.tabs === after.tabs && before.selected === after.selected) return [state, []];
  const isAnother = before.selected !== after.selected;
  const others = [...after.tabs.values()].flatMap(tab =>
    tab.tabId === after.selected ? [] : announceOtherTab(before.tabs.get(tab.tabId), tab),
  );
  const tab = after.selected === undefined ? undefined : after.tabs.get(after.selected);
  if (isAnother || tab === undefined)
    return [listening, [...(isAnother ? [{ kind: "hush" } as const] : []), ...others]];
  const [next, messages] = announceSelectedTab(state, before.tabs.get(tab.tabId), tab);
  return [next, [...messages, ...others]];
}

/** Whether `tab` continues the live session of `before`. */
function continues(before: Tab | undefined, tab: Tab): before is Tab {
  return before !== undefined && before.phase === "live" && before.bootId === tab.bootId;
}

const isIdle = ({ turn }: Conversation): boolean => turn.state === "idle";

// --- the selected tab

function announceSelectedTab(
  state: Listening,
  before: Tab | undefined,
  tab: Tab,
): readonly [Listening, readonly Announcement[]] {
  if (before === tab) return [state, []];
  const attached = before === undefined ? [] : announceAttachments(before, tab);
  if (!continues(before, tab)) return [listening, attached];
  const immediate: readonly Announcement[] = [
    ...(discardsPending(before, tab) ? [{ kind: "hush" } as const] : []),
    ...attached,
  ];
  if (before.conversation === tab.conversation) return [state, immediate];
  const changes = changedEntries(before.conversation, tab.conversation);
  const [next, messages] = announceEntries(state, before.conversation, tab, changes);
  return [
    next,
    [
      ...immediate,
      ...announceStart(before, tab),
      ...messages,
      ...announceTurnEnd(before, tab),
      ...announceChangedFiles(before, tab),
      ...announceQueue(before, tab),
    ],
  ];
}

/** Announces each phase of a start once, without its progress. */
function announceStart(before: Tab, { conversation: { start, agent } }: Tab): readonly Announcement[] {
  const past = before.conversation.start,
    text = start && startText(start, agent.name);
  return text === undefined || (past && startText(past, agent.name) === text) ? [] : [{ kind: "announce", text }];
}

/** Sent attachments are not announced as removed. */
function announceAttachments(
  { drafts: before }: Tab,
  { drafts: { attachments, onTheWay } }: Tab,
): readonly Announcement[] {
  if (before.attachments === attachments) return [];
  const missing = (from: typeof attachments, all: typeof attachments) =>
    from.filter(each => !all.some(item => item === each || isSame(item, each))).map(each => chipView(each).name);
  const added = missing(attachments, before.attachments),
    removed = onTheWay.length > before.onTheWay.length ? [] : missing(before.attachments, attachments);
  return [["Attached", added] as const, ["Removed", removed] as const].flatMap(([what, names]) =>
    names.length === 0 ? [] : [{ kind: "sayNow", text: `${what}: ${names.join(", ")}.` } as const],
  );
}

/** Announces newly queued prompts, and a newly held queue. */
function announceQueue(
  { conversation: { queue: before } }: Tab,
  { conversation: { queue } }: Tab,
): readonly Announcement[] {
  if (queue === undefined || queue === before || queue.prompts.length === 0) return [];
  if (queue.held && !before?.held)
    return [
      {
        kind: "announce",
        text: l10n.t`${promptCount(queue.prompts.length)} held because a turn was stopped or failed.`,
      },
    ];
  return queue.prompts.length > (before?.prompts.length ?? 0)
    ? [{ kind: "sayNow", text: l10n.t`${promptCount(queue.prompts.length)} queued until the turn ends.` }]
    : [];
}

/** Whether the user has sent a new prompt or cancelled the turn, so that pending utterances are obsolete. */
function discardsPending(before: Tab, tab: Tab): boolean {
  const sends = tab.drafts.onTheWay.length > before.drafts.onTheWay.length && isIdle(before.conversation);
  return sends || (tab.conversation.turn.state === "cancelling" && before.conversation.turn.state !== "cancelling");
}

interface Changed {
  readonly entry: Entry;
  readonly before: Entry | undefined;
}

/**
 * The entries that changed, with their previous versions. Events replace entries in place; a snapshot recreates all
 * entries. Excludes earlier entries added at the user's request.
 */
function changedEntries(past: Conversation, conversation: Conversation): readonly Changed[] {
  const shift = (past.omitted?.count ?? 0) - (conversation.omitted?.count ?? 0),
    before = past.entries.slice(Math.max(0, -shift)),
    after = conversation.entries.slice(Math.max(0, shift));
  let byId: ReadonlyMap<string, Entry> | undefined;
  return after.flatMap((entry, i) => {
    const previous = before[i];
    if (previous === entry) return [];
    if (previous?.id !== entry.id) byId ??= new Map(before.map(each => [each.id, each]));
    return [{ entry, before: previous?.id === entry.id ? previous : byId?.get(entry.id) }];
  });
}

function announceEntries(
  { growing }: Listening,
  past: Conversation,
  { conversation }: Tab,
  changed: readonly Changed[],
): readonly [Listening, readonly Announcement[]] {
  const messages: Announcement[] = [],
    isAsked = changed.some(({ entry }) => isQuestion(entry));
  const questions = isAsked ? questionQueue(conversation.entries) : NO_QUESTIONS;
  let open = growing;
  const readEntry = (entry: Extract<Entry, { kind: "agent" }>, before: Entry | undefined) => {
    // A snapshot may contain only the beginning of a long answer, and later events the rest.
    const isPiece = before?.kind === "agent" && before.text.startsWith(entry.text),
      isRewritten = before?.kind === "agent" && !isPiece && !entry.text.startsWith(before.text);
    if (open?.id === entry.id && !isRewritten && entry.text.length < open.reader.at) return;
    const from = isRewritten
      ? passed(entry.text)
      : open?.id === entry.id
        ? open.reader
        : before?.kind === "agent"
          ? passed(before.text, hasEnded(past, entry.id))
          : unread;
    const [reader, sentences] = read(from, entry.text, hasEnded(conversation, entry.id));
    messages.push(...sentences.map(text => ({ kind: "announce", text }) as const));
    open = { id: entry.id, reader };
  };
  // The rest of a complete answer is announced before the following entries.
  const before = open && conversation.entries.findLast(({ id }) => id === open?.id);
  if (before?.kind === "agent" && hasEnded(conversation, before.id)) readEntry(before, before);
  for (const each of changed) {
    if (each.entry.kind !== "agent") messages.push(...announceEntry(each, questions));
    else if (each.before?.kind !== "agent" || each.before.text !== each.entry.text) readEntry(each.entry, each.before);
  }
  return [
    open ? { growing: open } : listening,
    isAsked ? [...messages, ...announceNextQuestions(past, conversation, questions)] : messages,
  ];
}

/**
 * Announces each earlier question that becomes visible. Also announces the first question of a new queue, because its
 * card changes.
 */
function announceNextQuestions(
  past: Conversation,
  { entries }: Conversation,
  { shown, waiting }: QuestionQueue,
): readonly Announcement[] {
  const before = questionQueue(past.entries),
    becomesQueue = waiting > 0 && before.waiting === 0 && before.shown.size > shown.size;
  if (shown.size === 0) return [];
  const earlierIds = new Set(past.entries.flatMap(entry => (isQuestion(entry) ? [entry.id] : [])));
  return entries.flatMap(entry =>
    isQuestion(entry) &&
    shown.has(entry.id) &&
    earlierIds.has(entry.id) &&
    (becomesQueue || !before.shown.has(entry.id))
      ? [questionAnnouncement(entry, waiting)]
      : [],
  );
}

function questionAnnouncement(entry: Permission | Elicitation, waiting: number): Announcement {
  const count = waiting === 0 ? "" : l10n.t`Question 1 of ${waiting + 1}. `;
  return { kind: "ask", key: keyOf(entry.id), text: `${count}${requesterText(entry)}: ${questionText(entry)}` };
}

/** Whether the answer is probably complete: its turn has ended, or another entry follows it. */
function hasEnded(conversation: Conversation, id: string): boolean {
  return isIdle(conversation) || conversation.entries.at(-1)?.id !== id;
}

function announceEntry({ entry, before }: Changed, { shown, waiting }: QuestionQueue): readonly Announcement[] {
  if (isQuestion(entry))
    return before !== undefined || entry.answered || !shown.has(entry.id) ? [] : [questionAnnouncement(entry, waiting)];
  if (entry.kind === "tool")
    return entry.status === "failed" && !(before?.kind === "tool" && before.status === "failed")
      ? [{ kind: "announce", text: l10n.t`Failed: ${visibleLine(entry.title)}` }]
      : [];
  if (entry.kind !== "notice" || before !== undefined) return [];
  return [
    { kind: "announce", text: visibleLine(entry.from === undefined ? entry.text : `${entry.from}: ${entry.text}`) },
  ];
}

/** The end of a turn is not announced if Symposium's own notice already reports it. */
function announceTurnEnd(before: Tab, { conversation }: Tab): readonly Announcement[] {
  const last = conversation.entries.at(-1);
  if (isIdle(before.conversation) || !isIdle(conversation) || (last?.kind === "notice" && last.from === undefined))
    return [];
  return [{ kind: "announce", text: l10n.t`${visibleLine(conversation.agent.name)} has finished.` }];
}

/** At the end of a turn. The last changes may be recorded after it. */
function announceChangedFiles({ conversation: before }: Tab, { conversation }: Tab): readonly Announcement[] {
  const files = changedFiles(conversation);
  if (!isIdle(conversation) || files === 0 || (isIdle(before) && files <= changedFiles(before))) return [];
  return [{ kind: "announce", text: filesChanged(files) }];
}

/** Number of files with unreviewed changes of the last turn. */
function changedFiles({ review, entries }: Conversation): number {
  if (review === undefined) return 0;
  const prompt = entries.findLast(({ kind }) => kind === "user");
  return review.turns.find(({ entryId }) => entryId === prompt?.id)?.files ?? 0;
}

// --- other tabs

function announceOtherTab(before: Tab | undefined, tab: Tab): readonly Announcement[] {
  if (before === tab || !continues(before, tab) || before.conversation === tab.conversation) return [];
  const { conversation } = tab,
    questions = questionQueue(conversation.entries);
  const where = l10n.t`In the chat “${visibleLine(conversation.title ?? conversation.agent.name)}”, `;
  const opened = changedEntries(before.conversation, conversation).flatMap(({ entry, before }) =>
    isQuestion(entry) && before === undefined && !entry.answered && questions.shown.has(entry.id) ? [entry] : [],
  );
  return [
    ...opened.map(
      entry => ({ kind: "sayNow", text: `${where}${requesterText(entry)}: ${questionText(entry)}` }) as const,
    ),
    ...(!isIdle(before.conversation) && isIdle(conversation)
      ? [
          {
            kind: "announce",
            text: `${where}${l10n.t`${visibleLine(conversation.agent.name)} has finished.`}`,
          } as const,
        ]
      : []),
  ];
}
