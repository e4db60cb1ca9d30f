/**
 * Queue of prompts that wait for the current turn, in the session state machine. The queue is part of the conversation,
 * so that every view shows it.
 *
 * Invariants:
 * - After each step a prompt is either in the queue or an entry of the conversation, never both.
 * - Each prompt is sent once, in the order of receipt.
 * - After a turn that was stopped or failed, no prompt is sent automatically.
 */
import * as l10n from "@vscode/l10n";
import { chain } from "../agent-session/state-machine";
import { QUEUE_LIMIT, type Queue } from "../../src/protocol/chat/chat";
import { emitEvent, type Prompt, type State, type SessionStep } from "./session-model";

const NONE: Queue = { prompts: [], held: false };

export function queueOf({ conversation }: State): Queue {
  return conversation.queue ?? NONE;
}

export function isQueued(state: State, messageId: string): boolean {
  return queueOf(state).prompts.some(prompt => prompt.messageId === messageId);
}

/** Appends the prompt. A prompt that is already queued is accepted without a second effect. */
export function enqueue(state: State, prompt: Prompt): SessionStep {
  const { prompts, held } = queueOf(state),
    { messageId } = prompt;
  if (isQueued(state, messageId)) return [state, [{ kind: "acceptPrompt", messageId }]];
  if (prompts.length >= QUEUE_LIMIT)
    return [
      state,
      [
        {
          kind: "refusePrompt",
          messageId,
          why: l10n.t`${QUEUE_LIMIT} prompts are already waiting. Wait until one is sent, or remove one.`,
        },
      ],
    ];
  return chain(setQueue(state, { prompts: [...prompts, prompt], held }), s => [
    s,
    [{ kind: "acceptPrompt", messageId }],
  ]);
}

/** Removes the prompts from the queue, and records their ids against late repetitions. */
export function withdraw(state: State, messageIds: readonly string[]): SessionStep {
  const { prompts, held } = queueOf(state),
    removed = prompts.filter(({ messageId }) => messageIds.includes(messageId));
  if (removed.length === 0) return [state, []];
  return setQueue(
    {
      ...state,
      withdrawn: [...state.withdrawn, ...removed.map(({ messageId }) => messageId)].slice(-QUEUE_LIMIT),
    },
    { prompts: prompts.filter(prompt => !removed.includes(prompt)), held },
  );
}

/** Holds the queued prompts until the user releases them. */
export function holdQueue(state: State): SessionStep {
  const { prompts, held } = queueOf(state);
  return held || prompts.length === 0 ? [state, []] : setQueue(state, { prompts, held: true });
}

export function release(state: State): SessionStep {
  const { prompts, held } = queueOf(state);
  return held ? setQueue(state, { prompts, held: false }) : [state, []];
}

/**
 * Passes the first prompt to `begin` before its removal from the queue, so that every view always shows the prompt.
 * Does nothing if the queue is empty or held.
 */
export function sendNext(state: State, begin: (state: State, prompt: Prompt) => SessionStep): SessionStep {
  const {
    prompts: [first, ...rest],
    held,
  } = queueOf(state);
  return first === undefined || held
    ? [state, []]
    : chain(begin(state, first), s => setQueue(s, { prompts: rest, held }));
}

function setQueue(state: State, queue: Queue): SessionStep {
  return emitEvent(state, { type: "queue", queue: queue.prompts.length === 0 ? NONE : queue });
}
