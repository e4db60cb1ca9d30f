/** What a user sees of the prompts that wait, or are on their way. Pure. */
import type { Entry, QueuedPrompt } from "../../src/protocol/chat";
import type { Tab } from "../state/page-model";

export interface ShownPrompt {
  readonly prompt: QueuedPrompt;
  /** onTheWay: the session may not have it yet. takenBack: it is about to be the draft. */
  readonly state: "waiting" | "onTheWay" | "takenBack";
}

export interface QueueView {
  readonly held: boolean;
  readonly prompts: readonly ShownPrompt[];
}

/** `undefined` when nothing waits. What is sent while a turn runs will wait, and is shown so at once. */
export function queueOf(tab: Tab): QueueView | undefined {
  const { queue } = tab.conversation;
  const back = new Set(tab.drafts.takenBack.map(({ messageId }) => messageId));
  const prompts = [
    ...(queue?.prompts ?? []).map(
      (prompt): ShownPrompt => ({ prompt, state: back.has(prompt.messageId) ? "takenBack" : "waiting" }),
    ),
    ...sending(tab).behind.map((prompt): ShownPrompt => ({ prompt, state: "onTheWay" })),
  ];
  return prompts.length === 0
    ? undefined
    : { held: queue !== undefined && queue.held && queue.prompts.length > 0, prompts };
}

/** A prompt that is on its way and begins a turn is shown as it will be: same id, same card. */
export function begun(tab: Tab): readonly Entry[] {
  return sending(tab).begins.map(({ messageId, text, attachments }) => entryOf(messageId, text, attachments));
}

/** Only the first begins a turn, and only where none runs. */
function sending({ drafts: { onTheWay }, conversation: { turn } }: Tab): {
  readonly begins: readonly QueuedPrompt[];
  readonly behind: readonly QueuedPrompt[];
} {
  const begins = turn.state === "idle" ? 1 : 0;
  return { begins: onTheWay.slice(0, begins), behind: onTheWay.slice(begins) };
}

function entryOf(id: string, text: string, attachments: QueuedPrompt["attachments"]): Entry {
  return { kind: "user", id, text, ...(attachments ? { attachments } : {}) };
}

/** Whether both look the same. Prompts are never changed, only replaced. */
export function looksSame(a: QueueView | undefined, b: QueueView | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    a.held === b.held &&
    a.prompts.length === b.prompts.length &&
    a.prompts.every(({ prompt, state }, i) => prompt === b.prompts[i]?.prompt && state === b.prompts[i].state)
  );
}
