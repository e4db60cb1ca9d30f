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
 * - A prompt is in the conversation, or in its queue (`session-queue.ts`), before it is accepted. Each prompt is sent
 *   once, and again only if the agent's process exited without reading it.
 * - A turn ends when the agent ends it, exits, or exceeds the time limit of a cancellation. The end settles everything
 *   that the turn opened: permissions are answered, and tool calls are terminal.
 * - Nothing is sent to an agent session that is not open.
 * - Every pair of state and event is handled. An impossible pair returns `unexpected`, which throws in tests and is
 *   logged in production.
 */
import type { ReviewSummary } from "../../src/protocol/review/review";
import * as l10n from "@vscode/l10n";
import { chain, enter, unexpected } from "../agent-session/state-machine";
import type { Conversation } from "../../src/protocol/chat/chat";
import type { ActionName, SessionAction } from "../../src/protocol/chat/session-actions";
import { assertNever } from "../../src/protocol/wire/wire";
import {
  emitEvent,
  addNotice,
  endWaits,
  idle,
  type Interruption,
  type Phase,
  type SessionEvent,
  type State,
  type ReadOnly,
  type SessionStep,
} from "./session-model";
import { askBounded, NOTHING_SPENT } from "./turn-limits";
import { agentFailed, giveUp, reopening, restart } from "./session-failures";
import { cancelInstall, endStart, installing, slow } from "./session-installs";
import { accepts, detailed, memory } from "./session-notices";
import { holdQueue, release, sendNext, withdraw } from "./session-queue";
import {
  answerPermission,
  answerElicitation,
  ask,
  bypass,
  completeElicitation,
  elicit,
  endBypass,
  settleQuestions,
} from "./session-questions";
import { terminal } from "./session-terminals";
import { end, notSent, opened, prompted, queued, sendLater, sendNow, settleAll, waitFor } from "./session-turns";
import { chooseControl, controlRefused, replayed, showControls, update } from "./session-updates";

/**
 * `interruption` and `bringsTranscript`: see `SessionStart`. `readOnly`: reason why the agent is not started.
 */
export function startSession(
  conversation: Conversation,
  prefix: string,
  {
    interruption,
    bringsTranscript,
    readOnly,
  }: { readonly interruption?: Interruption; readonly bringsTranscript?: true; readonly readOnly?: ReadOnly } = {},
): SessionStep {
  const state: State = {
    phase: { kind: "opening", waiting: undefined },
    conversation,
    prefix,
    made: 0,
    waits: [],
    withdrawn: [],
    spent: NOTHING_SPENT,
    restarts: 0,
    subagents: new Map(),
    turn: 0,
  };
  if (readOnly !== undefined) {
    const opened: State = { ...state, phase: { kind: "readOnly", why: readOnly } };
    if (readOnly === "newer") return addNotice(opened, "warning", READ_ONLY.newer, []);
    return readOnly === "elsewhere" ? noticeElsewhere(opened) : [opened, []];
  }
  return [
    {
      ...state,
      ...(interruption === undefined ? {} : { interruption }),
      ...(bringsTranscript ? { bringsTranscript } : {}),
    },
    [{ kind: "open" }],
  ];
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
  cancelInstall: state => cancelInstall(state),
  rename: (state, { title }) => rename(state, title),
  showEarlier: state => [state, [{ kind: "showEarlier" }]],
  showEntry: (state, { entryId }) => [state, [{ kind: "showEntry", entryId }]],
  find: (state, { requestNumber, query }) => [state, [{ kind: "find", requestNumber, query }]],
};

export const actionNames = Object.keys(ACTIONS) as readonly ActionName[];

function isAction(event: SessionEvent): event is SessionAction {
  return Object.hasOwn(ACTIONS, event.kind);
}

function applyAction<K extends ActionName>(state: State, action: SessionAction<K>, now: number): SessionStep {
  const handler: ActionHandler<K> = ACTIONS[action.kind];
  return handler(state, action, now);
}

/** `now`: milliseconds of a monotonic clock. */
export function stepSession(state: State, event: SessionEvent, now: number): SessionStep {
  return chain(step(state, event, now), endStart);
}

