/**
 * State machine of one research: a separate session in which an agent answers a question about a crate. Pure.
 *
 *   queued ─ admitted ▶ opening ─ opened ▶ working ─ turn ends, or idle after a response ▶ answered
 *      └───────────────────┴──────────────────┴─ refused, failed, timed out, withdrawn ▶ failed
 *
 * Invariants: a research ends once, and later events have no effect. A returned response becomes the answer for any end
 * of the session except a withdrawal, after which no caller waits.
 */
import { assertNever } from "../../../src/protocol/wire/wire";

export type ResearchState =
  | { readonly kind: "queued" }
  | { readonly kind: "opening" }
  /** `responses`: returned with the tool. `text`: the agent's latest message so far. */
  | { readonly kind: "working"; readonly responses: readonly string[]; readonly text: string }
  | Ended;

export type Ended =
  /** `by`: the tool, or the agent's last message if it never called the tool. */
  | { readonly kind: "answered"; readonly text: string; readonly by: "response" | "words" }
  /** `why`: a clause without a full stop. */
  | { readonly kind: "failed"; readonly why: string };

export type ResearchEvent =
  | { readonly kind: "admitted" }
  | { readonly kind: "opened" }
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "said"; readonly text: string }
  /** A tool call. Text after it belongs to a new message. */
  | { readonly kind: "called" }
  | { readonly kind: "responded"; readonly text: string }
  | { readonly kind: "turnEnded"; readonly reason: string }
  | { readonly kind: "turnFailed"; readonly why: string }
  /** No further response or turn end arrived within `REST_MS` after a response. */
  | { readonly kind: "rested" }
  | { readonly kind: "expired" }
  | { readonly kind: "withdrawn" }
  | { readonly kind: "chainEnded" };

/** `limit` and `rest` start or restart the respective timer. */
export type ResearchEffect =
  | { readonly kind: "open" }
  | { readonly kind: "prompt" }
  | { readonly kind: "limit" }
  | { readonly kind: "rest" }
  | { readonly kind: "finish"; readonly end: Ended };

export type ResearchStep = readonly [ResearchState, readonly ResearchEffect[]];

export const QUEUED: ResearchState = { kind: "queued" };
/** Time limit of a research, from the opening of its session. */
export const LIMIT_MS = 5 * 60_000;
/** Time limit for the end of the turn, or for a further response, after a response. */
export const REST_MS = 10_000;
/** Maximum length of an answer, in characters. */
export const MAX_TEXT = 60_000;

export function step(state: ResearchState, event: ResearchEvent): ResearchStep {
  switch (state.kind) {
    case "queued":
      return event.kind === "admitted"
        ? [{ kind: "opening" }, [{ kind: "limit" }, { kind: "open" }]]
        : stepBeforeOpen(state, event);
    case "opening":
      return event.kind === "opened"
        ? [{ kind: "working", responses: [], text: "" }, [{ kind: "prompt" }]]
        : stepBeforeOpen(state, event);
    case "working":
      return work(state, event);
    case "answered":
    case "failed":
      return [state, []];
    default:
      return assertNever(state, "state of research");
  }
}

/** Events before the session is open. */
function stepBeforeOpen(state: ResearchState, event: ResearchEvent): ResearchStep {
  switch (event.kind) {
    case "refused":
      return fail(`the agent could not open a session for it: ${event.why}`);
    case "expired":
      return fail(
        `the agent did not open a session for it within ${LIMIT_MS / 60_000} minutes: perhaps it can have only one at a time`,
      );
    case "withdrawn":
    case "chainEnded":
      return fail(ENDINGS[event.kind]);
    default:
      return [state, []]; // updates of a session whose opening is not yet confirmed
  }
}

const ENDINGS = { withdrawn: "it was withdrawn", chainEnded: "the agent has ended" };

function work(state: Extract<ResearchState, { readonly kind: "working" }>, event: ResearchEvent): ResearchStep {
  switch (event.kind) {
    case "said":
      return [{ ...state, text: (state.text + event.text).slice(0, MAX_TEXT) }, []];
    case "called":
      return [{ ...state, text: "" }, []];
    case "responded":
      return [{ ...state, responses: bounded([...state.responses, event.text]) }, [{ kind: "rest" }]];
    case "rested":
      return answeredOr(state, () => [state, []]);
    case "turnEnded":
      return answeredOr(state, () =>
        event.reason === "end_turn" && state.text.trim() !== ""
          ? finish({ kind: "answered", text: state.text.trim(), by: "words" })
          : fail(withoutAnswer(event.reason)),
      );
    case "turnFailed":
      return answeredOr(state, () => fail(`the agent failed: ${event.why}`));
    case "expired":
      return answeredOr(state, () => fail(`it did not finish within ${LIMIT_MS / 60_000} minutes`));
    case "chainEnded":
      return answeredOr(state, () => fail(ENDINGS.chainEnded));
    case "withdrawn":
      return fail(ENDINGS.withdrawn);
    case "admitted":
    case "opened":
    case "refused":
      return [state, []];
    default:
      return assertNever(event, "event of research");
  }
}

/** Answers with the returned responses, if any. */
function answeredOr(
  { responses }: { readonly responses: readonly string[] },
  otherwise: () => ResearchStep,
): ResearchStep {
  return responses.length === 0
    ? otherwise()
    : finish({ kind: "answered", text: responses.join("\n\n"), by: "response" });
}

const REASONS: Readonly<Record<string, string>> = {
  end_turn: "the agent ended without an answer",
  refusal: "the agent refused to answer",
  cancelled: "the agent's turn was cancelled",
  max_tokens: "the agent ran out of tokens",
  max_turn_requests: "the agent needed too many steps",
};
function withoutAnswer(reason: string): string {
  return REASONS[reason] ?? `the agent ended without an answer (${reason.slice(0, 100)})`;
}

function finish(end: Ended): ResearchStep {
  return [end, [{ kind: "finish", end }]];
}
function fail(why: string): ResearchStep {
  return finish({ kind: "failed", why });
}

/** The first responses, up to `MAX_TEXT` characters in total. */
function bounded(responses: readonly string[]): readonly string[] {
  let remaining = MAX_TEXT;
  return responses
    .map(text => {
      const fitting = text.slice(0, Math.max(0, remaining));
      remaining -= text.length;
      return fitting === text ? text : `${fitting}\n… (cut)`;
    })
    .filter(text => text !== "\n… (cut)");
}
