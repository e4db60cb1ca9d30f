/**
 * The start of a proxy, and the effect of a failed start on the chain. Pure; `startStep` contains all of it.
 *
 *   waiting ── initialize ──▶ asked ── forwards `initialize`, its successor answers, it answers ──▶ ready
 *                              │  ▲ ├─ does not support the method or version: asked again (proxy-dialect.ts)
 *                              │  │ ├─ exits on the request: restarted once, asked in the next dialect
 *                              │  │ └─ answers with a lower version than its successor: asked again with it
 *                              │  └─ returns the error of its successor: waiting
 *                              └─ dies, hangs, refuses, raises the version, answers too early ──▶ bypassed
 *
 * Rules (schema v1 unstable, `InitializeProxyRequest`, `InitializeProxyResponse`):
 * - A proxy forwards `initialize` before it answers.
 * - The version is negotiated as with an agent. A proxy may lower it for all components behind it. The answer has the
 *   version that every component accepted.
 * - The successor of a bypassed proxy is asked in its place. If the proxy has already forwarded `initialize`, the
 *   successor is not asked again, because agents refuse that; its answer goes to the client.
 */
import type { Frame } from "../rpc/frame";
import { isVersion1Only, withVersion } from "./protocol-version";
import { attemptsFor, initializeFor, isMarked, withoutMark, type Attempt } from "./proxy-dialect";
import type { ProxyDialect } from "../acp/methods";

/** The successor's state: asked by the proxy, under the id of the proxy's request, or by us in its place. */
type Successor =
  | { readonly kind: "untouched" }
  | { readonly kind: "asked"; readonly id: number }
  | { readonly kind: "answered"; readonly answer: Answer };

export type StartState =
  | { readonly kind: "waiting" }
  | Asked
  | { readonly kind: "ready" }
  /**
   * `settled`: the request that the proxy may no longer answer. `renamed`: the successor's answer to one request
   * becomes the answer to another one.
   */
  | { readonly kind: "bypassed"; readonly settled?: number; readonly renamed?: Renamed };

interface Renamed {
  readonly from: number;
  readonly to: number;
}

interface Asked {
  readonly kind: "asked";
  readonly ask: Ask;
  readonly attempt: Attempt;
  /** Further attempts, in order. */
  readonly rest: readonly Attempt[];
  /** The process was already restarted; it is restarted only once. */
  readonly restarted: boolean;
  /** Why an earlier attempt failed, if that is more specific than an unknown method. */
  readonly refusal: string | undefined;
  readonly successor: Successor;
  /** The successor's answer in another version, before it was asked again. */
  readonly before: Answer | undefined;
}

/** `initialize`, with the id that the sender waits for, and its raw `protocolVersion`. */
export interface Ask {
  readonly frame: Frame;
  readonly id: number;
  readonly version: unknown;
}

/** An answer to `initialize`; `error` is set if it is one. */
export interface Answer {
  readonly frame: Frame;
  readonly version: unknown;
  readonly error?: StartError;
}
export interface StartError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export type StartEvent =
  /** From the proxy's client. `known`: the dialect in which this program was initialised before. */
  | { readonly kind: "initializeReceived"; readonly ask: Ask; readonly known?: ProxyDialect | undefined }
  /** The proxy's own answer to `initialize`. */
  | { readonly kind: "answered"; readonly answer: Answer }
  /** The proxy's request to its successor. */
  | { readonly kind: "forwarded"; readonly ask: Ask }
  | { readonly kind: "successorAnswered"; readonly answer: Answer }
  | { readonly kind: "late"; readonly seconds: number }
  /** `exited`: a running process has exited, so that it may be restarted. */
  | { readonly kind: "died"; readonly why: string; readonly cause: unknown; readonly exited?: boolean };

export type StartEffect =
  | { readonly kind: "askProxy"; readonly frame: Frame; readonly dialect: ProxyDialect }
  /** Restarts the process, then sends it the frame. */
  | { readonly kind: "restart"; readonly frame: Frame; readonly dialect: ProxyDialect }
  | { readonly kind: "toProxy" | "toClient" | "toSuccessor"; readonly frame: Frame }
  /** Answers the proxy's request with an error. */
  | { readonly kind: "refuse"; readonly id: number; readonly message: string }
  /** Starts or stops the timeout for the proxy's own time. */
  | { readonly kind: "watch"; readonly on: boolean }
  /** The proxy is initialised, in this dialect. */
  | { readonly kind: "remember"; readonly dialect: ProxyDialect }
  /** The proxy is bypassed from now on. `why` ends the sentence “… is skipped: ”. */
  | { readonly kind: "bypass"; readonly why: string; readonly cause: unknown };

