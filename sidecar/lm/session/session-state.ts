/**
 * One session of an agent behind VS Code's chat, as a pure state machine: `stepModelSession(state, event)` → the next
 * state and the effects.
 *
 *                opened          prompted              quiet
 *   opening ────────────▶ idle ───────────▶ streaming ────────▶ blocked
 *      ▲                   ▲                 │  │  ▲── resumed ──┘ │
 *      │                   ├── turnEnded ────┘  │                  │ cancelled; new text; overdue
 *   prompted               └── turnEnded ── cancelling ◀───────────┘
 *      └──── down ◀── agentDown, from each                              closed: final
 *
 * VS Code answers the questions of a response only in its next request. A response with questions is therefore finished
 * when no further question follows (`quiet`). Later events of the agent are buffered and sent in the response to the
 * next request.
 *
 * VS Code shows the text of a response before its calls. Text after a question is also buffered, so that it does not
 * overtake the question. Further questions join the batch, so that parallel calls run in parallel.
 *
 * A tool call is answered by a result, a permission only by `decided`, because a result may be a *Skip*. Questions
 * without a result in the next request are rejected with the tool's name. Results that arrive with new user text are
 * delivered. The turn is then cancelled, and the text becomes the next prompt.
 *
 * Invariants (`session-state.test.ts` tests each):
 * - Every request is finished once, and nothing is emitted for it afterwards.
 * - Every question is answered once.
 * - No output of the agent is lost or reordered: it is emitted, or discarded with the turn that was stopped.
 * - One turn runs at a time. A stopped turn is ended by the agent, or the agent's session is closed.
 */
import * as l10n from "@vscode/l10n";
import { chain, enter, unexpected } from "../../agent-session/state-machine";
import type { RequestId } from "../../../src/protocol/lm/lm";
import { assertNever } from "../../../src/protocol/wire/wire";
import {
  bufferEvent,
  isBufferFull,
  NO_REPLY,
  EMPTY_BUFFER,
  type AgentActivity,
  type Blocked,
  type ModelSessionEffect,
  type ModelPrompt,
  type Result,
  type ModelSessionEvent,
  type ModelSessionState,
  type ModelSessionStep,
  type Streaming,
} from "./session-state-model";
import {
  answerEffect,
  discarded,
  emitPart,
  finish,
  isOver,
  isTooMany,
  reading,
  refuse,
  refused,
  repeat,
  watching,
} from "./session-effects";
import {
  ask,
  withdraw,
  decide,
  over,
  end,
  begin,
  wait,
  unwait,
  anew,
  stray,
  block,
  overtaken,
  stop,
} from "./session-turns";

/** `agent`: its name, for sentences. */
export function startModelSession(agent: string): ModelSessionStep {
  return [{ phase: { kind: "opening", waiting: undefined }, reply: NO_REPLY, agent }, [{ kind: "open" }]];
}

export function stepModelSession(state: ModelSessionState, event: ModelSessionEvent): ModelSessionStep {
  const [next, effects] = event.kind === "closed" ? close(state, event.message) : stepPhase(state, event);
  return [next, [...effects, ...watching(state.phase, next.phase), ...reading(state.phase, next.phase)]];
}

