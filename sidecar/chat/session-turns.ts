/** Prompts and turns of a chat session: acceptance, start and end. Pure; called by `session-state.ts`. */
import { setupAdditions, withAdditions } from "./prompt-additions";
import * as l10n from "@vscode/l10n";
import type { TurnOutcome } from "../agent-session/agent-message";
import { chain, enter } from "../agent-session/state-machine";
import {
  addNotice,
  endWaits,
  withDetail,
  emitEvent,
  idle,
  type Effect,
  type Phase,
  type Prompt,
  type SessionStep,
  type State,
  type AgentFailure,
} from "./session-model";
import { closeBounds, NOTHING_SPENT } from "./turn-limits";
import { enqueue, holdQueue, isQueued, sendNext } from "./session-queue";
import { settleQuestions, settleTools, settleTurn } from "./session-questions";
import { settleSubagents } from "./session-subagents";
import { endThought } from "./session-updates";
import { forgetTools } from "./tool-times";

/** Handles a prompt in an open session without a running turn. */
export function prompted(state: State, prompt: Prompt, now: number): SessionStep {
  return accept(state, prompt, (s, accepted) => sendNow(s, prompt, now, accepted));
}

export function notSent(state: State, phase: Phase): SessionStep {
  return chain(enter(state, phase), holdQueue, idle, s => addNotice(s, "info", NOT_SENT, []));
}
const NOT_SENT = l10n.t("Stopped before the agent started. The prompt was not sent.");

/** Handles a prompt before the session is open. */
export function waitFor(state: State, prompt: Prompt, then: readonly Effect[]): SessionStep {
  return accept(state, prompt, (s, accepted) => sendLater(s, prompt, [...accepted, ...then]));
}

/** Accepts a repeated prompt without a second effect: its first acknowledgement was lost. */
function accept(
  state: State,
  { messageId }: Prompt,
  begin: (state: State, accepted: readonly Effect[]) => SessionStep,
): SessionStep {
  const accepted: readonly Effect[] = [{ kind: "acceptPrompt", messageId }];
  return isKnown(state, messageId) || isQueued(state, messageId) ? [state, accepted] : begin(state, accepted);
}

export function sendNow(state: State, prompt: Prompt, now: number, before: readonly Effect[] = []): SessionStep {
  const phase: Phase = {
    kind: "prompting",
    prompt,
    entriesBefore: state.conversation.entries.length + 1,
    sentAt: now,
    attempt: 1,
  };
  return begin(state, prompt, phase, "running", [...before, { kind: "sendPrompt", prompt }]);
}

export function sendLater(state: State, prompt: Prompt, then: readonly Effect[]): SessionStep {
  return begin(state, prompt, { kind: "opening", waiting: prompt }, "starting", then);
}

function begin(
  state: State,
  { messageId, text, attachments = [] }: Prompt,
  phase: Phase,
  turn: "starting" | "running",
  then: readonly Effect[],
): SessionStep {
  return chain(
    enter({ ...state, spent: NOTHING_SPENT, turn: state.turn + 1 }, phase),
    s =>
      emitEvent(s, {
        type: "upsert",
        entry: withAdditions(
          { kind: "user", id: messageId, text, ...(attachments.length === 0 ? {} : { attachments }) },
          setupAdditions(s.conversation),
        ),
      }),
    s => emitEvent(s, { type: "turn", turn: { state: turn, messageId } }),
    s => [s, then],
  );
}

export function queued(state: State, prompt: Prompt): SessionStep {
  return isKnown(state, prompt.messageId)
    ? [state, [{ kind: "acceptPrompt", messageId: prompt.messageId }]]
    : enqueue(state, prompt);
}

function isKnown(state: State, messageId: string): boolean {
  return state.withdrawn.includes(messageId) || state.conversation.entries.some(entry => entry.id === messageId);
}

export function opened(state: State, waiting: Prompt | undefined, attempt: 1 | 2, now: number): SessionStep {
  if (waiting === undefined) return enter(state, { kind: "idle" });
  return chain(
    enter(state, {
      kind: "prompting",
      prompt: waiting,
      entriesBefore: state.conversation.entries.length,
      sentAt: now,
      attempt,
    }),
    s => emitEvent(s, { type: "turn", turn: { state: "running", messageId: waiting.messageId } }),
    s => [s, [{ kind: "sendPrompt", prompt: waiting }]],
  );
}

/**
 * ACP's stop reasons (schema v1, `StopReason`) as sentences for the user. `end_turn` has a sentence only if the turn
 * was empty.
 */
const STOP_REASONS: Readonly<Record<string, string>> = {
  max_tokens: l10n.t("The answer ends here because it reached the model's token limit."),
  max_turn_requests: l10n.t("The agent stopped because it reached its limit of model requests for one turn."),
  refusal: l10n.t("The agent refused to continue. It does not remember this turn."),
  cancelled: l10n.t("Stopped."),
};

export function end(state: State, outcome: TurnOutcome<AgentFailure>, entriesBefore: number, now: number): SessionStep {
  const { name } = state.conversation.agent;
  const isEmpty = entriesBefore > 0 && state.conversation.entries.length <= entriesBefore;
  const isOver = outcome.kind === "stopped" && outcome.reason !== "cancelled";
  return chain(
    endThought(state, now),
    forgetTools,
    s => endWaits(s, "update", "turn"),
    t => (isOver ? settleTurn(t) : settleAll(t, l10n.t("the turn ended"))),
    closeBounds,
    s =>
      outcome.kind === "failed"
        ? addNotice(s, "error", outcome.text, outcome.actions, withDetail(outcome.detail))
        : outcome.reason !== "end_turn"
          ? addNotice(
              s,
              outcome.reason === "cancelled" ? "info" : "warning",
              STOP_REASONS[outcome.reason] ?? l10n.t`The agent stopped for the reason “${outcome.reason}”.`,
              [],
            )
          : isEmpty
            ? addNotice(s, "info", l10n.t`${name} ended its turn without an answer.`, [])
            : [s, []],
    s => enter({ ...s, restarts: outcome.kind === "stopped" ? 0 : s.restarts }, { kind: "idle" }),
    // After a cancellation, only prompts queued since then are sent. Earlier prompts stay held.
    s =>
      outcome.kind === "stopped" && (outcome.reason === "end_turn" || state.phase.kind === "cancelling")
        ? sendNext(s, (t, prompt) => sendNow(t, prompt, now))
        : holdQueue(s),
    s => (s.phase.kind === "idle" ? idle(s) : [s, []]),
  );
}

export function settleAll(state: State, why: string): SessionStep {
  return chain(settleQuestions(state, why), settleTools, s => settleSubagents(s, why));
}
