/**
 * Text and attachments of one tab until they are in the conversation.
 *
 * Invariant: a prompt is the draft, on its way, or in the conversation (as an entry or in its queue). A prompt that
 * fails or is withdrawn becomes the draft again, before newer text, so that nothing typed or attached is lost.
 */
import { isSame, type Attachment } from "../../src/protocol/chat/attachments";
import type { Conversation, QueuedPrompt } from "../../src/protocol/chat/chat";

/** A sent prompt that is not in the conversation yet. The sidecar ignores a repeated id. */
export type Sent = QueuedPrompt;

export interface Drafts {
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly onTheWay: readonly Sent[];
  /** Queued prompts that the user wants to edit and the sidecar has not released yet. */
  readonly takenBack: readonly Sent[];
}

export const noDrafts: Drafts = { text: "", attachments: [], onTheWay: [], takenBack: [] };

type Known = Pick<Conversation, "entries" | "queue">;

export function typed(drafts: Drafts, text: string): Drafts {
  return { ...drafts, text };
}

export function detached(drafts: Drafts, attachment: Attachment): Drafts {
  return {
    ...drafts,
    attachments: drafts.attachments.filter(each => each !== attachment && !isSame(each, attachment)),
  };
}

export function isEmpty({ text, attachments }: Pick<Drafts, "text" | "attachments">): boolean {
  return text.trim() === "" && attachments.length === 0;
}

/** The draft as a prompt. */
export function promptOf(
  { attachments }: Drafts,
  { messageId, text }: { readonly messageId: string; readonly text: string },
): Sent {
  return { messageId, text, ...(attachments.length === 0 ? {} : { attachments }) };
}

export function sent(drafts: Drafts, prompt: Sent): Drafts {
  return { ...drafts, text: "", attachments: [], onTheWay: [...drafts.onTheWay, prompt] };
}

/** The queued prompt becomes the draft as soon as the conversation shows that it left the queue. */
export function takenBack(drafts: Drafts, prompt: Sent): Drafts {
  return drafts.takenBack.some(({ messageId }) => messageId === prompt.messageId)
    ? drafts
    : { ...drafts, takenBack: [...drafts.takenBack, prompt] };
}

/** Removes prompts that are in the conversation. Taken-back prompts that are no longer in it become the draft. */
export function arrived(drafts: Drafts, { entries, queue }: Known): Drafts {
  if (drafts.onTheWay.length === 0 && drafts.takenBack.length === 0) return drafts;
  const started = new Set(entries.filter(({ kind }) => kind === "user").map(({ id }) => id));
  const waiting = new Set(queue?.prompts.map(({ messageId }) => messageId));
  const onTheWay = drafts.onTheWay.filter(({ messageId }) => !started.has(messageId) && !waiting.has(messageId));
  const back = drafts.takenBack.filter(({ messageId }) => !started.has(messageId) && !waiting.has(messageId));
  const stillThere = drafts.takenBack.filter(({ messageId }) => waiting.has(messageId));
  if (onTheWay.length === drafts.onTheWay.length && stillThere.length === drafts.takenBack.length) return drafts;
  return returned({ ...drafts, onTheWay, takenBack: stillThere }, back);
}

/** Prompts on their way that match `failed` become the draft again, before newer text. */
export function cameBack(drafts: Drafts, failed: (prompt: Sent) => boolean): Drafts {
  const back = drafts.onTheWay.filter(failed);
  return back.length === 0
    ? drafts
    : returned({ ...drafts, onTheWay: drafts.onTheWay.filter(prompt => !failed(prompt)) }, back);
}

/** The session that had this queue is lost: its queued prompts, including those being taken back, become the draft. */
export function queueLost(drafts: Drafts, queue: readonly Sent[], known: Known = { entries: [] }): Drafts {
  const has = new Set([
    ...known.entries.map(({ id }) => id),
    ...(known.queue?.prompts.map(({ messageId }) => messageId) ?? []),
    ...drafts.onTheWay.map(({ messageId }) => messageId),
  ]);
  const all = [
    ...queue,
    ...drafts.takenBack.filter(({ messageId }) => !queue.some(waiting => waiting.messageId === messageId)),
  ];
  if (all.length === 0) return drafts;
  return returned(
    { ...drafts, takenBack: [] },
    all.filter(({ messageId }) => !has.has(messageId)),
  );
}

/** Puts these prompts into the draft, before newer text. */
export function returned(drafts: Drafts, back: readonly Sent[]): Drafts {
  return {
    ...drafts,
    text: [...back.map(({ text }) => text), drafts.text].filter(text => text !== "").join("\n"),
    attachments: united(
      back.flatMap(({ attachments }) => attachments ?? []),
      drafts.attachments,
    ),
  };
}

/** Without duplicates. */
function united(attachments: readonly Attachment[], added: readonly Attachment[]): readonly Attachment[] {
  return added.reduce<readonly Attachment[]>(
    (all, each) => (all.some(known => isSame(known, each)) ? all : [...all, each]),
    attachments,
  );
}
