/**
 * State transitions of a tab's drafts, from typing to sending, including queued prompts. Pure.
 *
 * Invariants:
 * - A rejected prompt remains the draft, with a sentence that gives the reason.
 * - An attachment that cannot be stored is rejected.
 */
import * as l10n from "@vscode/l10n";
import {
  IMAGE_LIMIT,
  MAX_ATTACHMENTS,
  nameOf,
  withAttachments,
  type Attachment,
} from "../../src/protocol/chat/attachments";
import { QUEUE_LIMIT } from "../../src/protocol/chat/chat";
import type { ActionMessage } from "../../src/protocol/chat/session-actions";
import type { HostToPage } from "../../src/protocol/page/host-to-page";
import { chatTranscript } from "../../src/protocol/chat/chat-transcript";
import { isWhole, UNSENT_LIMIT, weightOf, weightOfAll } from "./attachment-sizes";
import * as drafts from "./drafts";
import { NO_REVEAL } from "./find-model";
import {
  chain,
  isLive,
  post,
  remarkOn,
  SAVE,
  show,
  turnOf,
  withDrafts,
  withTab,
  type Composing,
  type Effect,
  type Page,
  type Remark,
  type Step,
  type Tab,
} from "./page-model";

export function handleComposing(page: Page, tab: Tab, action: Composing, now: number): Step {
  const { tabId } = tab;
  switch (action.kind) {
    case "typed":
      return typed(page, tab, action.text, now);
    case "submitted":
      return submitted(page, tab, action, now);
    case "attached":
      return attach(page, tab, action.attachments);
    case "attachmentOpened": {
      const { attachment } = action;
      return [
        page,
        "text" in attachment ? [post({ type: "openText", title: nameOf(attachment), text: attachment.text })] : [],
      ];
    }
    case "detached":
      return withDrafts(page, tab, drafts.detached(tab.drafts, action.attachment));
    case "contextRequested":
      return [page, [post({ type: "requestContext", tabId, source: action.source })]];
    case "notTaken":
      return remarkOn(page, tabId, { tone: "info", text: action.why });
    case "suggested":
      return chain(withDrafts(page, tab, drafts.suggested(tab.drafts, action.text)), p => [
        p,
        [{ kind: "focus", tabId }],
      ]);
    case "searched": {
      const requestNumber = page.finding.requestNumber + 1;
      return [
        { ...page, finding: { requestNumber, tabId, query: action.query } },
        [post({ type: "findMentions", requestNumber: requestNumber, query: action.query })],
      ];
    }
    case "withdrawn":
      return withdrawn(page, tab, action);
    case "acted": {
      if (action.action.kind === "showEarlier") return requestEarlier(page, tab, now);
      // The pressed button is stale, because the tab has no live session.
      if (!isLive(page, tab)) return [page, [show(tab)]];
      const { kind: type, ...params } = action.action;
      // The saved page must not list a removed prompt as in flight, because the next page would wait for that prompt
      // forever.
      return [page, [SAVE, post({ type, tabId, ...params } as ActionMessage)]];
    }
  }
}

/**
 * Requests earlier entries, also from a sidecar that is read-only. One request at a time, which may be lost. Without
 * earlier entries, the sidecar only learns that the user reads the oldest ones.
 */
function requestEarlier(page: Page, tab: Tab, now: number): Step {
  const { conversation, earlierRequest, tabId } = tab,
    count = conversation.omitted?.count ?? 0,
    isPending = earlierRequest?.count === count && now - earlierRequest.at < EARLIER_RETRY_MS;
  return isPending || tab.phase !== "live"
    ? [page, []]
    : [withTab(page, { ...tab, earlierRequest: { count, at: now } }), [post({ type: "showEarlier", tabId })]];
}
/** Milliseconds after which a request can be repeated. */
const EARLIER_RETRY_MS = 2_000;

/** Offers the mentions found, unless a newer search has started. */
export function mentionsFound(
  page: Page,
  { requestNumber, mentions }: Extract<HostToPage, { type: "mentionsFound" }>,
): Step {
  const { tabId, query } = page.finding;
  return requestNumber === page.finding.requestNumber && page.tabs.has(tabId)
    ? [page, [{ kind: "offer", tabId, query, mentions }]]
    : [page, []];
}

