/**
 * How a proxy is initialised, and what becomes of the chain when that fails. Pure: `startStep` is the whole of it.
 *
 *   waiting ── initialize ──▶ asked ── it forwards `initialize` to its successor, the successor answers, it answers ──▶ ready
 *                              │  ▲ └─ -32601 to `proxy/initialize`: asked again as `_proxy/initialize`
 *                              │  └─ both say no because the successor did: waiting
 *                              └─ it dies, hangs, refuses, changes the version, answers before its successor ──▶ bypassed
 *
 * Rules (schema v1 unstable, `InitializeProxyRequest`, `InitializeProxyResponse`): a proxy forwards `initialize` before it answers,
 * and does not change `protocolVersion`. A bypassed proxy's successor is asked in its place; one that it had asked already is not
 * asked twice (agents refuse that): its answer is the answer.
 */
import type { Frame } from "../rpc/frame";

/** Of the older proxies, and of those that go by the schema; the last one that is tried comes last. */
export const SPELLINGS = ["proxy", "_proxy"] as const;
export type Spelling = (typeof SPELLINGS)[number];

/** What the successor has been asked: by the proxy, under the id of the proxy's request, or by us in its place. */
type Successor =
  | { readonly kind: "untouched" }
  | { readonly kind: "asked"; readonly id: number }
  | { readonly kind: "answered"; readonly answer: Answer };

export type StartState =
  | { readonly kind: "waiting" }
  | { readonly kind: "asked"; readonly ask: Ask; readonly spelling: Spelling; readonly successor: Successor }
  | { readonly kind: "ready" }
  /** `settled`: what the proxy was asked, which is not its to answer any more; `renamed`: the successor's answer to this id is the answer to that one. */
  | { readonly kind: "bypassed"; readonly settled?: number; readonly renamed?: { readonly from: number; readonly to: number } };

/** `initialize`, with the id that its asker waits for, and its raw `protocolVersion`. */
export interface Ask { readonly frame: Frame; readonly id: number; readonly version: unknown }

/** An answer to `initialize`; `error` when it is one. */
export interface Answer { readonly frame: Frame; readonly version: unknown; readonly error?: { readonly code: number; readonly message: string } }

export type StartEvent =
  /** From the proxy's client. */
  | { readonly kind: "initialize"; readonly ask: Ask }
  /** The proxy's own answer to it. */
  | { readonly kind: "answered"; readonly answer: Answer }
  /** The proxy's request to its successor. */
  | { readonly kind: "forwarded"; readonly ask: Ask }
  | { readonly kind: "successorAnswered"; readonly answer: Answer }
  /** Nothing came for too long; `seconds` of the proxy's own time. */
  | { readonly kind: "late"; readonly seconds: number }
  /** `why` is a sentence. */
  | { readonly kind: "died"; readonly why: string; readonly cause: unknown };

export type StartEffect =
  | { readonly kind: "askProxy"; readonly frame: Frame; readonly spelling: Spelling }
  | { readonly kind: "toProxy" | "toClient" | "toSuccessor"; readonly frame: Frame }
  /** Answers the proxy's request with an error. */
  | { readonly kind: "refuse"; readonly id: number; readonly message: string }
  /** The proxy's own time runs, or does not. */
  | { readonly kind: "watch"; readonly on: boolean }
  /** It is left out from now on. `why` ends the sentence “… is left out: ”. */
  | { readonly kind: "bypass"; readonly why: string; readonly cause: unknown };

const METHOD_NOT_FOUND = -32601;

export function startStep(state: StartState, event: StartEvent): readonly [StartState, readonly StartEffect[]] {
  if (event.kind === "initialize") {
    if (state.kind === "bypassed") return [state, [{ kind: "toSuccessor", frame: event.ask.frame }]];
    return [{ kind: "asked", ask: event.ask, spelling: SPELLINGS[0], successor: { kind: "untouched" } },
      [{ kind: "askProxy", frame: event.ask.frame, spelling: SPELLINGS[0] }, { kind: "watch", on: true }]];
  }
  if (state.kind === "waiting" && event.kind === "died") return [{ kind: "bypassed" }, [{ kind: "bypass", why: event.why, cause: event.cause }]];
  if (state.kind !== "asked") return [state, []];
  switch (event.kind) {
    case "forwarded": return forwarded(state, event.ask);
    case "successorAnswered": return [{ ...state, successor: { kind: "answered", answer: event.answer } }, [{ kind: "toProxy", frame: event.answer.frame }, { kind: "watch", on: true }]];
    case "answered": return answered(state, event.answer);
    case "late": return bypass(state, `it did not answer within ${event.seconds} seconds.`);
    case "died": return bypass(state, event.why, event.cause);
  }
}

type Asked = Extract<StartState, { readonly kind: "asked" }>;

function forwarded(state: Asked, ask: Ask): readonly [StartState, readonly StartEffect[]] {
  if (state.successor.kind !== "untouched") return [state, [{ kind: "refuse", id: ask.id, message: "The successor has been initialised already." }]];
  if (ask.version !== state.ask.version) {
    const [next, effects] = bypass(state, "it changed the version of the protocol.");
    return [next, [{ kind: "refuse", id: ask.id, message: "A proxy must not change protocolVersion." }, ...effects]];
  }
  return [{ ...state, successor: { kind: "asked", id: ask.id } }, [{ kind: "watch", on: false }, { kind: "toSuccessor", frame: ask.frame }]];
}

function answered(state: Asked, { frame, version, error }: Answer): readonly [StartState, readonly StartEffect[]] {
  const { successor } = state;
  if (error?.code === METHOD_NOT_FOUND && successor.kind === "untouched" && state.spelling === SPELLINGS[0]) {
    return [{ ...state, spelling: SPELLINGS[1] }, [{ kind: "askProxy", frame: state.ask.frame, spelling: SPELLINGS[1] }]];
  }
  if (error && successor.kind === "answered" && successor.answer.error) return [{ kind: "waiting" }, [{ kind: "watch", on: false }, { kind: "toClient", frame }]];
  if (error) return bypass(state, error.code === METHOD_NOT_FOUND ? "it is no agent extension: it knows neither proxy/initialize nor _proxy/initialize." : `it answered with an error: ${error.message}`);
  if (successor.kind !== "answered" || successor.answer.error) return bypass(state, "it answered before its successor was initialised.");
  if (version !== successor.answer.version) return bypass(state, "it changed the version of the protocol.");
  return [{ kind: "ready" }, [{ kind: "watch", on: false }, { kind: "toClient", frame }]];
}

function bypass({ ask, successor }: Asked, why: string, cause?: unknown): readonly [StartState, readonly StartEffect[]] {
  const left: StartEffect[] = [{ kind: "watch", on: false }, { kind: "bypass", why, cause }];
  const settled = ask.id;
  switch (successor.kind) {
    case "untouched": return [{ kind: "bypassed", settled }, [...left, { kind: "toSuccessor", frame: ask.frame }]];
    case "asked": return [{ kind: "bypassed", settled, renamed: { from: successor.id, to: ask.id } }, left];
    case "answered": return [{ kind: "bypassed", settled }, [...left, { kind: "toClient", frame: successor.answer.frame.withId(ask.id) }]];
  }
}
