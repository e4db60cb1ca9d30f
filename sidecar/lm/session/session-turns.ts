/**
 * The turns of a session behind VS Code's chat: their start, their questions, and their end or stop. Helpers of
 * `session-state.ts`, which contains the invariants. `session-state-model.ts` defines the events and phases. Pure.
 */
import * as l10n from "@vscode/l10n";
import { chain, enter } from "../../agent-session/state-machine";
import type { RequestId } from "../../../src/protocol/lm/lm";
import { assertNever } from "../../../src/protocol/wire/wire";
import {
  grown,
  bufferEvent,
  NO_REPLY,
  EMPTY_BUFFER,
  partOf,
  type AgentActivity,
  type Blocked,
  type ModelSessionEffect,
  type Held,
  type ModelSessionPhase,
  type ModelPrompt,
  type Question,
  type ModelSessionState,
  type ModelSessionStep,
  type Streaming,
} from "./session-state-model";
import {
  discarded,
  emitPart,
  finish,
  finishUnchanged,
  closingSentence,
  questionsIn,
  refusals,
  refuse,
  bufferedParts,
  addSentence,
  settled,
} from "./session-effects";

export function ask(state: ModelSessionState, phase: Streaming, question: Question): ModelSessionStep {
  return [
    {
      ...state,
      phase: { ...phase, open: new Map(phase.open).set(question.callId, question) },
      reply: grown(state.reply, partOf(question)),
    },
    [{ kind: "askHost", requestId: phase.requestId, question }, { kind: "awaitQuiet" }],
  ];
}

export function withdraw(state: ModelSessionState, phase: Streaming | Blocked, callId: string): ModelSessionStep {
  const refusal = refuse(callId, l10n.t("It was withdrawn.")),
    events = phase.held.events.filter(event => event.kind !== "asked" || event.question.callId !== callId);
  if (phase.open.has(callId)) return enter(state, settled(phase, callId), [refusal]);
  return events.length === phase.held.events.length
    ? [state, []]
    : enter(state, { ...phase, held: { ...phase.held, events } }, [refusal]);
}

export function decide(state: ModelSessionState, phase: Streaming | Blocked, callId: string): ModelSessionStep {
  return phase.open.get(callId)?.kind === "permission"
    ? enter(state, settled(phase, callId), [{ kind: "answer", callId, answer: { kind: "allowed" } }])
    : [state, []];
}

/**
 * Rejects all questions, because the agent no longer waits. The agent's text and the end of its turn are sent in the
 * next response.
 */
export function over(
  state: ModelSessionState,
  phase: Blocked,
  event: Extract<AgentActivity, { readonly kind: "turnEnded" | "agentDown" }>,
): ModelSessionStep {
  const questions = questionsIn(phase.held),
    remaining = { ...phase.held, events: phase.held.events.filter(({ kind }) => kind !== "asked") };
  return enter(
    state,
    {
      ...phase,
      open: new Map(),
      settled: new Set([...phase.settled, ...phase.open.keys()]),
      held: bufferEvent(remaining, event),
    },
    refusals([...phase.open.values(), ...questions], l10n.t("The turn is over.")),
  );
}

export function end(
  state: ModelSessionState,
  { requestId }: Streaming,
  event: Extract<AgentActivity, { readonly kind: "turnEnded" | "agentDown" }>,
): ModelSessionStep {
  const failure =
    event.kind === "agentDown" ? event.message : event.outcome.kind === "failed" ? event.outcome.message : undefined;
  const next: ModelSessionPhase = event.kind === "agentDown" ? { kind: "down" } : { kind: "idle", held: EMPTY_BUFFER };
  if (failure !== undefined)
    return enter(state, next, [
      { kind: "turnOver", how: "cut" },
      { kind: "finish", requestId, error: failure },
    ]);
  const sentence = event.kind === "turnEnded" ? closingSentence(state, event.outcome) : undefined;
  return chain(sentence === undefined ? [state, []] : addSentence(state, requestId, sentence), s =>
    enter(s, next, [
      { kind: "turnOver", how: "answered" },
      { kind: "finish", requestId },
    ]),
  );
}