/** Attaches the accepted attachments. A remark names the rejected ones. */
export function attach(page: Page, tab: Tab, attachments: readonly Attachment[]): Step {
  const { name, id } = tab.conversation.agent;
  const isRefused = ({ kind }: Attachment) => kind === "image" && tab.conversation.accepts?.images === false;
  const accepted = attachments.filter(attachment => !isRefused(attachment));
  const imageRefusal =
    accepted.length < attachments.length
      ? l10n.t`${name || id || l10n.t("The agent")} does not support images.`
      : undefined;
  let remaining = UNSENT_LIMIT - [...page.tabs.values()].reduce((sum, each) => sum + unsentWeight(each), 0);
  const tooLarge: Attachment[] = [];
  const fitting = accepted.filter(attachment => {
    const weight = weightOf(attachment);
    const fits = weight <= remaining && weight <= (attachment.kind === "image" ? IMAGE_LIMIT : Infinity);
    if (fits) remaining -= weight;
    else tooLarge.push(attachment);
    return fits;
  });
  const all = withAttachments(tab.drafts.attachments, fitting);
  const isFull = fitting.some(attachment => !all.includes(attachment)) && all.length >= MAX_ATTACHMENTS;
  const refusals = [
    ...(imageRefusal === undefined ? [] : [imageRefusal]),
    ...(tooLarge.length === 0
      ? []
      : [
          l10n.t(
            "Size limit of attachments exceeded: {0}. " + "Send the prompt, or remove some attachments.",
            tooLarge.map(nameOf).join(", "),
          ),
        ]),
    ...(isFull ? [l10n.t`A prompt can have at most ${MAX_ATTACHMENTS} attachments.`] : []),
  ];
  const remark: Remark | undefined = refusals.length === 0 ? tab.remark : { tone: "info", text: refusals.join(" ") };
  return [withTab(page, { ...tab, drafts: { ...tab.drafts, attachments: all }, remark }), [show(tab), SAVE]];
}

/** Attaches the transcript of the conversation, for an agent without memory of the session. */
export function attachTranscript(page: Page, tab: Tab): Step {
  const text = chatTranscript(tab.conversation);
  if (text === "") return [page, [show(tab)]];
  const attachments = tab.drafts.attachments.filter(({ kind }) => kind !== "transcript");
  return chain(attach(page, { ...tab, drafts: { ...tab.drafts, attachments } }, [{ kind: "transcript", text }]), p => [
    p,
    [{ kind: "focus", tabId: tab.tabId }],
  ]);
}

function unsentWeight({ drafts: { attachments, onTheWay, takenBack }, conversation: { queue } }: Tab): number {
  return weightOfAll([{ attachments }, ...onTheWay, ...takenBack, ...(queue?.prompts ?? [])]);
}

function typed(page: Page, tab: Tab, text: string, now: number): Step {
  if (text === tab.drafts.text) return [page, []];
  const after = drafts.typed(tab.drafts, text);
  // The tab's title marks a draft.
  const titled = drafts.isEmpty(after) !== drafts.isEmpty(tab.drafts);
  return [
    withTab({ ...page, follow: { ...page.follow, typed: now } }, { ...tab, drafts: after }),
    [SAVE, ...(titled ? [show(tab)] : [])],
  ];
}

function submitted(
  page: Page,
  tab: Tab,
  { messageId, text }: Extract<Composing, { kind: "submitted" }>,
  now: number,
): Step {
  const refusal = refusalOf(page, tab);
  if (refusal !== undefined) {
    return [
      withTab(page, { ...tab, drafts: drafts.typed(tab.drafts, text), remark: refusal }),
      [{ kind: "fill", tabId: tab.tabId, text }, show(tab), SAVE],
    ];
  }
  const prompt = drafts.promptOf(tab.drafts, { messageId, text });
  if (drafts.isEmpty({ text, attachments: prompt.attachments ?? [] })) return [page, []];
  return startSending(page, tab, drafts.sent(tab.drafts, prompt), now);
}

/**
 * Posts the first sent prompt unless it was posted before. At most one prompt is in flight to the session, so that
 * prompts arrive in order. While the sidecar restarts nothing is posted. The first snapshot of the new session posts
 * the first prompt (`repeatedMessages`).
 */
export function forwarded(
  page: Page,
  before: readonly drafts.Sent[],
  { tabId, drafts: { onTheWay } }: Tab,
): readonly Effect[] {
  const [first] = onTheWay,
    { sidecar } = page;
  if (first === undefined || first.messageId === before[0]?.messageId || sidecar.state !== "running") return [];
  return [post({ type: "prompt", tabId, ...first })];
}

/**
 * Cancels the turn. Without a session, prompts that wait for a sidecar restart become the draft again; one that was
 * posted before the restart only when the session turns out not to contain it.
 */
export function stopped(page: Page, tab: Tab): Step {
  if (turnOf(tab) === "idle") return [page, []];
  const hasSession = page.sidecar.state === "running" || tab.conversation.turn.state !== "idle";
  if (hasSession) return [page, [post({ type: "cancel", tabId: tab.tabId })]];
  const isPosted = ({ messageId }: drafts.Sent): boolean => messageId === tab.postedBefore,
    posted = tab.drafts.onTheWay.filter(isPosted),
    back = drafts.restoreFailed(tab.drafts, prompt => !isPosted(prompt));
  return chain(withDrafts(page, tab, posted.reduce(drafts.takenBack, { ...back, onTheWay: [] })), p => [
    p,
    posted.map(({ messageId }) => post({ type: "withdraw", tabId: tab.tabId, messageId })),
  ]);
}

