/** The events whose handling depends on the phase of the session, for `session-state.ts`. Pure. */
import * as l10n from "@vscode/l10n";
import { chain, enter, unexpected } from "../agent-session/state-machine";
import type { SessionAction } from "../../src/protocol/chat/session-actions";
import { assertNever } from "../../src/protocol/wire/wire";
import {
  emitEvent,
  addNotice,
  endWaits,
  type Phase,
  type SessionEvent,
  type SessionStep,
  type State,
} from "./session-model";
import { agentFailed, giveUp, reopening, restart } from "./session-failures";
import { slow } from "./session-installs";
import { accepts, memory, READ_ONLY } from "./session-notices";
import { holdQueue, release, sendNext } from "./session-queue";
import { settleQuestions } from "./session-questions";
import { end, notSent, opened, prompted, queued, sendLater, sendNow, waitFor } from "./session-turns";

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
export function stepPhase(state: State, event: PhaseEvent, now: number): SessionStep {
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