function step(state: State, event: SessionEvent, now: number): SessionStep {
  if (isAction(event)) return applyAction(state, event, now);
  switch (event.kind) {
    case "updated":
      return chain(endWaits(state, "update"), s => update(s, event, now));
    case "replayed":
      return replayed(state, event);
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
      return settleQuestions(state, l10n.t("the agent withdrew the question"), entry => entry.id === event.id);
    case "terminalStarted":
    case "terminalPrinted":
    case "terminalEnded":
      return terminal(state, event);
    case "controlSet":
      return event.controls === undefined ? [state, []] : showControls(state, event.controls);
    case "controlRefused":
      return controlRefused(state, event);
    case "installing":
      return installing(state, event);
    case "extensionMissing":
      return addNotice(state, "warning", l10n.t`${event.sentence} This conversation continues without it.`, [
        "showLogs",
      ]);
    case "detailed":
      return detailed(state, event.details);
    case "reviewed":
      return reviewed(state, event.review);
    case "leftOut":
      return addNotice(
        state,
        "warning",
        l10n.t`${state.conversation.agent.name} does not accept images. Not sent: ${event.names.join(", ")}.`,
        [],
      );
    case "takenOver":
      return takenOver(state);
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

type PhaseOf<K extends Phase["kind"]> = Extract<Phase, { readonly kind: K }>;

/** Events whose handling depends on the phase. */
function stepPhase(state: State, event: PhaseEvent, now: number): SessionStep {
  const { phase } = state;
  switch (phase.kind) {
    case "opening":
      return openingStep(state, phase, event, now);
    case "idle":
      return idleStep(state, event, now);
    case "prompting":
      return promptingStep(state, phase, event, now);
    case "cancelling":
      return cancellingStep(state, event, now);
    case "down":
      return downStep(state, phase, event);
    case "readOnly":
      return refusing(state, event, READ_ONLY[phase.why]);
    case "closed":
      return refusing(state, event, l10n.t("This tab is closed."));
    default:
      return assertNever(phase, "session phase");
  }
}

function openingStep(state: State, phase: PhaseOf<"opening">, event: PhaseEvent, now: number): SessionStep {
  switch (event.kind) {
    case "opened":
      return chain(
        endWaits(state, "start"),
        s => accepts(s, event.accepts),
        s => memory(s, event.isContinued),
        s => opened(s, phase.waiting, phase.attempt ?? 1, now),
      );
    case "openFailed":
    case "agentDown":
      return agentFailed(state, event, state.restarts > 0);
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
}

function idleStep(state: State, event: PhaseEvent, now: number): SessionStep {
  switch (event.kind) {
    case "prompted":
      return prompted(state, event.prompt, now);
    case "sendQueued":
      return chain(release(state), s => sendNext(s, (t, prompt) => sendNow(t, prompt, now)));
    case "agentDown":
      return agentFailed(state, event, true);
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
}

function promptingStep(state: State, phase: PhaseOf<"prompting">, event: PhaseEvent, now: number): SessionStep {
  switch (event.kind) {
    case "turnEnded":
      return end(state, event.outcome, phase.entriesBefore, now);
    case "cancel":
      return chain(
        enter(state, { kind: "cancelling", messageId: phase.prompt.messageId }),
        holdQueue,
        s => emitEvent(s, { type: "turn", turn: { state: "cancelling", messageId: phase.prompt.messageId } }),
        s => settleQuestions(s, l10n.t("the turn was stopped")),
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
        { until: "update" },
      );
    case "agentDown":
      return agentFailed(state, event, true);
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
}

function cancellingStep(state: State, event: PhaseEvent, now: number): SessionStep {
  switch (event.kind) {
    // An error response to a cancelled prompt counts as a cancellation.
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
        { until: "turn" },
      );
    case "cancelGivenUp":
      return giveUp(state);
    case "prompted":
      return queued(state, event.prompt);
    case "sendQueued":
      return release(state);
    case "agentDown":
      return agentFailed(state, event, true);
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
}

function downStep(state: State, phase: PhaseOf<"down">, event: PhaseEvent): SessionStep {
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
}

function refusing(state: State, event: PhaseEvent, why: string): SessionStep {
  return [state, event.kind === "prompted" ? [{ kind: "refusePrompt", messageId: event.prompt.messageId, why }] : []];
}

const READ_ONLY: Readonly<Record<ReadOnly, string>> = {
  elsewhere: l10n.t("This conversation is open in another window. Take it over to continue here."),
  newer: l10n.t(
    "A newer version of Symposium has stored this conversation. Update the extension to continue it. Parts of it may be missing here.",
  ),
  // The page shows a sentence with a button for the whole window.
  untrusted: l10n.t("Trust this workspace to continue the conversation."),
};

/** Ignored if another process writes the conversation. */
function rename(state: State, title: string): SessionStep {
  const line = title.replaceAll(/\s+/g, " ").trim(),
    { phase, conversation } = state;
  return phase.kind === "readOnly" || line === (conversation.chosenTitle ?? "")
    ? [state, []]
    : emitEvent(state, { type: "renamed", title: line });
}

function noticeElsewhere(state: State): SessionStep {
  return addNotice(state, "warning", READ_ONLY.elsewhere, ["takeOver"]);
}

/** Ends the agent's session, because the other process continues the conversation. */
function takenOver(state: State): SessionStep {
  const { kind } = state.phase;
  if (kind === "closed" || kind === "readOnly") return [state, []];
  return chain(
    settleAll(state, l10n.t("another window has taken over the conversation")),
    holdQueue,
    s => enter(s, { kind: "readOnly", why: "elsewhere" }),
    idle,
    noticeElsewhere,
    s => [s, [...(isTurnOpen(state) ? [{ kind: "sendCancel" } as const] : []), { kind: "leave" }]],
  );
}

function isTurnOpen({ phase }: State): boolean {
  return phase.kind === "prompting" || phase.kind === "cancelling";
}

function close(state: State): SessionStep {
  if (state.phase.kind === "closed") return [state, []];
  const running = isTurnOpen(state);
  return chain(
    settleAll(state, l10n.t("the tab was closed")),
    s => enter(s, { kind: "closed" }),
    s => [s, [...(running ? [{ kind: "sendCancel" } as const] : []), { kind: "leave" }]],
  );
}

function reviewed(state: State, review: ReviewSummary | undefined): SessionStep {
  return JSON.stringify(review) === JSON.stringify(state.conversation.review)
    ? [state, []]
    : emitEvent(state, { type: "review", ...(review === undefined ? {} : { review }) });
}
