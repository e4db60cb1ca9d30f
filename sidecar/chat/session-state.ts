/**
 * One conversation with one agent, as a pure state machine: `step(state, event)` → the next state and the effects.
 *
 *               opened                    prompted
 *   opening ───────────────▶ idle ◀─────────────────▶ prompting
 *      ▲ │                     │       turnEnded          │ cancel
 *      │ └─ openFailed ─▶ down ◀── agentDown ──┐          ▼
 *      └── prompted, restarted ──┘             └────── cancelling ── turnEnded ─▶ idle
 *
 * Invariants:
 * - A prompt is in the conversation, or in its queue (`session-queue.ts`), before it is accepted. It is sent once, and
 *   a second time only if the agent's process exited without reading it.
 * - A turn ends when the agent ends it, exits, or does not stop after a cancellation. The end of a turn settles
 *   everything that the turn opened: permissions are answered, and tool calls are terminal.
 * - Nothing is sent to an agent session that is not open.
 * - Every pair of state and event is handled. An impossible pair returns `unexpected`, which throws in tests and is
 *   logged in production.
 */
import * as l10n from "@vscode/l10n";
import type { TurnOutcome } from "../agent-session/agent-message";
import { chain, enter, unexpected } from "../agent-session/state-machine";
import { interrupted, type Accepts, type ActionId, type Conversation } from "../../src/protocol/chat/chat";
import { isMissing, type SessionDetails } from "../../src/protocol/chat/session-details";
import type { ActionName, SessionAction } from "../../src/protocol/chat/session-actions";
import { assertNever } from "../../src/protocol/wire/wire";
import {
  emitEvent,
  idle,
  addNotice,
  type Effect,
  type Phase,
  type Prompt,
  type SessionEvent,
  type State,
  type SessionStep,
  type AgentFailure,
} from "./session-model";
import { listedLate } from "../agents/extensions/missing-tools";
import { restartsAndSends, restartsIn, restartsWithPrompt } from "../errors";
import { askBounded, closeBounds, NOTHING_SPENT } from "./session-bounds";
import { enqueue, holdQueue, isQueued, release, sendNext, withdraw } from "./session-queue";
import {
  answerPermission,
  answerElicitation,
  ask,
  bypass,
  completeElicitation,
  elicit,
  endBypass,
  settleQuestions,
  settleTools,
  settleTurn,
} from "./session-questions";
import { settleSubagents } from "./session-subagents";
import { terminal } from "./session-terminals";
import { chooseControl, controlRefused, showControls, thoughtOver, update } from "./session-updates";

export function startSession(conversation: Conversation, prefix: string, why: string | undefined): SessionStep {
  const state: State = {
    phase: { kind: "opening", waiting: undefined },
    conversation,
    prefix,
    made: 0,
    withdrawn: [],
    spent: NOTHING_SPENT,
    restarts: 0,
    subagents: new Map(),
    turn: 0,
  };
  return chain(
    [state, []],
    s =>
      why === undefined
        ? [s, []]
        : addNotice(
            s,
            "warning",
            l10n.t`${why} ${s.conversation.agent.name} does not remember the conversation above.`,
            [],
          ),
    s => [s, [{ kind: "open" }]],
  );
}

type ActionHandler<K extends ActionName> = (state: State, action: SessionAction<K>, now: number) => SessionStep;

const ACTIONS: { readonly [K in ActionName]: ActionHandler<K> } = {
  withdraw: (state, { messageId }) => withdraw(state, [messageId]),
  sendQueued: (state, action, now) => stepPhase(state, action, now),
  clearQueue: (state, { messageIds }) => withdraw(state, messageIds),
  cancel: (state, action, now) => stepPhase(state, action, now),
  answerPermission: (state, { permissionId, choice }) => answerPermission(state, permissionId, choice),
  answerElicitation: (state, { elicitationId, choice }) => answerElicitation(state, elicitationId, choice),
  setControl: (state, { controlId, value }) => chooseControl(state, controlId, value),
  endBypass: state => endBypass(state),
};