/** Restores waiting prompts as the draft, because the sidecar does not restart automatically. */
export function sidecarFailed(tab: Tab): Tab {
  const back = drafts.restoreAll(tab.drafts, tab.conversation);
  return back === tab.drafts ? tab : { ...tab, drafts: back, remark: NOT_SENT };
}

/** Updates the remark on a prompt that was rejected during the restart and is still in the input. */
export function sidecarReturned(tab: Tab): Tab {
  return tab.remark?.until === "sidecar" ? { ...tab, remark: drafts.isEmpty(tab.drafts) ? undefined : TO_SEND } : tab;
}

const NOT_SENT: Remark = { tone: "info", text: l10n.t("Your text is saved."), until: "sidecar" };
const TO_SEND: Remark = { tone: "info", text: l10n.t("Your prompt was not sent. Send it again.") };

function refusalOf({ sidecar }: Page, tab: Tab): Remark | undefined {
  if (sidecar.state === "failed" || sidecar.state === "readOnly") return NOT_SENT;
  if (tab.drafts.attachments.length > MAX_ATTACHMENTS)
    return {
      tone: "info",
      text: l10n.t`A prompt can have at most ${MAX_ATTACHMENTS} attachments. Remove some of them. Your text is saved.`,
    };
  const waiting = (tab.conversation.queue?.prompts.length ?? 0) + tab.drafts.onTheWay.length;
  if (turnOf(tab) !== "idle" && waiting >= QUEUE_LIMIT)
    return {
      tone: "info",
      text: l10n.t`${QUEUE_LIMIT} prompts are queued, which is the limit. Your text is saved.`,
      until: "idle",
    };
  return undefined;
}

/** Sends the last prompt again from its entry. The draft remains in the input. */
export function sentAgain(page: Page, tab: Tab, messageId: string, now: number): Step {
  const { entries, omitted } = tab.conversation,
    last = entries.findLast(entry => entry.kind === "user") ?? omitted?.newestPrompt;
  if (last?.kind !== "user" || !isLive(page, tab) || turnOf(tab) !== "idle") return [page, [show(tab)]];
  // A damaged journal may lack the content of attachments.
  const attachments = (last.attachments ?? []).filter(isWhole),
    lost = (last.attachments ?? []).filter(each => !isWhole(each));
  const prompt: drafts.Sent = { messageId, text: last.text, ...(attachments.length === 0 ? {} : { attachments }) };
  if (lost.length > 0) {
    const after = drafts.returned(tab.drafts, [prompt]),
      text = l10n.t`These attachments are no longer stored: ${lost.map(nameOf).join(", ")}. Attach them again, then send the prompt.`;
    return [
      withTab(page, { ...tab, drafts: after, remark: { tone: "info", text } }),
      [{ kind: "fill", tabId: tab.tabId, text: after.text }, show(tab), SAVE],
    ];
  }
  return startSending(page, tab, { ...tab.drafts, onTheWay: [...tab.drafts.onTheWay, prompt] }, now);
}

function startSending(page: Page, tab: Tab, after: drafts.Drafts, now: number): Step {
  // The mark of an entry that a search has found ends with the next prompt.
  const reveal = tab.find.kind === "closed" ? NO_REVEAL : tab.reveal,
    sent: Tab = { ...tab, drafts: after, remark: undefined, lastMessageAt: now, reveal };
  return [withTab(page, sent), [SAVE, ...forwarded(page, tab.drafts.onTheWay, sent), show(tab)]];
}

function withdrawn(page: Page, tab: Tab, { messageId, to }: Extract<Composing, { kind: "withdrawn" }>): Step {
  const prompt = tab.conversation.queue?.prompts.find(waiting => waiting.messageId === messageId);
  if (prompt === undefined || !isLive(page, tab)) return [page, [show(tab)]];
  const withdraw = post({ type: "withdraw", tabId: tab.tabId, messageId });
  // The saved page must not list the prompt as in flight, because the next page would wait for that prompt forever.
  if (to === "drop") return [page, [SAVE, withdraw]];
  return [withTab(page, { ...tab, drafts: drafts.takenBack(tab.drafts, prompt) }), [SAVE, withdraw, show(tab)]];
}

/** Re-sends messages that the session may have missed. The session ignores duplicates. */
export function repeatedMessages(page: Page, tab: Tab): readonly Effect[] {
  return [
    ...forwarded(page, [], tab),
    ...tab.drafts.takenBack.map(({ messageId }) => post({ type: "withdraw", tabId: tab.tabId, messageId })),
  ];
}
