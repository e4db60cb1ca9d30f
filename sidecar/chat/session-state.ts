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
import { chain, enter } from "../agent-session/state-machine";
import type { Conversation } from "../../src/protocol/chat/chat";
import type { ActionName, SessionAction } from "../../src/protocol/chat/session-actions";
import {
  emitEvent,
  addNotice,
  endWaits,
  idle,
  type Interruption,
  type SessionEvent,
  type State,
  type ReadOnly,
  type SessionStep,
} from "./session-model";
import { askBounded, NOTHING_SPENT } from "./turn-limits";
import { cancelInstall, endStart, installing } from "./session-installs";
import { detailed, noticeElsewhere, READ_ONLY } from "./session-notices";
import { stepPhase } from "./session-phases";
import { placesFound, searchPlaces } from "./session-places";
import { holdQueue, withdraw } from "./session-queue";
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
import { settleAll } from "./session-turns";
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
  return searchPlaces(state, chain(step(state, event, now), endStart));
}

function step(state: State, event: SessionEvent, now: number): SessionStep {
  if (isAction(event)) return applyAction(state, event, now);
  switch (event.kind) {
    case "updated":
      return chain(endWaits(state, "update"), s => update(s, event, now));
    case "replayed":
      return replayed(state, event);
    case "placesFound":
      return placesFound(state, event);
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

/** Ignored if another process writes the conversation. */
function rename(state: State, title: string): SessionStep {
  const line = title.replaceAll(/\s+/g, " ").trim(),
    { phase, conversation } = state;
  return phase.kind === "readOnly" || line === (conversation.chosenTitle ?? "")
    ? [state, []]
    : emitEvent(state, { type: "renamed", title: line });
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