export const actionNames = Object.keys(ACTIONS) as readonly ActionName[];

function isAction(event: SessionEvent): event is SessionAction {
  return Object.hasOwn(ACTIONS, event.kind);
}

function act<K extends ActionName>(state: State, action: SessionAction<K>, now: number): SessionStep {
  const handler: ActionHandler<K> = ACTIONS[action.kind];
  return handler(state, action, now);
}

/** `now`: milliseconds of a monotonic clock. */
export function stepSession(state: State, event: SessionEvent, now: number): SessionStep {
  if (isAction(event)) return act(state, event, now);
  switch (event.kind) {
    case "updated":
      return update(state, event, now);
    case "asked":
      return askBounded(state, s => ask(s, event.permission), [
        { kind: "answerAgent", permissionId: event.permission.permissionId, optionId: undefined },
      ]);
    case "elicited":
      return askBounded(state, s => elicit(s, event.elicited), [
        { kind: "answerElicitation", id: event.elicited.id, response: { action: "cancel" } },
      ]);
    case "bypassed":
      return bypass(state, event.until);
    case "elicitationCompleted":
      return completeElicitation(state, event.elicitationId);
    case "withdrawn":
      return settleQuestions(state, "the agent withdrew the question", entry => entry.id === event.id);
    case "terminalStarted":
    case "terminalPrinted":
    case "terminalEnded":
      return terminal(state, event);
    case "controlSet":
      return event.controls === undefined ? [state, []] : showControls(state, event.controls);
    case "controlRefused":
      return controlRefused(state, event);
    case "installing":
      return state.phase.kind === "opening"
        ? addNotice(state, "info", l10n.t`${event.name} is being installed. This happens once.`, [])
        : [state, []];
    case "extensionMissing":
      return addNotice(state, "warning", l10n.t`${event.sentence} This conversation continues without it.`, [
        "showLogs",
      ]);
    case "detailed":
      return detailed(state, event.details);
    case "leftOut":
      return addNotice(
        state,
        "warning",
        l10n.t`${state.conversation.agent.name} does not accept images: ${event.names.join(", ")} ${event.names.length === 1 ? "was" : "were"} not sent.`,
        [],
      );
    case "closed":
      return close(state);
    default:
      return stepPhase(state, event, now);
  }
}

type PhaseEvent =
  | SessionAction<"sendQueued" | "cancel">
  | Extract<
      SessionEvent,
      {
        readonly kind:
          | "opened"
          | "openFailed"
          | "slow"
          | "prompted"
          | "silent"
          | "cancelOverdue"
          | "cancelGivenUp"
          | "turnEnded"
          | "agentDown"
          | "restarted"
          | "reopened";
      }
    >;

