/**
 * Text and attachments of one tab until the conversation contains them.
 *
 * Invariant: a prompt is the draft, in flight (`onTheWay`), or in the conversation (as an entry or in its queue). A
 * prompt that fails or is withdrawn becomes the draft again, before newer text, so that nothing typed or attached is
 * lost.
 */
import { isSame, type Attachment } from "../../src/protocol/chat/attachments";
import type { Conversation, QueuedPrompt } from "../../src/protocol/chat/chat";

/** A sent prompt that is not in the conversation yet. The sidecar ignores a repeated id. */
export type Sent = QueuedPrompt;

export interface Drafts {
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly onTheWay: readonly Sent[];
  /** Queued prompts that the user withdrew for editing and that the sidecar has not released yet. */
  readonly takenBack: readonly Sent[];
}

export const noDrafts: Drafts = { text: "", attachments: [], onTheWay: [], takenBack: [] };

type SubmittedPrompts = Pick<Conversation, "entries" | "queue" | "omitted">;

export function typed(drafts: Drafts, text: string): Drafts {
  return { ...drafts, text };
}

/** Adds a suggested prompt after the typed text. */
export function suggested(drafts: Drafts, text: string): Drafts {
  return { ...drafts, text: drafts.text.trim() === "" ? text : `${drafts.text}\n${text}` };
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

/**
 * Marks a queued prompt as withdrawn for editing. `arrived` moves the prompt to the draft when it has left the queue.
 */
export function takenBack(drafts: Drafts, prompt: Sent): Drafts {
  return drafts.takenBack.some(({ messageId }) => messageId === prompt.messageId)
    ? drafts
    : { ...drafts, takenBack: [...drafts.takenBack, prompt] };
}

/** Removes prompts that the conversation contains. Withdrawn prompts that it no longer contains become the draft. */
export function arrived(drafts: Drafts, { entries, queue, omitted }: SubmittedPrompts): Drafts {
  if (drafts.onTheWay.length === 0 && drafts.takenBack.length === 0) return drafts;
  const started = new Set([
    ...entries.filter(({ kind }) => kind === "user").map(({ id }) => id),
    ...(omitted?.promptIds ?? []),
  ]);
  const waiting = new Set(queue?.prompts.map(({ messageId }) => messageId));
  const onTheWay = drafts.onTheWay.filter(({ messageId }) => !started.has(messageId) && !waiting.has(messageId));
  const back = drafts.takenBack.filter(({ messageId }) => !started.has(messageId) && !waiting.has(messageId));
  const stillQueued = drafts.takenBack.filter(({ messageId }) => waiting.has(messageId));
  if (onTheWay.length === drafts.onTheWay.length && stillQueued.length === drafts.takenBack.length) return drafts;
  return returned({ ...drafts, onTheWay, takenBack: stillQueued }, back);
}

/** Moves the prompts in flight that match `failed` back to the draft, before newer text. */
export function restoreFailed(drafts: Drafts, failed: (prompt: Sent) => boolean): Drafts {
  const back = drafts.onTheWay.filter(failed);
  return back.length === 0
    ? drafts
    : returned({ ...drafts, onTheWay: drafts.onTheWay.filter(prompt => !failed(prompt)) }, back);
}

/** Moves all prompts that are not queued to the draft, before newer text. */
export function restoreAll(drafts: Drafts, { queue }: Pick<Conversation, "queue">): Drafts {
  const isQueued = ({ messageId }: Sent): boolean =>
    queue?.prompts.some(waiting => waiting.messageId === messageId) === true;
  const back = [...drafts.takenBack.filter(prompt => !isQueued(prompt)), ...drafts.onTheWay];
  return back.length === 0
    ? drafts
    : returned({ ...drafts, onTheWay: [], takenBack: drafts.takenBack.filter(isQueued) }, back);
}

/** Puts these prompts into the draft, before newer text. */
export function returned(drafts: Drafts, back: readonly Sent[]): Drafts {
  return {
    ...drafts,
    text: [...back.map(({ text }) => text), drafts.text].filter(text => text !== "").join("\n"),
    attachments: withoutDuplicates(
      back.flatMap(({ attachments }) => attachments ?? []),
      drafts.attachments,
    ),
  };
}

/** Joins both lists without duplicates. */
function withoutDuplicates(attachments: readonly Attachment[], added: readonly Attachment[]): readonly Attachment[] {
  return added.reduce<readonly Attachment[]>(
    (all, each) => (all.some(known => isSame(known, each)) ? all : [...all, each]),
    attachments,
  );
}
