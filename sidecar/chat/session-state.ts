/**
 * One conversation with one agent, as a pure machine: `step(state, event)` → the next state and what is to be done.
 *
 *               opened                    prompted
 *   opening ───────────────▶ idle ◀─────────────────▶ prompting
 *      ▲ │                     │       turnEnded          │ cancelled
 *      │ └─ openFailed ─▶ down ◀── agentDown ──┐          ▼
 *      └── prompted, restarted ──┘             └────── cancelling ── turnEnded ─▶ idle
 *
 * Invariants. A prompt is in the conversation before it is accepted, and is sent once. A turn is ended by the agent, or by
 * its death; whatever ends it settles everything that it opened: permissions are answered, tool calls terminal. Nothing is
 * sent to an agent session that is not there. Every pair of state and event has an answer here; one that cannot happen
 * says so with `unexpected`: thrown in tests, logged in the field.
 */
import { interrupted, type Conversation } from "../../src/protocol/chat";
import { assertNever } from "../../src/protocol/wire";
import { chain, emit, enter, idle, say, unexpected, type Effect, type Phase, type Prompt, type SessionEvent, type State, type Step, type Trouble, type TurnOutcome } from "./session-model";
import { answer, answerElicitation, ask, completeElicitation, elicit, settleQuestions, settleTools } from "./session-questions";
import { terminal } from "./session-terminals";
import { chooseControl, controlRefused, showControls, thoughtOver, update } from "./session-updates";

export function start(conversation: Conversation, prefix: string, why: string | undefined): Step {
  const state: State = { phase: { kind: "opening", waiting: undefined }, conversation, prefix, made: 0, restarts: 0 };
  return chain([state, []], s => why === undefined ? [s, []] : say(s, "warning", `${why} ${s.conversation.agent.name} does not remember what was said above.`, []), s => [s, [{ kind: "open" }]]);
}

/** `now`: milliseconds of a clock that never goes back. */
export function step(state: State, event: SessionEvent, now: number): Step {
  switch (event.kind) {
    case "updated": return update(state, event, now);
    case "asked": return ask(state, event.asked);
    case "elicited": return elicit(state, event.elicited);
    case "answered": return answer(state, event.permissionId, event.choice);
    case "elicitationAnswered": return answerElicitation(state, event.id, event.choice);
    case "elicitationCompleted": return completeElicitation(state, event.elicitationId);
    case "withdrawn": return settleQuestions(state, "the agent withdrew the question", entry => entry.id === event.id);
    case "terminalStarted": case "terminalPrinted": case "terminalEnded": return terminal(state, event);
    case "controlChosen": return chooseControl(state, event.controlId, event.value);
    case "controlSet": return event.controls === undefined ? [state, []] : showControls(state, event.controls);
    case "controlRefused": return controlRefused(state, event);
    case "closed": return close(state);
    default: return stepPhase(state, event, now);
  }
}

type PhaseEvent = Extract<SessionEvent, { readonly kind: "opened" | "openFailed" | "slow" | "prompted" | "cancelled" | "cancelOverdue" | "turnEnded" | "agentDown" | "restarted" | "reopened" }>;

