/**
 * State machine for the start of a proxy, and the effect of a failed start on the chain. Pure.
 *
 *   waiting ── initialize ──▶ asked ── forwards `initialize`, its successor answers, it answers ──▶ ready
 *                              │  ▲ ├─ does not support the method or version: asked again (proxy-dialect.ts)
 *                              │  │ ├─ exits on the request: restarted once, asked in the next dialect
 *                              │  │ └─ answers with a lower version than its successor: asked again with it
 *                              │  └─ returns the error of its successor: waiting
 *                              └─ dies, hangs, refuses, raises the version, answers too early ──▶ bypassed
 *
 * Rules (schema v1 unstable, `InitializeProxyRequest`, `InitializeProxyResponse`):
 * - A proxy forwards `initialize` before it responds.
 * - The version is negotiated as with an agent. A proxy may lower the version for all components behind it. The
 *   response contains the version that every component accepted.
 * - When a proxy is bypassed, `initialize` is sent to its successor. If the proxy has already forwarded `initialize`,
 *   the successor's response goes to the client, because agents reject a second `initialize`.
 */
import type { Frame } from "../rpc/frame";
import { isVersion1Only, withVersion } from "./protocol-version";
import { attemptsFor, initializeFor, isMarked, withoutMark, type Attempt } from "./proxy-dialect";
import type { ProxyDialect } from "../acp/methods";

/** The state of the successor. `id` is the id of the `initialize` request that the proxy forwarded. */
type Successor =
  | { readonly kind: "untouched" }
  | { readonly kind: "asked"; readonly id: number }
  | { readonly kind: "answered"; readonly answer: Answer };

export type StartState =
  | { readonly kind: "waiting" }
  | Asked
  | { readonly kind: "ready" }
  /**
   * `settled`: the request for which a response of the proxy is dropped. `renamed`: the successor's response to request
   * `from` is returned for request `to`.
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
  /** Whether the process was restarted. It is restarted only once. */
  readonly restarted: boolean;
  /** The error of an earlier attempt, if it is more specific than an unknown method. */
  readonly refusal: string | undefined;
  readonly successor: Successor;
  /** The successor's first response, if the successor was initialised again with a lower version. */
  readonly before: Answer | undefined;
}

/** An `initialize` request, with its id and raw `protocolVersion`. */
export interface Ask {
  readonly frame: Frame;
  readonly id: number;
  readonly version: unknown;
}

/** A response to `initialize`; `error` is set for an error response. */
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
  /** From the proxy's client. `known`: the cached dialect of this program. */
  | { readonly kind: "initializeReceived"; readonly ask: Ask; readonly known?: ProxyDialect | undefined }
  /** The proxy's response to `initialize`. */
  | { readonly kind: "answered"; readonly answer: Answer }
  /** The proxy's `initialize` request to its successor. */
  | { readonly kind: "forwarded"; readonly ask: Ask }
  | { readonly kind: "successorAnswered"; readonly answer: Answer }
  | { readonly kind: "late"; readonly seconds: number }
  /** `exited`: the process exited by itself and may be restarted. */
  | { readonly kind: "died"; readonly why: string; readonly cause: unknown; readonly exited?: boolean };

export type StartEffect =
  | { readonly kind: "askProxy"; readonly frame: Frame; readonly dialect: ProxyDialect }
  /** Restarts the process, then sends it the frame. */
  | { readonly kind: "restart"; readonly frame: Frame; readonly dialect: ProxyDialect }
  | { readonly kind: "toProxy" | "toClient" | "toSuccessor"; readonly frame: Frame }
  /** Rejects the proxy's request. */
  | { readonly kind: "refuse"; readonly id: number; readonly message: string }
  /** Starts or stops the timeout of the proxy. */
  | { readonly kind: "watch"; readonly on: boolean }
  /** Caches the dialect of the initialised proxy. */
  | { readonly kind: "remember"; readonly dialect: ProxyDialect }
  /** Bypasses the proxy. `why` completes the sentence “… is skipped: ”. */
  | { readonly kind: "bypass"; readonly why: string; readonly cause: unknown };

type Step = readonly [StartState, readonly StartEffect[]];

const START_TIMEOUT: StartEffect = { kind: "watch", on: true },
  STOP_TIMEOUT: StartEffect = { kind: "watch", on: false };

const METHOD_NOT_FOUND = -32601,
  INVALID_REQUEST = -32600,
  INVALID_PARAMS = -32602,
  UNSUPPORTED_VERSION = -32022;