export function begin(state: ModelSessionState, prompt: ModelPrompt, held: Held = EMPTY_BUFFER): ModelSessionStep {
  const phase: Streaming = {
    kind: "streaming",
    requestId: prompt.requestId,
    open: new Map(),
    settled: new Set(),
    held: EMPTY_BUFFER,
  };
  return chain(
    [{ ...state, phase, reply: NO_REPLY }, []],
    ...bufferedParts(held).map(part => (s: ModelSessionState) => emitPart(s, prompt.requestId, part)),
    s => [s, [{ kind: "prompt", prompt }]],
  );
}

/** Waits until the agent's session is open or its stopped turn has ended. A newer request replaces an older request. */
export function wait(
  state: ModelSessionState,
  phase: Extract<ModelSessionPhase, { readonly waiting: unknown }>,
  prompt: ModelPrompt,
): ModelSessionStep {
  const before = phase.waiting;
  return chain(
    before
      ? [
          state,
          [{ kind: "emit", requestId: before.requestId, part: { type: "text", value: OVERTAKEN } }, finish(before)],
        ]
      : [state, []],
    s => enter(s, { ...phase, waiting: prompt }),
  );
}

/** Ends the waiting request without an answer. */
export function unwait(
  state: ModelSessionState,
  phase: Extract<ModelSessionPhase, { readonly waiting: unknown }>,
): ModelSessionStep {
  return enter(state, { ...phase, waiting: undefined }, phase.waiting ? [finish(phase.waiting)] : []);
}

const OVERTAKEN = l10n.t("A newer message replaced this one.");

/** Opens a new session of the agent if a prompt is waiting. */
export function anew(
  state: ModelSessionState,
  waiting: ModelPrompt | undefined,
  first: readonly ModelSessionEffect[],
): ModelSessionStep {
  return waiting
    ? enter(state, { kind: "opening", waiting }, [...first, { kind: "open" }])
    : enter(state, { kind: "down" }, first);
}

/** The request contains only results of calls that are no longer open. */
export function stray(state: ModelSessionState, requestId: RequestId): ModelSessionStep {
  return [
    state,
    [
      {
        kind: "emit",
        requestId,
        part: { type: "text", value: l10n.t`${state.agent} no longer waits for this result.` },
      },
      finishUnchanged(state, requestId),
    ],
  ];
}

/** The response is complete. The turn continues without an open request. */
export function block(
  state: ModelSessionState,
  { open, settled: settledIds, held, requestId }: Streaming,
): ModelSessionStep {
  return enter(state, { kind: "blocked", open, settled: settledIds, held }, [
    { kind: "finish", requestId, goesOn: true },
  ]);
}

/** Finishes an open response that a newer request replaces. */
export function overtaken(state: ModelSessionState, phase: Streaming): ModelSessionStep {
  return chain(state.reply.isEmpty ? addSentence(state, phase.requestId, OVERTAKEN) : [state, []], s => [
    s,
    [finish(phase)],
  ]);
}

/** Cancels the current turn. `waiting` becomes the next prompt. */
export function stop(
  state: ModelSessionState,
  phase: Streaming | Blocked,
  waiting: ModelPrompt | undefined,
  first: readonly ModelSessionEffect[],
): ModelSessionStep {
  const reason = l10n.t("The user stopped the turn."),
    last = phase.held.events.at(-1)?.kind;
  const effects: readonly ModelSessionEffect[] = [
    ...first,
    ...refusals([...phase.open.values(), ...questionsIn(phase.held)], reason),
    ...discarded(phase.held),
    { kind: "turnOver", how: "cut" },
  ];
  switch (last) {
    case "turnEnded":
      return chain([state, effects], s =>
        waiting ? begin(s, waiting) : enter(s, { kind: "idle", held: EMPTY_BUFFER }),
      );
    case "agentDown":
      return anew(state, waiting, effects);
    case "spoke":
    case "asked":
    case undefined:
      return enter(state, { kind: "cancelling", waiting }, [...effects, { kind: "cancelAgent" }]);
    default:
      return assertNever(last, "held event");
  }
}
