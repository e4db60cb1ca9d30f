/**
 * Prompts that wait for the turn before them, in a session's machine. They are part of the conversation, so that
 * whoever shows it shows them.
 *
 * Invariants: after each step a prompt is in the queue or an entry of the conversation, never both; they go out in the
 * order in which they came, each once; after a turn that did not end well none goes out by itself.
 */
import { QUEUE_LIMIT, type Queue } from "../../src/protocol/chat";
import { chain, emit, type Prompt, type State, type Step } from "./session-model";

const NONE: Queue = { prompts: [], held: false };

export function queueOf({ conversation }: State): Queue {
  return conversation.queue ?? NONE;
}

export function isQueued(state: State, messageId: string): boolean {
  return queueOf(state).prompts.some(prompt => prompt.messageId === messageId);
}

/** At its end. A repeat of what is in it is accepted without a second effect. */
export function enqueue(state: State, prompt: Prompt): Step {
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
          why: `${QUEUE_LIMIT} prompts wait already. Wait until one has gone out, or withdraw one.`,
        },
      ],
    ];
  return chain(setQueue(state, { prompts: [...prompts, prompt], held }), s => [
    s,
    [{ kind: "acceptPrompt", messageId }],
  ]);
}

export function withdraw(state: State, messageId: string): Step {
  const { prompts, held } = queueOf(state);
  if (!isQueued(state, messageId)) return [state, []];
  return setQueue(
    { ...state, withdrawn: [...state.withdrawn, messageId].slice(-QUEUE_LIMIT) },
    { prompts: prompts.filter(prompt => prompt.messageId !== messageId), held },
  );
}

/** What waits goes out only when the user says so. */
export function hold(state: State): Step {
  const { prompts, held } = queueOf(state);
  return held || prompts.length === 0 ? [state, []] : setQueue(state, { prompts, held: true });
}

export function release(state: State): Step {
  const { prompts, held } = queueOf(state);
  return held ? setQueue(state, { prompts, held: false }) : [state, []];
}

/**
 * The first is given to `begin`, and taken out after that, so that whoever watches never misses it; nothing when none
 * may go.
 */
export function sendNext(state: State, begin: (state: State, prompt: Prompt) => Step): Step {
  const {
    prompts: [first, ...rest],
    held,
  } = queueOf(state);
  return first === undefined || held
    ? [state, []]
    : chain(begin(state, first), s => setQueue(s, { prompts: rest, held }));
}

function setQueue(state: State, queue: Queue): Step {
  return emit(state, { type: "queue", queue: queue.prompts.length === 0 ? NONE : queue });
}