/** Errors of programs that expect another method or another version. */
const RETRYABLE_ERRORS: ReadonlySet<number> = new Set([
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
      return [
        { ...state, successor: { kind: "answered", answer } },
        [{ kind: "toProxy", frame: answer.frame }, START_TIMEOUT],
      ];
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
  return [state, [proxyRequest(state), START_TIMEOUT]];
}

function proxyRequest({ ask, attempt }: Asked): Extract<StartEffect, { readonly kind: "askProxy" }> {
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
    [STOP_TIMEOUT, { kind: "toSuccessor", frame: attempt.dialect === "meta" ? withoutMark(frame) : frame }],
  ];
}

/** Returns the version for the successor; undefined if the proxy may not request its version. */
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
    return [{ kind: "ready" }, [STOP_TIMEOUT, { kind: "remember", dialect }, toClient]];
  }
  const versions = `protocol version ${String(version)}, its successor with ${String(successor.answer.version)}`;
  return lowered(state, successor.answer, version) ?? bypass(state, `it responded with ${versions}.`);
}

/**
 * Handles a response with a lower version: initialises all components behind the proxy again, once, with that version.
 */
function lowered(state: Asked, before: Answer, version: unknown): Step | undefined {
  const { attempt } = state;
  if (!isVersion(version) || version >= attempt.version || state.before !== undefined) return undefined;
  const successor: Successor = { kind: "untouched" };
  const next: Asked = { ...state, attempt: { ...attempt, version }, rest: [], successor, before };
  return [next, [proxyRequest(next)]];
}

function failed(state: Asked, frame: Frame, error: StartError): Step {
  const { successor, before } = state;
  if (successor.kind === "untouched" && before === undefined) {
    return retry(state, error) ?? bypass(state, state.refusal ?? refusalOf(error) ?? NO_PROXY);
  }
  if (successor.kind === "answered" && successor.answer.error && before === undefined) {
    return [{ kind: "waiting" }, [STOP_TIMEOUT, { kind: "toClient", frame }]];
  }
  return bypass(state, refusalOf(error) ?? NO_PROXY);
}

/** Returns the next attempt that may succeed. */
function retry(state: Asked, error: StartError): Step | undefined {
  const {
    attempt: { dialect },
    refusal,
  } = state;
  // Any other error means that the program supports the method. The dialect `meta` would initialise it as an agent.
  const rest = RETRYABLE_ERRORS.has(error.code) ? state.rest : state.rest.filter(next => next.dialect !== "meta");
  const [attempt, ...further] = rest.filter(next => mayHelp(error.code, next.dialect === dialect));
  if (!attempt) return undefined;
  const next: Asked = { ...state, attempt, rest: further, refusal: refusal ?? refusalOf(error) };
  return [next, [proxyRequest(next)]];
}

/** Whether another attempt may succeed, in the same dialect with a lower version or in another one. */
function mayHelp(code: number, isSameDialect: boolean): boolean {
  if (code === INVALID_REQUEST || code === INVALID_PARAMS) return true;
  return isSameDialect === (code === UNSUPPORTED_VERSION);
}

/** Restarts a program that exited on an unsupported method, and tries the next dialect. */
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
  return [next, [{ ...proxyRequest(next), kind: "restart" }, START_TIMEOUT]];
}

function refusalOf({ code, message, data }: StartError): string | undefined {
  if (code === METHOD_NOT_FOUND) return undefined;
  return `it returned an error: ${message}${typeof data === "string" ? ` (${data})` : ""}`;
}

function bypass({ ask, successor, before }: Asked, why: string, cause?: unknown): Step {
  const settled = ask.id,
    effects: readonly StartEffect[] = [STOP_TIMEOUT, { kind: "bypass", why, cause }];
  const skip = (last: StartEffect): Step => [{ kind: "bypassed", settled }, [...effects, last]];
  const answerOf = ({ frame }: Answer): Step => skip({ kind: "toClient", frame: frame.withId(ask.id) });
  switch (successor.kind) {
    case "untouched":
      return before ? answerOf(before) : skip({ kind: "toSuccessor", frame: ask.frame });
    case "asked":
      return [{ kind: "bypassed", settled, renamed: { from: successor.id, to: ask.id } }, effects];
    case "answered":
      return answerOf(successor.answer.error && before ? before : successor.answer);
  }
}
