/** Failures and restarts of a chat session's agent. Each ends the turn and settles its questions and calls. Pure. */
import * as l10n from "@vscode/l10n";
import { chain, enter } from "../agent-session/state-machine";
import { interrupted } from "../../src/protocol/chat/settled-entries";
import { restartsAndSends, restartsIn, restartsWithPrompt } from "../errors";
import {
  addNotice,
  endWaits,
  withDetail,
  emitEvent,
  idle,
  type Phase,
  type Prompt,
  type SessionStep,
  type State,
  type AgentFailure,
} from "./session-model";
import { closeBounds } from "./turn-limits";
import { holdQueue } from "./session-queue";
import { settleQuestions } from "./session-questions";
import { settleSubagents } from "./session-subagents";

/** Delays before consecutive automatic restarts. After the last one, only a prompt or the user restarts the agent. */
const RESTART_DELAYS_MS = [1_000, 5_000, 15_000] as const;

/**
 * Handles a failure of the agent. `canRestart`: the agent is restarted automatically while attempts remain, unless the
 * user must act first.
 */
export function agentFailed(state: State, failure: AgentFailure, canRestart: boolean): SessionStep {
  const { text, actions, detail, needsUser, restarts, isCancelled } = failure,
    {
      phase,
      conversation: {
        agent: { name },
      },
    } = state;
  const pause = canRestart && !needsUser ? RESTART_DELAYS_MS[state.restarts] : undefined;
  const unread = pause === undefined ? undefined : unreadPrompt(state, failure);
  if (pause !== undefined && unread)
    return fellUnread(state, `${text} ${restartsAndSends(name, pause / 1_000)}`, failure, unread, pause);
  const hadPrompt = phase.kind === "prompting" || (phase.kind === "opening" && phase.waiting !== undefined),
    // The next start gives the notice its own outcome.
    until = phase.kind === "opening" && !hadPrompt ? { until: "start" as const } : {};
  const next =
    pause !== undefined ? ` ${restartsIn(name, pause / 1_000)}` : restarts ? ` ${restartsWithPrompt(name)}` : "";
  return chain(
    endWaits(state, "start", "update", "turn"),
    interruptAll,
    s =>
      addNotice(s, isCancelled ? "info" : "error", `${text}${next}`, hadPrompt ? ["sendAgain", ...actions] : actions, {
        ...withDetail(detail),
        ...until,
      }),
    s => enter(s, { kind: "down", waiting: undefined }),
    holdQueue,
    idle,
    s => [s, [{ kind: "leave" }]],
    s => reopenIn(s, pause),
  );
}

/** The prompt, if it was sent after the agent's process stopped reading and produced no output. */
function unreadPrompt({ phase, conversation }: State, { readUntil }: AgentFailure): Prompt | undefined {
  const isUnread =
    phase.kind === "prompting" &&
    phase.attempt === 1 &&
    conversation.entries.length === phase.entriesBefore &&
    readUntil !== undefined &&
    phase.sentAt > readUntil;
  return isUnread ? phase.prompt : undefined;
}

/** Like `agentFailed`, but the turn and the queue continue with the next start. */
function fellUnread(
  state: State,
  text: string,
  { actions, detail }: AgentFailure,
  waiting: Prompt,
  pause: number,
): SessionStep {
  return chain(
    endWaits(state, "start", "update", "turn"),
    interruptAll,
    s => addNotice(s, "warning", text, actions, withDetail(detail)),
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

export function restart(state: State): SessionStep {
  return chain(
    interruptAll(state),
    s => enter(s, { kind: "opening", waiting: undefined }),
    holdQueue,
    idle,
    s => [s, [{ kind: "restartAgent" }, { kind: "open" }]],
  );
}

/** Opens a new agent session instead of restarting the process, which other tabs may use. */
export function giveUp(state: State): SessionStep {
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

export function reopening(waiting: Prompt | undefined): Phase {
  return waiting === undefined ? { kind: "opening", waiting } : { kind: "opening", waiting, attempt: 2 };
}

/**
 * Interrupts the turn, its subagents and its questions, as after an exit. Questions are answered, because an in-process
 * agent can outlive its session.
 */
function interruptAll(before: State): SessionStep {
  return chain(settleSubagents(before, l10n.t("the agent stopped")), interruptTurn, s => [
    { ...s, subagents: new Map() },
    [],
  ]);
}

function interruptTurn(before: State): SessionStep {
  return chain(interruptEntries(before), closeBounds);
}

function interruptEntries(state: State): SessionStep {
  if (state.phase.kind !== "prompting" && state.phase.kind !== "cancelling")
    return settleQuestions(state, l10n.t("the agent stopped"));
  const after = interrupted(state.conversation, l10n.t("the agent stopped"));
  const changed = after.filter(
    (entry, i) =>
      entry !== state.conversation.entries[i] && entry.kind !== "permission" && entry.kind !== "elicitation",
  );
  return chain(
    settleQuestions(state, l10n.t("the agent stopped")),
    ...changed.map(entry => (s: State) => emitEvent(s, { type: "upsert", entry })),
  );
}
