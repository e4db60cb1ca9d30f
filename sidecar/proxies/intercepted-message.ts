/**
 * A message that an interceptor handles.
 *
 *   waiting ── its turn ──▶ running ── pass ──▶ passed ─── response's turn ───▶ answered
 *      └─────────────────────┴───────── the interceptor finishes ──┴──────────────┴──▶ finished
 *
 * Invariants:
 * - A request is answered exactly once.
 * - A request is forwarded at most once, before it is answered. `pass` always settles.
 * - A message holds its position while its interceptor runs. A response holds its position while the interceptor
 *   handles it.
 */
import { errorMessage } from "../../src/protocol/wire/errors";
import { Frame, FrameError, type Envelope } from "../rpc/frame";
import { RpcCode, RpcError, type Id } from "../rpc/message";
import type { Outcome } from "../rpc/peer";
import type { Hold } from "./direction-queue";
import { outcomeOf } from "./own-requests";
import type { NotificationInterceptor, InterceptedNotification, InterceptedRequest, RequestInterceptor } from "./proxy";

/** The outputs of an interceptor. */
export interface InterceptorOutputs {
  /** The display name of the proxy. */
  readonly name: string;
  /** Sends a frame to the message's destination. */
  onward(frame: Frame): void;
  /** Sends the response to the sender of the request. This is the last message for the request. */
  answer(id: Id, frame: Frame): void;
  /** Registers the forwarded request, so that its response is delivered to `request.answered`. */
  expect(id: Id, request: Interception): void;
  onWarning(what: string, detail: unknown): void;
}

type State =
  | { readonly kind: "waiting" | "finished" }
  | { readonly kind: "running"; readonly hold: Hold }
  | { readonly kind: "passed"; readonly settle: (outcome: Outcome) => void }
  | { readonly kind: "answered"; readonly hold: Hold; readonly outcome: Outcome; readonly frame: Frame | undefined };

/** For messages without a position in a queue. */
const NO_HOLD: Hold = { letGo: () => {} };

export class Interception implements InterceptedRequest {
  readonly id: Id;
  readonly method: string;
  readonly #frame: Frame;
  readonly #ways: InterceptorOutputs;
  #aborting: AbortController | undefined; // created on first use, because few interceptors use it
  #state: State = { kind: "waiting" };

  constructor(frame: Frame, { id, method }: Envelope & { kind: "request" }, ways: InterceptorOutputs) {
    this.id = id;
    this.method = method;
    this.#frame = frame;
    this.#ways = ways;
  }

  get params(): unknown {
    return paramsOf(this.#frame);
  }
  get signal(): AbortSignal {
    return (this.#aborting ??= new AbortController()).signal;
  }

  begin(interceptor: RequestInterceptor, hold: Hold = NO_HOLD): void {
    this.#state = { kind: "running", hold };
    follow(
      () => interceptor(this),
      result => this.#respond(result),
      error => this.#fail(error),
    );
  }

  pass(params?: unknown): Promise<unknown> {
    const passing = this.#pass(params);
    passing.catch(() => {}); // an interceptor that ignores the result must not cause an unhandled rejection
    return passing;
  }

  release(): void {
    if ("hold" in this.#state) this.#state.hold.letGo();
  }

  /** Handles the response to the forwarded request, in queue order. */
  answered(frame: Frame, hold: Hold): void {
    if (this.#state.kind !== "passed") return hold.letGo();
    this.#settle({ kind: "answered", hold, outcome: outcomeOf(frame), frame }, this.#state);
  }

  /** Settles the forwarded request when no response can arrive. */
  unanswered(error: RpcError): void {
    if (this.#state.kind === "passed")
      this.#settle({ kind: "answered", hold: NO_HOLD, outcome: { ok: false, error }, frame: undefined }, this.#state);
  }

  /**
   * Handles a cancellation, or the close of the sender's connection (`reason`). Returns true if the cancellation must
   * be forwarded.
   */
  abort(reason?: RpcError): boolean {
    const isPassed = this.#state.kind === "passed";
    (this.#aborting ??= new AbortController()).abort(reason);
    return isPassed;
  }

  /** Fails the request immediately, in any state of the interceptor. */
  end(error: RpcError): void {
    this.abort(error);
    this.unanswered(error);
    this.#finish(this.#failure(error));
  }

  async #pass(params: unknown): Promise<unknown> {
    const state = this.#state;
    if (state.kind !== "running") throw new Error(`“${this.method}” can be forwarded once, before its response`);
    if (this.#aborting?.signal.aborted) throw this.#abortError();
    const frame = params === undefined ? this.#frame : withParams(this.#frame, params);
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#state = {
        kind: "passed",
        settle: outcome => (outcome.ok ? resolve(outcome.result) : reject(outcome.error)),
      };
    });
    this.#ways.expect(this.id, this);
    this.#ways.onward(frame);
    state.hold.letGo();
    return answer;
  }

  #settle(next: State & { kind: "answered" }, { settle }: State & { kind: "passed" }): void {
    this.#state = next;
    settle(next.outcome);
  }

  /** A result that the interceptor returns unchanged is sent as the received bytes. */
  #respond(result: unknown): void {
    const state = this.#state;
    const isUnchanged = state.kind === "answered" && state.outcome.ok && state.outcome.result === result;
    this.#finish(
      isUnchanged && state.frame ? state.frame : Frame.of({ jsonrpc: "2.0", id: this.id, result: result ?? null }),
    );
  }