/** Events whose handling depends on the phase. */
function stepPhase(state: State, event: PhaseEvent, now: number): SessionStep {
  const { phase } = state;
  switch (phase.kind) {
    case "opening":
      switch (event.kind) {
        case "opened":
          return chain(accepts(state, event.accepts), s => opened(s, phase.waiting, phase.attempt ?? 1, now));
        case "openFailed":
        case "agentDown":
          return fell(state, event, state.restarts > 0);
        case "slow":
          return slow(state, event.seconds);
        case "prompted":
          return phase.waiting ? queued(state, event.prompt) : waitFor(state, event.prompt, []);
        case "sendQueued":
          return phase.waiting
            ? release(state)
            : chain(release(state), s => sendNext(s, (t, prompt) => sendLater(t, prompt, [])));
        case "cancel":
          return phase.waiting ? notSent(state, { kind: "opening", waiting: undefined }) : [state, []];
        case "restarted":
          return [state, [{ kind: "restartAgent" }, { kind: "open" }]];
        case "cancelOverdue":
        case "cancelGivenUp":
        case "reopened":
        case "silent":
          return [state, []];
        case "turnEnded":
          return unexpected(state, event);
        default:
          return assertNever(event, "session event");
      }
    case "idle":
      switch (event.kind) {
        case "prompted":
          return prompted(state, event.prompt, now);
        case "sendQueued":
          return chain(release(state), s => sendNext(s, (t, prompt) => sendNow(t, prompt, now)));
        case "agentDown":
          return fell(state, event, true);
        case "restarted":
          return restart(state);
        case "cancel":
        case "cancelOverdue":
        case "cancelGivenUp":
        case "slow":
        case "reopened":
        case "silent":
          return [state, []];
        case "opened":
        case "openFailed":
        case "turnEnded":
          return unexpected(state, event);
        default:
          return assertNever(event, "session event");
      }
    case "prompting":
      switch (event.kind) {
        case "turnEnded":
          return end(state, event.outcome, phase.entriesBefore, now);
        case "cancel":
          return chain(
            enter(state, { kind: "cancelling", messageId: phase.prompt.messageId }),
            holdQueue,
            s => emitEvent(s, { type: "turn", turn: { state: "cancelling", messageId: phase.prompt.messageId } }),
            s => settleQuestions(s, "the turn was stopped"),
            s => [s, [{ kind: "sendCancel" }]],
          );
        case "prompted":
          return queued(state, event.prompt);
        case "sendQueued":
          return release(state);
        case "silent":
          return addNotice(
            state,
            "info",
            l10n.t`${state.conversation.agent.name} has sent nothing for ${event.minutes} minutes. It may still be working. If it hangs, stop or restart it.`,
            ["restartAgent", "showLogs"],
          );
        case "agentDown":
          return fell(state, event, true);
        case "restarted":
          return restart(state);
        case "cancelOverdue":
        case "cancelGivenUp":
        case "slow":
        case "reopened":
          return [state, []];
        case "opened":
        case "openFailed":
          return unexpected(state, event);
        default:
          return assertNever(event, "session event");
      }
    case "cancelling":
      switch (event.kind) {
        // Any response to a cancelled prompt counts as stopped, as requested.
        case "turnEnded":
          return end(
            state,
            event.outcome.kind === "failed" ? { kind: "stopped", reason: "cancelled" } : event.outcome,
            0,
            now,
          );
        case "cancelOverdue":
          return addNotice(
            state,
            "warning",
            l10n.t`${state.conversation.agent.name} has not stopped yet. Wait, or restart it.`,
            ["restartAgent"],
          );
        case "cancelGivenUp":
          return giveUp(state);
        case "prompted":
          return queued(state, event.prompt);
        case "sendQueued":
          return release(state);
        case "agentDown":
          return fell(state, event, true);
        case "restarted":
          return restart(state);
        case "cancel":
        case "slow":
        case "reopened":
        case "silent":
          return [state, []];
        case "opened":
        case "openFailed":
          return unexpected(state, event);
        default:
          return assertNever(event, "session event");
      }
    case "down":
      switch (event.kind) {
        case "prompted":
          return phase.waiting ? queued(state, event.prompt) : waitFor(state, event.prompt, [{ kind: "open" }]);
        case "sendQueued":
          return phase.waiting
            ? release(state)
            : chain(release(state), s => sendNext(s, (t, prompt) => sendLater(t, prompt, [{ kind: "open" }])));
        case "restarted":
          return chain(enter(state, reopening(phase.waiting)), s => [s, [{ kind: "restartAgent" }, { kind: "open" }]]);
        case "reopened":
          return chain(enter(state, reopening(phase.waiting)), s => [s, [{ kind: "open" }]]);
        case "cancel":
          return phase.waiting ? notSent(state, { kind: "down", waiting: undefined }) : [state, []];
        case "agentDown":
        case "cancelOverdue":
        case "cancelGivenUp":
        case "slow":
        case "silent":
          return [state, []];
        case "opened":
        case "openFailed":
        case "turnEnded":
          return unexpected(state, event);
        default:
          return assertNever(event, "session event");
      }
    case "closed":
      return event.kind === "prompted"
        ? [state, [{ kind: "refusePrompt", messageId: event.prompt.messageId, why: l10n.t("This tab is closed.") }]]
        : [state, []];
    default:
      return assertNever(phase, "session phase");
  }
}