type Step = readonly [StartState, readonly StartEffect[]];

/** The timeout for the proxy's own time. */
const RUNS: StartEffect = { kind: "watch", on: true },
  RESTS: StartEffect = { kind: "watch", on: false };

const METHOD_NOT_FOUND = -32601,
  INVALID_REQUEST = -32600,
  INVALID_PARAMS = -32602,
  UNSUPPORTED_VERSION = -32022;
/** Errors of programs that expect another method first, or another version. */
const OTHERWISE: ReadonlySet<number> = new Set([
  METHOD_NOT_FOUND,
  INVALID_REQUEST,
  INVALID_PARAMS,
  UNSUPPORTED_VERSION,
]);

const NO_PROXY = "it is not an agent extension: it implements neither proxy/initialize nor _proxy/initialize.";
const AN_AGENT = "it is an agent, not an agent extension: it does not forward initialize.";

export function startStep(state: StartState, event: StartEvent): Step {
  if (event.kind === "initializeReceived") {
    if (state.kind === "bypassed") return [state, [{ kind: "toSuccessor", frame: event.ask.frame }]];
    return begin(event.ask, event.known);
  }
  if (state.kind === "waiting" && event.kind === "died") {
    return [{ kind: "bypassed" }, [{ kind: "bypass", why: event.why, cause: event.cause }]];
  }
  if (state.kind !== "asked") return [state, []];
  switch (event.kind) {
    case "forwarded":
      return forwarded(state, event.ask);
    case "successorAnswered": {
      const { answer } = event;
      return [{ ...state, successor: { kind: "answered", answer } }, [{ kind: "toProxy", frame: answer.frame }, RUNS]];
    }
    case "answered": {
      const { answer } = event;
      return answer.error ? failed(state, answer.frame, answer.error) : answered(state, answer);
    }
    case "late":
      return bypass(state, `it did not respond within ${event.seconds} seconds.`);
    case "died":
      return (event.exited === true ? restarted(state) : undefined) ?? bypass(state, event.why, event.cause);
  }
}

function begin(ask: Ask, known: ProxyDialect | undefined): Step {
  const [attempt, ...rest] = attemptsFor(typeof ask.version === "number" ? ask.version : 1, known);
  const state: Asked = {
    kind: "asked",
    ask,
    attempt,
    rest,
    restarted: false,
    refusal: undefined,
    successor: { kind: "untouched" },
    before: undefined,
  };
  return [state, [asking(state), RUNS]];
}

function asking({ ask, attempt }: Asked): Extract<StartEffect, { readonly kind: "askProxy" }> {
  return { kind: "askProxy", frame: initializeFor(attempt, ask.frame, ask.version), dialect: attempt.dialect };
}

function forwarded(state: Asked, forward: Ask): Step {
  const { attempt, successor } = state,
    refuse = (message: string): StartEffect => ({ kind: "refuse", id: forward.id, message });
  if (successor.kind !== "untouched") return [state, [refuse("The successor is already initialized.")]];
  const version = acceptedBy(state, forward);
  if (version === undefined) {
    const requestedVersion = String(forward.version);
    const [next, effects] = bypass(
      state,
      `it requested protocol version ${requestedVersion} instead of ${attempt.version}.`,
    );
    return [next, [refuse(`A proxy may lower protocolVersion but may not set it to ${requestedVersion}.`), ...effects]];
  }
  const frame = version === forward.version ? forward.frame : withVersion(forward.frame, version);
  return [
    { ...state, successor: { kind: "asked", id: forward.id } },
    [RESTS, { kind: "toSuccessor", frame: attempt.dialect === "meta" ? withoutMark(frame) : frame }],
  ];
}

/** The version that the proxy may request from its successor; undefined if the version is not allowed. */
function acceptedBy({ ask, attempt }: Asked, { version, frame }: Ask): number | undefined {
  if (!isVersion(version) || version > attempt.version) return undefined;
  return version > 1 && isVersion1Only(frame) && !isVersion1Only(ask.frame) ? 1 : version;
}

function isVersion(version: unknown): version is number {
  return typeof version === "number" && Number.isInteger(version) && version >= 1;
}

