/**
 * One piece of research: a session of its own, in which an agent answers a question about a crate. Pure.
 *
 *   queued ─ admitted ▶ opening ─ opened ▶ working ─ the turn ends, or rests after a response ▶ answered
 *      └───────────────────┴──────────────────┴─ refused, failed, too late, withdrawn ▶ failed
 *
 * Invariants: it ends once, and what comes after its end changes nothing; a response that was returned is never lost,
 * however the session ends after it, but for a withdrawal, because then nobody is there to hear it.
 */
import { assertNever } from "../../../src/protocol/wire";

export type ResearchState =
  | { readonly kind: "queued" }
  | { readonly kind: "opening" }
  /** `responses`: returned by the tool. `said`: the agent's last message so far. */
  | { readonly kind: "working"; readonly responses: readonly string[]; readonly said: string }
  | Ended;

export type Ended =
  /** `by`: the tool, or, where the agent never called it, its last words. */
  | { readonly kind: "answered"; readonly text: string; readonly by: "response" | "words" }
  /** `why`: a clause after which a full stop comes. */
  | { readonly kind: "failed"; readonly why: string };

export type ResearchEvent =
  | { readonly kind: "admitted" }
  | { readonly kind: "opened" }
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "said"; readonly text: string }
  /** A call of a tool: what is said next is another message. */
  | { readonly kind: "called" }
  | { readonly kind: "responded"; readonly text: string }
  | { readonly kind: "turnEnded"; readonly reason: string }
  | { readonly kind: "turnFailed"; readonly why: string }
  /** Nothing came for a while after a response. */
  | { readonly kind: "rested" }
  | { readonly kind: "expired" }
  | { readonly kind: "withdrawn" }
  | { readonly kind: "chainEnded" };

/** `limit`, `rest`: starts that clock, anew if it runs. */
export type ResearchEffect =
  | { readonly kind: "open" }
  | { readonly kind: "prompt" }
  | { readonly kind: "limit" }
  | { readonly kind: "rest" }
  | { readonly kind: "finish"; readonly end: Ended };

export type ResearchStep = readonly [ResearchState, readonly ResearchEffect[]];

export const QUEUED: ResearchState = { kind: "queued" };
/** Of one research, from its session's opening on. */
export const LIMIT_MS = 5 * 60_000;
/** For the agent to come to its end by itself after a response, or to return more. */
export const REST_MS = 10_000;
/** Characters of an answer. */
export const MOST_TEXT = 60_000;

export function step(state: ResearchState, event: ResearchEvent): ResearchStep {
  switch (state.kind) {
    case "queued":
      return event.kind === "admitted"
        ? [{ kind: "opening" }, [{ kind: "limit" }, { kind: "open" }]]
        : before(state, event);
    case "opening":
      return event.kind === "opened"
        ? [{ kind: "working", responses: [], said: "" }, [{ kind: "prompt" }]]
        : before(state, event);
    case "working":
      return work(state, event);
    case "answered":
    case "failed":
      return [state, []];
    default:
      return assertNever(state, "state of research");
  }
}

/** Before the session is there. */
function before(state: ResearchState, event: ResearchEvent): ResearchStep {
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
      return [state, []]; // what an agent says in a session that it has not told of yet
  }
}

const ENDINGS = { withdrawn: "it was withdrawn", chainEnded: "the agent has ended" };

function work(state: Extract<ResearchState, { readonly kind: "working" }>, event: ResearchEvent): ResearchStep {
  switch (event.kind) {
    case "said":
      return [{ ...state, said: (state.said + event.text).slice(0, MOST_TEXT) }, []];
    case "called":
      return [{ ...state, said: "" }, []];
    case "responded":
      return [{ ...state, responses: bounded([...state.responses, event.text]) }, [{ kind: "rest" }]];
    case "rested":
      return orElse(state, () => [state, []]);
    case "turnEnded":
      return orElse(state, () =>
        event.reason === "end_turn" && state.said.trim() !== ""
          ? finish({ kind: "answered", text: state.said.trim(), by: "words" })
          : fail(withoutAnswer(event.reason)),
      );
    case "turnFailed":
      return orElse(state, () => fail(`the agent failed: ${event.why}`));
    case "expired":
      return orElse(state, () => fail(`it was not done after ${LIMIT_MS / 60_000} minutes`));
    case "chainEnded":
      return orElse(state, () => fail(ENDINGS.chainEnded));
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

/** What was returned is the answer. */
function orElse({ responses }: { readonly responses: readonly string[] }, otherwise: () => ResearchStep): ResearchStep {
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

/** The first ones, as far as there is room. */
function bounded(responses: readonly string[]): readonly string[] {
  let room = MOST_TEXT;
  return responses
    .map(text => {
      const kept = text.slice(0, Math.max(0, room));
      room -= text.length;
      return kept === text ? text : `${kept}\n… (cut)`;
    })
    .filter(text => text !== "\n… (cut)");
}
