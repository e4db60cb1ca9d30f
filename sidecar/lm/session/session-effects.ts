/** Helpers of the session state machine (`session-state.ts`): small transitions and their effects. Pure. */
import * as l10n from "@vscode/l10n";
import type { TurnOutcome } from "../../agent-session/agent-message";
import type { RequestId } from "../../../src/protocol/lm/lm";
import { assertNever } from "../../../src/protocol/wire/wire";
import { refusal, toMcp } from "../tools/tool-results";
import {
  grown,
  isBufferFull,
  MAX_QUESTIONS,
  type Answer,
  type Blocked,
  type ModelSessionEffect,
  type Held,
  type ModelSessionPhase,
  type Question,
  type ModelSessionState,
  type ModelSessionStep,
  type Streaming,
  type ModelFailure,
} from "./session-state-model";

/** Time limits in milliseconds: `PENDING_MS` for results of calls, `STOPPING_MS` for the end of a stopped turn. */
export const PENDING_MS = 30 * 60_000,
  STOPPING_MS = 60_000;

export function emitPart(
  state: ModelSessionState,
  requestId: RequestId,
  part: Extract<ModelSessionEffect, { readonly kind: "emit" }>["part"],
): ModelSessionStep {
  return [{ ...state, reply: grown(state.reply, part) }, [{ kind: "emit", requestId, part }]];
}

/** Adds a sentence of Symposium after the agent's text. */
export function addSentence(state: ModelSessionState, requestId: RequestId, sentence: string): ModelSessionStep {
  return emitPart(state, requestId, { type: "text", value: state.reply.isEmpty ? sentence : `\n\n${sentence}` });
}

export function refused(state: ModelSessionState, { callId }: Question): ModelSessionStep {
  const { kind } = state.phase;
  return [
    state,
    [
      refuse(
        callId,
        kind === "streaming" || (kind === "blocked" && !isOver(state.phase))
          ? l10n.t`At most ${MAX_QUESTIONS} tools can run at a time.`
          : l10n.t("No turn is open."),
      ),
    ],
  ];
}

export function settled<P extends Streaming | Blocked>(phase: P, callId: string): P {
  return {
    ...phase,
    open: new Map([...phase.open].filter(([id]) => id !== callId)),
    settled: new Set(phase.settled).add(callId),
  };
}

export function isOver(phase: { readonly held: Held }): boolean {
  const last = phase.held.events.at(-1)?.kind;
  return last === "turnEnded" || last === "agentDown";
}

export function isTooMany({ open, held }: Streaming | Blocked): boolean {
  return open.size + questionsIn(held).length >= MAX_QUESTIONS;
}
export function questionsIn({ events }: Held): readonly Question[] {
  return events.flatMap(event => (event.kind === "asked" ? [event.question] : []));
}
export function bufferedParts({ events }: Held) {
  return events.flatMap(event => (event.kind === "spoke" ? [event.part] : []));
}
export function discarded(held: Held): readonly ModelSessionEffect[] {
  return bufferedParts(held).map(part => ({ kind: "discard", part }));
}
export function finish({ requestId }: { readonly requestId: RequestId }): ModelSessionEffect {
  return { kind: "finish", requestId };
}
export function answerEffect(callId: string, given: Answer): ModelSessionEffect {
  return { kind: "answer", callId, answer: given };
}
export function refuse(callId: string, reason: string): ModelSessionEffect {
  return answerEffect(callId, { kind: "refused", reason });
}
export function refusals(questions: readonly Question[], reason: string): readonly ModelSessionEffect[] {
  return questions.map(({ callId }) => refuse(callId, reason));
}

/** Maximum duration of a phase, in milliseconds; `undefined` if it is unlimited. */
function limitOf({ kind }: ModelSessionPhase): number | undefined {
  return kind === "blocked" ? PENDING_MS : kind === "cancelling" ? STOPPING_MS : undefined;
}

export function watching(before: ModelSessionPhase, after: ModelSessionPhase): readonly ModelSessionEffect[] {
  const ms = limitOf(after);
  return before.kind === after.kind
    ? []
    : ms !== undefined
      ? [{ kind: "watch", ms }]
      : limitOf(before) !== undefined
        ? [{ kind: "unwatch" }]
        : [];
}

/** Events buffered in an idle session may never be sent, so they do not pause the agent. */
function isPaused(phase: ModelSessionPhase): boolean {
  return (phase.kind === "streaming" || phase.kind === "blocked") && isBufferFull(phase.held);
}

export function reading(before: ModelSessionPhase, after: ModelSessionPhase): readonly ModelSessionEffect[] {
  return isPaused(before) === isPaused(after) ? [] : [{ kind: isPaused(after) ? "pause" : "release" }];
}

/** ACP's stop reasons (schema v1, `StopReason`) as sentences for the user. */
const STOP_REASONS: Readonly<Record<string, string>> = {
  max_tokens: l10n.t("The answer ends here because it reached the model's token limit."),
  max_turn_requests: l10n.t("The agent stopped because it reached its limit of model requests for one turn."),
  refusal: l10n.t("The agent refused to continue. It does not remember this turn."),
  cancelled: l10n.t("Stopped."),
};

/** The sentence after a turn's answer; `undefined` if the turn ended normally with an answer. */
export function closingSentence(
  { agent, reply }: ModelSessionState,
  outcome: TurnOutcome<ModelFailure>,
): string | undefined {
  const reason = outcome.kind === "stopped" ? outcome.reason : "end_turn";
  if (reason !== "end_turn") return STOP_REASONS[reason] ?? l10n.t`The agent stopped for the reason “${reason}”.`;
  return reply.isEmpty ? l10n.t`${agent} ended its turn without an answer.` : undefined;
}

/** Finishes a request that does not change the session. */
export function finishUnchanged({ phase: { kind } }: ModelSessionState, requestId: RequestId): ModelSessionEffect {
  return {
    kind: "finish",
    requestId,
    ...(kind === "streaming" || kind === "blocked" ? { goesOn: true as const } : {}),
  };
}

/** Sends the parts of the current round again. */
export function repeat([state, effects]: ModelSessionStep, requestId: RequestId, isWhole: boolean): ModelSessionStep {
  const { parts, isEmpty } = state.reply,
    text = parts
      ? l10n.t`${state.agent} has sent no answer yet.`
      : l10n.t("This answer is too long to be sent again. It is in the chat's history above.");
  const output: ModelSessionEffect[] =
    parts && !(isEmpty && isWhole)
      ? parts.map(part => ({ kind: "emit", requestId, part }))
      : [{ kind: "emit", requestId, part: { type: "text", value: text } }];
  return [state, [...effects, ...output, ...(isWhole ? [finishUnchanged(state, requestId)] : [])]];
}

/** The answer of a tool call as an MCP result. */
export function resultOf(answer: Answer) {
  switch (answer.kind) {
    case "result":
      return toMcp(answer.result, answer.isError);
    case "refused":
      return refusal(answer.reason);
    case "allowed":
      return refusal(l10n.t("A tool call cannot be allowed.")); // the state machine allows permissions only
    default:
      return assertNever(answer, "answer");
  }
}