/** What is answered differently in each phase. */
function stepPhase(state: State, event: PhaseEvent, now: number): Step {
  const { phase } = state;
  switch (phase.kind) {
    case "opening": switch (event.kind) {
      case "opened": return opened(state, phase.waiting);
      case "openFailed": case "agentDown": return fell(state, event, state.restarts > 0);
      case "slow": return say(state, "info", event.text, ["showLogs"]);
      case "prompted": return phase.waiting ? refuse(state, event.prompt) : accept(state, event.prompt, { kind: "opening", waiting: event.prompt }, "starting", []);
      case "cancelled": return phase.waiting ? chain(enter(state, { kind: "opening", waiting: undefined }), idle, s => say(s, "info", "Stopped before the agent had started; the prompt was not sent.", [])) : [state, []];
      case "restarted": return [state, [{ kind: "restartAgent" }, { kind: "open" }]];
      case "cancelOverdue": case "reopened": return [state, []];
      case "turnEnded": return unexpected(state, event);
      default: return assertNever(event, "session event");
    }
    case "idle": switch (event.kind) {
      case "prompted": return accept(state, event.prompt, { kind: "prompting", messageId: event.prompt.messageId, entriesBefore: state.conversation.entries.length + 1 }, "running", [{ kind: "sendPrompt", prompt: event.prompt }]);
      case "agentDown": return fell(state, event, true);
      case "restarted": return restart(state);
      case "cancelled": case "cancelOverdue": case "slow": case "reopened": return [state, []];
      case "opened": case "openFailed": case "turnEnded": return unexpected(state, event);
      default: return assertNever(event, "session event");
    }
    case "prompting": switch (event.kind) {
      case "turnEnded": return end(state, event.outcome, phase.entriesBefore, now);
      case "cancelled": return chain(enter(state, { kind: "cancelling", messageId: phase.messageId }),
        s => emit(s, { type: "turn", turn: { state: "cancelling", messageId: phase.messageId } }),
        s => settleQuestions(s, "the turn was stopped"), s => [s, [{ kind: "sendCancel" }]]);
      case "prompted": return refuse(state, event.prompt);
      case "agentDown": return fell(state, event, true);
      case "restarted": return restart(state);
      case "cancelOverdue": case "slow": case "reopened": return [state, []];
      case "opened": case "openFailed": return unexpected(state, event);
      default: return assertNever(event, "session event");
    }
    case "cancelling": switch (event.kind) {
      // However the agent answers a prompt that was cancelled: it has stopped, as it was asked to.
      case "turnEnded": return end(state, event.outcome.kind === "failed" ? { kind: "stopped", reason: "cancelled" } : event.outcome, 0, now);
      case "cancelOverdue": return say(state, "warning", `${state.conversation.agent.name} has not stopped yet. Wait, or restart it.`, ["restartAgent"]);
      case "prompted": return refuse(state, event.prompt);
      case "agentDown": return fell(state, event, true);
      case "restarted": return restart(state);
      case "cancelled": case "slow": case "reopened": return [state, []];
      case "opened": case "openFailed": return unexpected(state, event);
      default: return assertNever(event, "session event");
    }
    case "down": switch (event.kind) {
      case "prompted": return accept(state, event.prompt, { kind: "opening", waiting: event.prompt }, "starting", [{ kind: "open" }]);
      case "restarted": return chain(enter(state, { kind: "opening", waiting: undefined }), s => [s, [{ kind: "restartAgent" }, { kind: "open" }]]);
      case "reopened": return chain(enter(state, { kind: "opening", waiting: undefined }), s => [s, [{ kind: "open" }]]);
      case "agentDown": case "cancelled": case "cancelOverdue": case "slow": return [state, []];
      case "opened": case "openFailed": case "turnEnded": return unexpected(state, event);
      default: return assertNever(event, "session event");
    }
    case "closed": return event.kind === "prompted" ? [state, [{ kind: "refusePrompt", messageId: event.prompt.messageId, why: "This tab is closed." }]] : [state, []];
    default: return assertNever(phase, "session phase");
  }
}

// --- prompts and turns

function accept(state: State, prompt: Prompt, phase: Phase, turn: "starting" | "running", then: readonly Effect[]): Step {
  if (isKnown(state, prompt.messageId)) return [state, [{ kind: "acceptPrompt", messageId: prompt.messageId }]];
  return chain(enter(state, phase),
    s => emit(s, { type: "upsert", entry: { kind: "user", id: prompt.messageId, text: prompt.text } }),
    s => emit(s, { type: "turn", turn: { state: turn, messageId: prompt.messageId } }),
    s => [s, [{ kind: "acceptPrompt", messageId: prompt.messageId }, ...then]]);
}

/** A repeat of what is in the conversation is accepted without a second effect: its first acknowledgement was lost. */
function refuse(state: State, { messageId }: Prompt): Step {
  return isKnown(state, messageId) ? [state, [{ kind: "acceptPrompt", messageId }]]
    : [state, [{ kind: "refusePrompt", messageId, why: "The agent is still answering. Wait for it or stop it, then send again." }]];
}

function isKnown(state: State, messageId: string): boolean {
  return state.conversation.entries.some(entry => entry.id === messageId);
}