function stepPhase(
  state: ModelSessionState,
  event: Exclude<ModelSessionEvent, { readonly kind: "closed" }>,
): ModelSessionStep {
  const { phase } = state;
  switch (phase.kind) {
    case "opening":
      switch (event.kind) {
        case "opened":
          return phase.waiting ? begin(state, phase.waiting) : enter(state, { kind: "idle", held: EMPTY_BUFFER });
        case "openFailed":
        case "agentDown":
          return enter(
            state,
            { kind: "down" },
            phase.waiting ? [{ kind: "finish", requestId: phase.waiting.requestId, error: event.message }] : [],
          );
        case "prompted":
          return wait(state, phase, event.prompt);
        case "resumed":
          return event.prompt ? wait(state, phase, event.prompt) : stray(state, event.requestId);
        case "cancelled":
          return phase.waiting?.requestId === event.requestId
            ? enter(state, { kind: "opening", waiting: undefined }, [{ kind: "finish", requestId: event.requestId }])
            : [state, []];
        case "takenBack":
          return unwait(state, phase);
        default:
          return stepWithoutTurn(state, event);
      }
    case "idle":
      switch (event.kind) {
        case "spoke":
          return isBufferFull(phase.held)
            ? [state, [{ kind: "discard", part: event.part }]]
            : enter(state, { kind: "idle", held: bufferEvent(phase.held, event) });
        case "prompted":
          return begin(state, event.prompt, phase.held);
        case "resumed":
          return event.prompt ? begin(state, event.prompt, phase.held) : stray(state, event.requestId);
        case "agentDown":
          return enter(state, { kind: "down" }, discarded(phase.held));
        default:
          return stepWithoutTurn(state, event);
      }
    case "streaming":
      switch (event.kind) {
        case "quiet":
          return phase.open.size + phase.settled.size === 0 ? [state, []] : block(state, phase);
        case "cancelled":
          return phase.requestId === event.requestId ? stop(state, phase, undefined, [finish(phase)]) : [state, []];
        case "takenBack":
          return stop(state, phase, undefined, [finish(phase)]);
        case "repeated":
          return repeat(
            chain([state, [finish(phase)]], s => enter(s, { ...phase, requestId: event.requestId })),
            event.requestId,
            false,
          );
        case "prompted":
          return proceed(state, phase, event.prompt.requestId, [], event.prompt);
        case "resumed":
          return proceed(state, phase, event.requestId, event.results, event.prompt);
        case "decided":
          return decide(state, phase, event.callId);
        case "spoke":
        case "asked":
        case "withdrew":
        case "turnEnded":
        case "agentDown":
          return handleActivity(state, phase, event);
        case "opened":
        case "openFailed":
          return unexpected(state, event);
        case "overdue":
          return [state, []];
        default:
          return assertNever(event, "session event");
      }
    case "blocked":
      switch (event.kind) {
        case "spoke":
          return isOver(phase)
            ? [state, [{ kind: "discard", part: event.part }]]
            : enter(state, { ...phase, held: bufferEvent(phase.held, event) });
        case "asked":
          return isOver(phase) || isTooMany(phase)
            ? refused(state, event.question)
            : enter(state, { ...phase, held: bufferEvent(phase.held, event) });
        case "withdrew":
          return withdraw(state, phase, event.callId);
        case "turnEnded":
          return isOver(phase) ? unexpected(state, event) : over(state, phase, event);
        case "agentDown":
          return over(state, phase, event);
        case "decided":
          return decide(state, phase, event.callId);
        case "prompted":
          return proceed(state, phase, event.prompt.requestId, [], event.prompt);
        case "resumed":
          return proceed(state, phase, event.requestId, event.results, event.prompt);
        case "repeated":
          return repeat([state, []], event.requestId, true);
        case "overdue":
        case "takenBack":
          return stop(state, phase, undefined, []);
        case "cancelled":
        case "quiet":
          return [state, []];
        case "opened":
        case "openFailed":
          return unexpected(state, event);
        default:
          return assertNever(event, "session event");
      }
    case "cancelling":
      switch (event.kind) {
        // Any outcome counts as stopped, as requested.
        case "turnEnded":
          return phase.waiting ? begin(state, phase.waiting) : enter(state, { kind: "idle", held: EMPTY_BUFFER });
        case "agentDown":
          return anew(state, phase.waiting, []);
        case "overdue":
          return anew(state, phase.waiting, [{ kind: "leave" }]);
        case "prompted":
          return wait(state, phase, event.prompt);
        case "resumed":
          return event.prompt ? wait(state, phase, event.prompt) : stray(state, event.requestId);
        case "cancelled":
          return phase.waiting?.requestId === event.requestId
            ? enter(state, { kind: "cancelling", waiting: undefined }, [{ kind: "finish", requestId: event.requestId }])
            : [state, []];
        case "takenBack":
          return unwait(state, phase);
        default:
          return stepWithoutTurn(state, event);
      }
    case "down":
      switch (event.kind) {
        case "prompted":
          return anew(state, event.prompt, []);
        case "resumed":
          return event.prompt ? anew(state, event.prompt, []) : stray(state, event.requestId);
        case "agentDown":
          return [state, []];
        default:
          return stepWithoutTurn(state, event);
      }
    case "closed":
      switch (event.kind) {
        case "prompted":
          return [state, [{ kind: "finish", requestId: event.prompt.requestId, error: CLOSED }]];
        case "resumed":
        case "repeated":
          return [state, [{ kind: "finish", requestId: event.requestId, error: CLOSED }]];
        case "asked":
          return refused(state, event.question);
        case "spoke":
          return [state, [{ kind: "discard", part: event.part }]];
        default:
          return [state, []];
      }
    default:
      return assertNever(phase, "session phase");
  }
}

