/** View of queued prompts and prompts in flight. Pure. */
import type { Entry, QueuedPrompt } from "../../../src/protocol/chat/chat";
import type { Tab } from "../../state/page-model";

export interface ShownPrompt {
  readonly prompt: QueuedPrompt;
  /** onTheWay: in flight to the session. takenBack: withdrawn for editing. */
  readonly state: "waiting" | "onTheWay" | "takenBack";
}

export interface QueueView {
  readonly held: boolean;
  readonly prompts: readonly ShownPrompt[];
}

/** `undefined` if nothing is queued. A prompt sent during a turn appears immediately. */
export function queueOf(tab: Tab): QueueView | undefined {
  const { queue } = tab.conversation;
  const back = new Set(tab.drafts.takenBack.map(({ messageId }) => messageId));
  const prompts = [
    ...(queue?.prompts ?? []).map(
      (prompt): ShownPrompt => ({ prompt, state: back.has(prompt.messageId) ? "takenBack" : "waiting" }),
    ),
    ...splitInFlight(tab).behind.map((prompt): ShownPrompt => ({ prompt, state: "onTheWay" })),
  ];
  return prompts.length === 0
    ? undefined
    : { held: queue !== undefined && queue.held && queue.prompts.length > 0, prompts };
}

/** A prompt in flight that starts a turn is shown like its final entry: same id, same card. */
export function startedEntries(tab: Tab): readonly Entry[] {
  return splitInFlight(tab).begins.map(({ messageId, text, attachments }) => entryOf(messageId, text, attachments));
}

/** Only the first prompt starts a turn, and only if none is running. */
function splitInFlight({ drafts: { onTheWay }, conversation: { turn } }: Tab): {
  readonly begins: readonly QueuedPrompt[];
  readonly behind: readonly QueuedPrompt[];
} {
  const begins = turn.state === "idle" ? 1 : 0;
  return { begins: onTheWay.slice(0, begins), behind: onTheWay.slice(begins) };
}

function entryOf(id: string, text: string, attachments: QueuedPrompt["attachments"]): Entry {
  return { kind: "user", id, text, ...(attachments ? { attachments } : {}) };
}

/** Whether both views are drawn the same. Prompts are immutable and compared by identity. */
export function looksSame(a: QueueView | undefined, b: QueueView | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    a.held === b.held &&
    a.prompts.length === b.prompts.length &&
    a.prompts.every(({ prompt, state }, i) => prompt === b.prompts[i]?.prompt && state === b.prompts[i].state)
  );
}
