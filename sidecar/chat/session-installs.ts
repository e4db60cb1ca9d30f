/**
 * A slow start of a chat session's agent: installations, their cancellation, and the time that passes. Pure.
 *
 * Invariant: a conversation has a `start` only while its session is opening.
 */
import * as l10n from "@vscode/l10n";
import { addNotice, emitEvent, type SessionEvent, type SessionStep, type State } from "./session-model";

type InstallEvent = Extract<SessionEvent, { readonly kind: "installing" }>;

/** The installation of the agent precedes those of its extensions, which run at the same time. */
export function installing(state: State, event: InstallEvent): SessionStep {
  const { start } = state.conversation,
    isShown = start?.kind === "installing" && start.of === event.of && start.id === event.id;
  if (state.phase.kind !== "opening") return [state, []];
  const { progress } = event;
  if (progress === undefined)
    return isShown ? emitEvent(state, { type: "start", start: { kind: "starting" } }) : [state, []];
  return start?.kind === "installing" && start.of === "agent" && !isShown
    ? [state, []]
    : emitEvent(state, { type: "start", start: { ...event, progress } });
}

export function cancelInstall(state: State): SessionStep {
  const { start } = state.conversation;
  return start?.kind === "installing" ? [state, [{ kind: "cancelInstall", of: start.of, id: start.id }]] : [state, []];
}

/** Call it after each step. */
export function endStart(state: State): SessionStep {
  return state.conversation.start === undefined || state.phase.kind === "opening"
    ? [state, []]
    : emitEvent(state, { type: "start" });
}

export function slow(state: State, seconds: number): SessionStep {
  const {
    start,
    agent: { name },
  } = state.conversation;
  if (seconds < LATE_SECONDS)
    return start === undefined ? emitEvent(state, { type: "start", start: { kind: "starting" } }) : [state, []];
  return addNotice(
    state,
    "warning",
    l10n.t`${name} has not started within ${seconds} seconds. The first start can take long. See the log for its progress.`,
    ["showLogs", "restartAgent"],
    { until: "start" },
  );
}
/** Duration from which a start counts as unusually slow. */
const LATE_SECONDS = 30;