function slow(state: State, seconds: number): SessionStep {
  const { name } = state.conversation.agent;
  return seconds < LATE_SECONDS
    ? addNotice(state, "info", l10n.t`${name} is still starting…`, [])
    : addNotice(
        state,
        "warning",
        l10n.t`${name} has not started within ${seconds} seconds. The first start can take long. See the log for its progress.`,
        ["showLogs", "restartAgent"],
      );
}
/** From this time on, a start counts as unusually slow. */
const LATE_SECONDS = 30;

/**
 * A session without details shows none. If tools are missing, a notice says so as soon as that is decided. Another
 * notice follows if the agent lists them later, because an agent that lists on demand need not announce it (issue 14
 * item 1).
 */
function detailed(state: State, details: SessionDetails): SessionStep {
  const { details: before = { extensions: [] } } = state.conversation,
    { missingTools, canConfigure } = details;
  if (JSON.stringify(before) === JSON.stringify(details)) return [state, []];
  const wasMissing = before.missingTools !== undefined,
    { name } = state.conversation.agent;
  return chain(emitEvent(state, { type: "details", details }), s => {
    const actions: readonly ActionId[] = canConfigure ? ["addToConfiguration", "showLogs"] : ["showLogs"];
    if (missingTools !== undefined) return wasMissing ? [s, []] : addNotice(s, "warning", missingTools, actions);
    return wasMissing && areAllListed(details) ? addNotice(s, "info", listedLate(name), []) : [s, []];
  });
}

/** A session that is set up again has not listed any tools yet. */
function areAllListed({ extensions }: SessionDetails): boolean {
  const servers = extensions.flatMap(({ tools = [] }) => tools);
  return servers.length > 0 && !servers.some(isMissing);
}

function accepts(state: State, accepts: Accepts): SessionStep {
  return state.conversation.accepts?.images === accepts.images
    ? [state, []]
    : emitEvent(state, { type: "accepts", accepts });
}

// --- prompts and turns

/** The session is open and no turn is running. */
function prompted(state: State, prompt: Prompt, now: number): SessionStep {
  return accept(state, prompt, (s, accepted) => sendNow(s, prompt, now, accepted));
}

function notSent(state: State, phase: Phase): SessionStep {
  return chain(enter(state, phase), holdQueue, idle, s => addNotice(s, "info", NOT_SENT, []));
}
const NOT_SENT = l10n.t("Stopped before the agent started. The prompt was not sent.");

function reopening(waiting: Prompt | undefined): Phase {
  return waiting === undefined ? { kind: "opening", waiting } : { kind: "opening", waiting, attempt: 2 };
}

/** The session is not open yet. */
function waitFor(state: State, prompt: Prompt, then: readonly Effect[]): SessionStep {
  return accept(state, prompt, (s, accepted) => sendLater(s, prompt, [...accepted, ...then]));
}

/** Accepts a prompt that is already in the conversation without a second effect: its first acknowledgement was lost. */
function accept(
  state: State,
  { messageId }: Prompt,
  begin: (state: State, accepted: readonly Effect[]) => SessionStep,
): SessionStep {
  const accepted: readonly Effect[] = [{ kind: "acceptPrompt", messageId }];
  return isKnown(state, messageId) || isQueued(state, messageId) ? [state, accepted] : begin(state, accepted);
}

function sendNow(state: State, prompt: Prompt, now: number, before: readonly Effect[] = []): SessionStep {
  const phase: Phase = {
    kind: "prompting",
    prompt,
    entriesBefore: state.conversation.entries.length + 1,
    sentAt: now,
    attempt: 1,
  };
  return begin(state, prompt, phase, "running", [...before, { kind: "sendPrompt", prompt }]);
}