  #fail(error: unknown): void {
    const state = this.#state;
    const isUnchanged = state.kind === "answered" && !state.outcome.ok && state.outcome.error === error;
    if (!(error instanceof RpcError || error instanceof FrameError) && !this.#aborting?.signal.aborted)
      this.#ways.onWarning(`${this.#ways.name} failed at ${this.method}`, error);
    this.#finish(isUnchanged && state.frame ? state.frame : this.#failure(error));
  }

  #finish(answer: Frame): void {
    const state = this.#state;
    if (state.kind === "finished") return;
    this.#ways.answer(this.id, answer);
    // last, so that the request can still fail if the response is not serialisable
    this.#state = { kind: "finished" };
    if ("hold" in state) state.hold.letGo();
  }

  #failure(error: unknown): Frame {
    return Frame.of({ jsonrpc: "2.0", id: this.id, error: this.#asRpcError(error).toJSON() });
  }

  #asRpcError(error: unknown): RpcError {
    if (error instanceof RpcError) return error;
    if (this.#aborting?.signal.aborted) return this.#abortError();
    if (error instanceof FrameError) return new RpcError(error.code, `“${this.method}” is invalid: ${error.message}.`);
    return new RpcError(
      RpcCode.internalError,
      `The agent extension “${this.#ways.name}” failed: ${errorMessage(error)}`,
    );
  }

  #abortError(): RpcError {
    const reason: unknown = this.#aborting?.signal.reason;
    return reason instanceof RpcError ? reason : new RpcError(RpcCode.requestCancelled, "The request was cancelled.");
  }
}

class PassingNote implements InterceptedNotification {
  #state: "open" | "passed" | "dropped" = "open";

  constructor(
    readonly method: string,
    private readonly frame: Frame,
    private readonly ways: InterceptorOutputs,
    private readonly hold: Hold,
  ) {}

  get params(): unknown {
    return paramsOf(this.frame);
  }

  pass(params?: unknown): void {
    if (this.#state !== "open")
      return this.ways.onWarning(`${this.ways.name} forwarded ${this.method} when it was ${this.#state}`, params);
    const frame = params === undefined ? this.frame : withParams(this.frame, params);
    this.#state = "passed";
    this.ways.onward(frame);
    this.hold.letGo();
  }

  finish(): void {
    if (this.#state === "open") this.#state = "dropped";
    this.hold.letGo();
  }
}

/** Runs an interceptor for a notification. */
export function passNotification(
  frame: Frame,
  method: string,
  interceptor: NotificationInterceptor,
  ways: InterceptorOutputs,
  hold: Hold,
): void {
  const note = new PassingNote(method, frame, ways, hold);
  follow(
    () => interceptor(note),
    () => note.finish(),
    error => {
      ways.onWarning(`${ways.name} failed at ${method}`, error);
      note.finish();
    },
  );
}

/** Calls `call` and reports its outcome, synchronously if it returns no promise. Errors of `done` go to `failed`. */
function follow(call: () => unknown, done: (result: unknown) => void, failed: (error: unknown) => void): void {
  try {
    const result = call();
    if (result instanceof Promise) void result.then(done).catch(failed);
    else done(result);
  } catch (error) {
    failed(error);
  }
}

function paramsOf(frame: Frame): unknown {
  const { message } = frame;
  return "params" in message ? message.params : undefined;
}

/** The same message with other params. */
function withParams(frame: Frame, params: unknown): Frame {
  const { message } = frame;
  if (!("method" in message)) throw new Error("a response has no params");
  return Frame.of({ ...message, params });
}