/** A session that the agent opened anew has no memory of what it said in the one before (`start` said it of what was restored). */
function opened(state: State, waiting: Prompt | undefined): Step {
  const spoke = state.conversation.entries.some(entry => entry.kind === "agent" && entry.id.startsWith(state.prefix));
  return chain([state, []],
    s => spoke ? say(s, "info", `${s.conversation.agent.name} begins anew and does not remember what was said above.`, []) : [s, []],
    s => waiting === undefined ? enter(s, { kind: "idle" })
      : chain(enter(s, { kind: "prompting", messageId: waiting.messageId, entriesBefore: s.conversation.entries.length }),
        t => emit(t, { type: "turn", turn: { state: "running", messageId: waiting.messageId } }),
        t => [t, [{ kind: "sendPrompt", prompt: waiting }]]));
}

/** ACP's stop reasons (schema v1, `StopReason`), said plainly; `end_turn` needs no words unless it is all there was. */
const STOP_REASONS: Readonly<Record<string, string>> = {
  max_tokens: "The answer ends here because it reached the model's token limit.",
  max_turn_requests: "The agent stopped because it reached its limit of model requests for one turn.",
  refusal: "The agent refused to go on. What was said in this turn is not part of its memory.",
  cancelled: "Stopped.",
};

function end(state: State, outcome: TurnOutcome, entriesBefore: number, now: number): Step {
  const { name } = state.conversation.agent;
  const isEmpty = entriesBefore > 0 && state.conversation.entries.length <= entriesBefore;
  return chain(thoughtOver(state, now), t => settleQuestions(t, "the turn ended"), settleTools,
    s => outcome.kind === "failed" ? say(s, "error", outcome.text, outcome.actions)
      : outcome.reason !== "end_turn" ? say(s, outcome.reason === "cancelled" ? "info" : "warning", STOP_REASONS[outcome.reason] ?? `The agent stopped for the reason “${outcome.reason}”.`, [])
        : isEmpty ? say(s, "info", `${name} ended its turn without an answer.`, []) : [s, []],
    s => enter({ ...s, restarts: outcome.kind === "stopped" ? 0 : s.restarts }, { kind: "idle" }), idle);
}

/** After these pauses it is started again by itself; then only a prompt or a person does. */
const PAUSES_MS = [1_000, 5_000, 15_000] as const;

/** The agent is gone: nothing of it goes on. `isBack`: it has worked before, and is started again. */
function fell(state: State, { text, actions }: Trouble, isBack: boolean): Step {
  const wasAsked = state.phase.kind === "prompting", pause = isBack ? PAUSES_MS[state.restarts] : undefined;
  return chain(interruptAll(state), s => say(s, "error", text, wasAsked ? ["sendAgain", ...actions] : actions), s => enter(s, { kind: "down" }), idle, s => [s, [{ kind: "leave" }]],
    s => pause === undefined ? [s, []] : [{ ...s, restarts: s.restarts + 1 }, [{ kind: "reopenLater", ms: pause }]]);
}

function restart(state: State): Step {
  return chain(interruptAll(state), s => enter(s, { kind: "opening", waiting: undefined }), idle, s => [s, [{ kind: "restartAgent" }, { kind: "open" }]]);
}

function close(state: State): Step {
  if (state.phase.kind === "closed") return [state, []];
  const running = state.phase.kind === "prompting" || state.phase.kind === "cancelling";
  return chain(settleQuestions(state, "the tab was closed"), settleTools,
    s => enter(s, { kind: "closed" }), s => [s, [...(running ? [{ kind: "sendCancel" } as const] : []), { kind: "leave" }]]);
}

/** As at a process's death; the questions are answered too, because an in-process agent may outlive its session. */
function interruptAll(state: State): Step {
  if (state.phase.kind !== "prompting" && state.phase.kind !== "cancelling") return settleQuestions(state, "the agent stopped");
  const after = interrupted(state.conversation, "the agent stopped");
  const changed = after.filter((entry, i) => entry !== state.conversation.entries[i] && entry.kind !== "permission" && entry.kind !== "elicitation");
  return chain(settleQuestions(state, "the agent stopped"), ...changed.map(entry => (s: State) => emit(s, { type: "upsert", entry })));
}