function sendLater(state: State, prompt: Prompt, then: readonly Effect[]): SessionStep {
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
        entry: { kind: "user", id: messageId, text, ...(attachments.length === 0 ? {} : { attachments }) },
      }),
    s => emitEvent(s, { type: "turn", turn: { state: turn, messageId } }),
    s => [s, then],
  );
}

function queued(state: State, prompt: Prompt): SessionStep {
  return isKnown(state, prompt.messageId)
    ? [state, [{ kind: "acceptPrompt", messageId: prompt.messageId }]]
    : enqueue(state, prompt);
}

function isKnown(state: State, messageId: string): boolean {
  return state.withdrawn.includes(messageId) || state.conversation.entries.some(entry => entry.id === messageId);
}

/**
 * A new agent session does not remember the output of the earlier one. For a restored conversation, `start` has already
 * said so.
 */
function opened(state: State, waiting: Prompt | undefined, attempt: 1 | 2, now: number): SessionStep {
  const spoke = state.conversation.entries.some(entry => entry.kind === "agent" && entry.id.startsWith(state.prefix));
  return chain(
    [state, []],
    s =>
      spoke
        ? addNotice(
            s,
            "info",
            l10n.t`${s.conversation.agent.name} restarts and does not remember the conversation above.`,
            [],
          )
        : [s, []],
    s =>
      waiting === undefined
        ? enter(s, { kind: "idle" })
        : chain(
            enter(s, {
              kind: "prompting",
              prompt: waiting,
              entriesBefore: s.conversation.entries.length,
              sentAt: now,
              attempt,
            }),
            t => emitEvent(t, { type: "turn", turn: { state: "running", messageId: waiting.messageId } }),
            t => [t, [{ kind: "sendPrompt", prompt: waiting }]],
          ),
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

function end(state: State, outcome: TurnOutcome<AgentFailure>, entriesBefore: number, now: number): SessionStep {
  const { name } = state.conversation.agent;
  const isEmpty = entriesBefore > 0 && state.conversation.entries.length <= entriesBefore;
  const isOver = outcome.kind === "stopped" && outcome.reason !== "cancelled";
  return chain(
    thoughtOver(state, now),
    t => (isOver ? settleTurn(t) : settleAll(t, "the turn ended")),
    closeBounds,
    s =>
      outcome.kind === "failed"
        ? addNotice(s, "error", outcome.text, outcome.actions, outcome.detail)
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
    // After a stop, only prompts that were typed since then are sent. Prompts that waited before are held.
    s =>
      outcome.kind === "stopped" && (outcome.reason === "end_turn" || state.phase.kind === "cancelling")
        ? sendNext(s, (t, prompt) => sendNow(t, prompt, now))
        : holdQueue(s),
    s => (s.phase.kind === "idle" ? idle(s) : [s, []]),
  );
}

/** Pauses before automatic restarts. After these, only a prompt or the user restarts the agent. */
const PAUSES_MS = [1_000, 5_000, 15_000] as const;

/**
 * The agent has failed: everything that it was doing ends. `isBack`: it worked before and is restarted automatically.
 */
function fell(state: State, failure: AgentFailure, isBack: boolean): SessionStep {
  const { text, actions, detail, needsUser, restarts } = failure,
    {
      phase,
      conversation: {
        agent: { name },
      },
    } = state;
  const pause = isBack && !needsUser ? PAUSES_MS[state.restarts] : undefined;
  const unread = pause === undefined ? undefined : unreadPrompt(state, failure);
  if (pause !== undefined && unread)
    return fellUnread(state, `${text} ${restartsAndSends(name, pause / 1_000)}`, failure, unread, pause);
  const wasAsked = phase.kind === "prompting" || (phase.kind === "opening" && phase.waiting !== undefined);
  const next =
    pause !== undefined ? ` ${restartsIn(name, pause / 1_000)}` : restarts ? ` ${restartsWithPrompt(name)}` : "";
  return chain(
    interruptAll(state),
    s => addNotice(s, "error", `${text}${next}`, wasAsked ? ["sendAgain", ...actions] : actions, detail),
    s => enter(s, { kind: "down", waiting: undefined }),
    holdQueue,
    idle,
    s => [s, [{ kind: "leave" }]],
    s => reopenIn(s, pause),
  );
}

/** The prompt, if it was sent after the agent's process stopped reading and has produced no output. */
function unreadPrompt({ phase, conversation }: State, { readUntil }: AgentFailure): Prompt | undefined {
  const isUnread =
    phase.kind === "prompting" &&
    phase.attempt === 1 &&
    conversation.entries.length === phase.entriesBefore &&
    readUntil !== undefined &&
    phase.sentAt > readUntil;
  return isUnread ? phase.prompt : undefined;
}

/** As `fell`, but the turn and the queue after it continue with the next start. */
function fellUnread(
  state: State,
  text: string,
  { actions, detail }: AgentFailure,
  waiting: Prompt,
  pause: number,
): SessionStep {
  return chain(
    interruptAll(state),
    s => addNotice(s, "warning", text, actions, detail),
    s => enter(s, { kind: "down", waiting }),
    s => emitEvent(s, { type: "turn", turn: { state: "starting", messageId: waiting.messageId } }),
    s => [s, [{ kind: "leave" }]],
    s => reopenIn(s, pause),
  );
}

function reopenIn(state: State, pause: number | undefined): SessionStep {
  return pause === undefined
    ? [state, []]
    : [{ ...state, restarts: state.restarts + 1 }, [{ kind: "reopenLater", ms: pause }]];
}

function restart(state: State): SessionStep {
  return chain(
    interruptAll(state),
    s => enter(s, { kind: "opening", waiting: undefined }),
    holdQueue,
    idle,
    s => [s, [{ kind: "restartAgent" }, { kind: "open" }]],
  );
}

/** Other tabs may use the same process. This conversation therefore leaves its agent session and opens a new one. */
function giveUp(state: State): SessionStep {
  return chain(
    interruptAll(state),
    s =>
      addNotice(s, "error", l10n.t`${s.conversation.agent.name} did not stop within 60 seconds and was restarted.`, [
        "sendAgain",
        "showLogs",
      ]),
    s => enter(s, { kind: "opening", waiting: undefined }),
    holdQueue,
    idle,
    s => [s, [{ kind: "leave" }, { kind: "open" }]],
  );
}

function close(state: State): SessionStep {
  if (state.phase.kind === "closed") return [state, []];
  const running = state.phase.kind === "prompting" || state.phase.kind === "cancelling";
  return chain(
    settleAll(state, "the tab was closed"),
    s => enter(s, { kind: "closed" }),
    s => [s, [...(running ? [{ kind: "sendCancel" } as const] : []), { kind: "leave" }]],
  );
}

function settleAll(state: State, why: string): SessionStep {
  return chain(settleQuestions(state, why), settleTools, s => settleSubagents(s, why));
}

/**
 * Interrupts everything, as after the process exited. The questions are also answered, because an in-process agent may
 * outlive its session.
 */
function interruptAll(before: State): SessionStep {
  return chain(settleSubagents(before, "the agent stopped"), interruptTurn, s => [{ ...s, subagents: new Map() }, []]);
}

function interruptTurn(before: State): SessionStep {
  return chain(interruptEntries(before), closeBounds);
}

function interruptEntries(state: State): SessionStep {
  if (state.phase.kind !== "prompting" && state.phase.kind !== "cancelling")
    return settleQuestions(state, "the agent stopped");
  const after = interrupted(state.conversation, "the agent stopped");
  const changed = after.filter(
    (entry, i) =>
      entry !== state.conversation.entries[i] && entry.kind !== "permission" && entry.kind !== "elicitation",
  );
  return chain(
    settleQuestions(state, "the agent stopped"),
    ...changed.map(entry => (s: State) => emitEvent(s, { type: "upsert", entry })),
  );
}