const CLOSED = l10n.t("This chat's session was closed. Send the message again.");

/** Handles events that have the same effect in all phases without an active turn, including `cancelling`. */
function stepWithoutTurn(
  state: ModelSessionState,
  event: Exclude<ModelSessionEvent, { readonly kind: "closed" | "prompted" | "resumed" }>,
): ModelSessionStep {
  switch (event.kind) {
    case "spoke":
      return [state, [{ kind: "discard", part: event.part }]];
    case "asked":
      return refused(state, event.question);
    case "repeated":
      return repeat([state, []], event.requestId, true);
    case "withdrew":
    case "decided":
    case "quiet":
    case "cancelled":
    case "overdue":
    case "takenBack":
      return [state, []];
    case "opened":
    case "openFailed":
    case "turnEnded":
    case "agentDown":
      return unexpected(state, event);
    default:
      return assertNever(event, "session event");
  }
}

function handleActivity(state: ModelSessionState, phase: Streaming, event: AgentActivity): ModelSessionStep {
  const isAsking = phase.open.size + phase.settled.size > 0;
  switch (event.kind) {
    case "spoke":
      return isAsking
        ? enter(state, { ...phase, held: bufferEvent(phase.held, event) })
        : emitPart(state, phase.requestId, event.part);
    case "asked":
      return isTooMany(phase) ? refused(state, event.question) : ask(state, phase, event.question);
    case "withdrew":
      return withdraw(state, phase, event.callId);
    // The calls were already sent. VS Code's next request contains their results and receives the buffered events.
    case "turnEnded":
    case "agentDown":
      return isAsking
        ? chain(block(state, phase), s => (s.phase.kind === "blocked" ? over(s, s.phase, event) : [s, []]))
        : end(state, phase, event);
    default:
      return assertNever(event, "agent event");
  }
}

/**
 * Handles the next request of the turn and settles the batch. The turn continues with this request. If the request has
 * new user text, the turn is cancelled and the text becomes the next prompt.
 */
function proceed(
  state: ModelSessionState,
  phase: Streaming | Blocked,
  requestId: RequestId,
  results: readonly Result[],
  prompt: ModelPrompt | undefined,
): ModelSessionStep {
  const isOurs = results.some(({ callId }) => phase.open.has(callId) || phase.settled.has(callId));
  if (!isOurs && !prompt) return stray(state, requestId);
  const [before, finished]: ModelSessionStep =
    phase.kind === "streaming" ? overtaken(state, phase) : enter(state, phase);
  const open = new Map(phase.open),
    effects = [...finished];
  for (const { callId, result, isError } of results) {
    const question = open.get(callId);
    if (question?.kind === "tool") effects.push(answerEffect(callId, { kind: "result", result, isError }));
    else if (question) effects.push(refuse(callId, l10n.t("The user did not allow it.")));
    open.delete(callId);
  }
  effects.push(
    ...[...open.values()].map(({ callId, toolName }) => refuse(callId, l10n.t`VS Code did not run ${toolName}.`)),
  );
  if (prompt) return stop(before, { ...phase, open: new Map() }, prompt, effects);
  const next: Streaming = { kind: "streaming", requestId, open: new Map(), settled: new Set(), held: EMPTY_BUFFER };
  return chain(
    [{ ...before, phase: next, reply: NO_REPLY }, effects],
    ...phase.held.events.map(event => (s: ModelSessionState) => stepPhase(s, event)),
  );
}

function close(state: ModelSessionState, message: string): ModelSessionStep {
  const { phase } = state,
    leave: ModelSessionEffect = { kind: "leave" };
  switch (phase.kind) {
    case "opening":
    case "cancelling":
      return enter(state, { kind: "closed" }, [
        ...(phase.waiting ? [{ kind: "finish", requestId: phase.waiting.requestId, error: message } as const] : []),
        leave,
      ]);
    case "idle":
      return enter(state, { kind: "closed" }, [...discarded(phase.held), leave]);
    case "streaming":
    case "blocked": {
      const [, effects] = stop(
        state,
        phase,
        undefined,
        phase.kind === "streaming" ? [{ kind: "finish", requestId: phase.requestId, error: message }] : [],
      );
      return enter(state, { kind: "closed" }, [...effects, leave]);
    }
    case "down":
      return enter(state, { kind: "closed" });
    case "closed":
      return [state, []];
    default:
      return assertNever(phase, "session phase");
  }
}