function answered(state: Asked, { frame, version }: Answer): Step {
  const {
    successor,
    attempt: { dialect },
  } = state;
  if (dialect === "meta" && !isMarked(frame))
    return bypass(state, successor.kind === "untouched" ? AN_AGENT : NO_PROXY);
  if (successor.kind !== "answered" || successor.answer.error) {
    return bypass(state, "it responded before its successor was initialized.");
  }
  if (version === successor.answer.version) {
    const toClient: StartEffect = { kind: "toClient", frame: dialect === "meta" ? withoutMark(frame) : frame };
    return [{ kind: "ready" }, [RESTS, { kind: "remember", dialect }, toClient]];
  }
  const versions = `protocol version ${String(version)}, its successor with ${String(successor.answer.version)}`;
  return lowered(state, successor.answer, version) ?? bypass(state, `it responded with ${versions}.`);
}

/** All components behind the proxy have a higher version: initialises them again, once, with the proxy's version. */
function lowered(state: Asked, before: Answer, version: unknown): Step | undefined {
  const { attempt } = state;
  if (!isVersion(version) || version >= attempt.version || state.before !== undefined) return undefined;
  const successor: Successor = { kind: "untouched" };
  const next: Asked = { ...state, attempt: { ...attempt, version }, rest: [], successor, before };
  return [next, [asking(next)]];
}

function failed(state: Asked, frame: Frame, error: StartError): Step {
  const { successor, before } = state;
  if (successor.kind === "untouched" && before === undefined) {
    return again(state, error) ?? bypass(state, state.refusal ?? refusalOf(error) ?? NO_PROXY);
  }
  if (successor.kind === "answered" && successor.answer.error && before === undefined) {
    return [{ kind: "waiting" }, [RESTS, { kind: "toClient", frame }]];
  }
  return bypass(state, refusalOf(error) ?? NO_PROXY);
}

/** The next attempt that may succeed. */
function again(state: Asked, error: StartError): Step | undefined {
  const {
    attempt: { dialect },
    refusal,
  } = state;
  // A program that fails for another reason supports the method. Asking it in the dialect `meta` would start it as an
  // agent.
  const rest = OTHERWISE.has(error.code) ? state.rest : state.rest.filter(next => next.dialect !== "meta");
  const [attempt, ...further] = rest.filter(next => mayHelp(error.code, next.dialect === dialect));
  if (!attempt) return undefined;
  const next: Asked = { ...state, attempt, rest: further, refusal: refusal ?? refusalOf(error) };
  return [next, [asking(next)]];
}

/** Whether another attempt may succeed, in the same dialect with a lower version or in another one. */
function mayHelp(code: number, isSameDialect: boolean): boolean {
  if (code === INVALID_REQUEST || code === INVALID_PARAMS) return true;
  return isSameDialect === (code === UNSUPPORTED_VERSION);
}

/** The next dialect, for a program that exits when it receives the methods of another one. */
function restarted(state: Asked): Step | undefined {
  const {
    attempt: { dialect },
    rest,
    successor,
    before,
  } = state;
  const [attempt, ...others] = rest.filter(next => next.dialect !== dialect && next.dialect !== "meta");
  if (!attempt || state.restarted || successor.kind !== "untouched" || before !== undefined) return undefined;
  const next: Asked = { ...state, attempt, rest: others, restarted: true };
  return [next, [{ ...asking(next), kind: "restart" }, RUNS]];
}

function refusalOf({ code, message, data }: StartError): string | undefined {
  if (code === METHOD_NOT_FOUND) return undefined;
  return `it returned an error: ${message}${typeof data === "string" ? ` (${data})` : ""}`;
}

function bypass({ ask, successor, before }: Asked, why: string, cause?: unknown): Step {
  const settled = ask.id,
    effects: readonly StartEffect[] = [RESTS, { kind: "bypass", why, cause }];
  const past = (last: StartEffect): Step => [{ kind: "bypassed", settled }, [...effects, last]];
  const answerOf = ({ frame }: Answer): Step => past({ kind: "toClient", frame: frame.withId(ask.id) });
  switch (successor.kind) {
    case "untouched":
      return before ? answerOf(before) : past({ kind: "toSuccessor", frame: ask.frame });
    case "asked":
      return [{ kind: "bypassed", settled, renamed: { from: successor.id, to: ask.id } }, effects];
    case "answered":
      return answerOf(successor.answer.error && before ? before : successor.answer);
  }
}
