/**
 * One end of a JSON-RPC connection: sends requests and answers requests, over any channel.
 *
 * Invariants:
 * - Handlers and settlements are called synchronously, in the order in which their messages arrived.
 * - Every call is settled exactly once, by its answer or by the end of the connection, and before `closed` is called.
 * - Every incoming request is answered at most once.
 * - Invalid messages are reported to `onWarning` and have no other effect.
 *
 * Back-pressure: a notification handler that returns a promise pauses reading. A request also pauses reading while the
 * other side does not read our answers. Its notifications and answers are still read then. Otherwise an agent that
 * sends while we send much to it would deadlock with us.
 */
import type { Channel, Closed } from "./channel";
import { Frame, FrameError, type Envelope } from "./frame";
import { Incoming, type IncomingRequest } from "./incoming";
import {
  RpcCode,
  RpcError,
  type Failure,
  type Id,
  type Message,
  type Notification,
  type Request,
  type Success,
} from "./message";
import { PROTOCOL_METHODS } from "../acp/methods";

export type { IncomingRequest } from "./incoming";

export type Outcome =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: RpcError };

export interface PeerHandlers {
  /** Called in wire order. A thrown error becomes the answer. */
  request(request: IncomingRequest): void;
  /** A returned promise pauses reading until it settles. It must not wait for an answer on the same peer. */
  notification(method: string, params: unknown): void | Promise<void>;
  /** Called once, after every pending call is settled and every incoming request is aborted. */
  closed(reason: Closed): void;
  /** Reports protocol violations for the log: answers without a request, duplicate ids, handlers that throw. */
  onWarning?(what: string, detail: unknown): void;
}

/** The error of each pending call when the connection ends. */
export class ConnectionClosed extends RpcError {
  constructor(readonly reason: Closed) {
    super(RpcCode.internalError, reason.message, undefined, { cause: reason.cause });
  }
}

export function methodNotFound(method: string): RpcError {
  return new RpcError(RpcCode.methodNotFound, `“${method}” is not a method of this side.`, { method });
}

/** A sent request. `cancel` asks the other side to stop; the answer is still awaited, whatever it is. */
export interface PendingCall {
  readonly id: Id;
  cancel(): void;
}

const CANCEL = PROTOCOL_METHODS.cancel_request;

export class Peer implements AsyncDisposable {
  readonly #channel: Channel;
  readonly #handlers: PeerHandlers;
  /** Our requests without an answer. */
  readonly #calls = new Map<Id, (outcome: Outcome) => void>();
  /** Requests from the other side that we have not answered. */
  readonly #open = new Map<Id, Incoming>();
  #lastId = 0;
  /** While the other side reads slowly: settles when it has caught up. */
  #slow: Promise<void> | undefined;
  #closed: Closed | undefined;

  constructor(channel: Channel, handlers: PeerHandlers) {
    this.#channel = channel;
    this.#handlers = handlers;
    channel.start({ receive: frame => this.#receive(frame), closed: reason => this.#close(reason) });
  }

  /** Sends a request. `settle` is called once, in wire order, never before `call` returns. */
  call(method: string, params: unknown, settle: (outcome: Outcome) => void): PendingCall {
    const id = ++this.#lastId;
    const closed = this.#closed;
    if (closed) {
      queueMicrotask(() => settle({ ok: false, error: new ConnectionClosed(closed) }));
      return { id, cancel: () => {} };
    }
    this.#send({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) });
    this.#calls.set(id, settle);
    return {
      id,
      cancel: () => {
        if (this.#calls.get(id) === settle) this.notify(CANCEL, { requestId: id });
      },
    };
  }

  /**
   * `call` as a promise, which rejects with `RpcError`. It settles one microtask after the answer is read. Use `call`
   * if the order between the answer and the next message matters. An aborted `signal` cancels the request; the answer
   * is still awaited.
   */
  request(method: string, params: unknown, options: { readonly signal?: AbortSignal } = {}): Promise<unknown> {
    const { signal } = options;
    return new Promise((resolve, reject) => {
      if (signal?.aborted)
        return reject(new RpcError(RpcCode.requestCancelled, "The request was cancelled before it was sent."));
      const pending = this.call(method, params, outcome => {
        signal?.removeEventListener("abort", cancel);
        if (outcome.ok) resolve(outcome.result);
        else reject(outcome.error);
      });
      const cancel = () => pending.cancel();
      signal?.addEventListener("abort", cancel, { once: true });
    });
  }

  /** Sends a notification. Callers that send many should await `drained` in between. */
  notify(method: string, params: unknown): void {
    this.#send({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) });
  }

  drained(): Promise<void> {
    return this.#channel.drained();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#channel[Symbol.asyncDispose]();
  }

  #send(message: Message): void {
    this.#sendFrame(Frame.of(message));
  }

  #sendFrame(frame: Frame): void {
    if (this.#closed || this.#channel.send(frame)) return;
    this.#slow ??= this.#channel.drained().finally(() => {
      this.#slow = undefined;
    });
  }

  #receive(frame: Frame): void | Promise<void> {
    let message: Message;
    try {
      message = frame.message;
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      return this.#unreadable(frame, error);
    }
    if (!("method" in message)) return this.#answered(message);
    if ("id" in message) return this.#requested(message, frame);
    if (message.method === CANCEL) return this.#cancelled(message);
    return this.#notified(message);
  }

  #requested(request: Request, frame: Frame): void | Promise<void> {
    const incoming = new Incoming(request, frame, answer => {
      this.#sendFrame(answer);
      if (this.#open.get(request.id) === incoming) this.#open.delete(request.id);
    });
    if (this.#open.has(request.id)) {
      this.#onWarning("a request with the id of one that is not answered yet", request);
      incoming.fail(new RpcError(RpcCode.invalidRequest, `The id ${JSON.stringify(request.id)} is in use.`));
    } else {
      this.#open.set(request.id, incoming);
      try {
        this.#handlers.request(incoming);
      } catch (error) {
        if (!(error instanceof RpcError)) this.#onWarning(`the handler of ${request.method} failed`, error);
        incoming.fail(error);
      }
    }
    return this.#slow;
  }

  #notified({ method, params }: Notification): void | Promise<void> {
    const failed = (error: unknown) => this.#onWarning(`the handler of ${method} failed`, error);
    try {
      return this.#handlers.notification(method, params)?.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  #cancelled({ params }: Notification): void {
    const id: unknown =
      typeof params === "object" && params !== null && "requestId" in params ? params.requestId : undefined;
    if (typeof id === "number" || typeof id === "string")
      this.#open.get(id)?.abort(); // otherwise it is already answered: both crossed
    else this.#onWarning("a cancellation that names no request", params);
  }

  #answered(answer: Success | Failure): void {
    const { id } = answer;
    if (id === null) return this.#onWarning("the other side could not read a message", answer);
    const settle = this.#calls.get(id);
    if (!settle)
      return this.#onWarning(
        `a response to ${this.#hasMade(id) ? "a request that was answered before" : "a request that was never made"}`,
        answer,
      );
    this.#calls.delete(id);
    if ("error" in answer && answer.error !== null) {
      const { code, message, data } = answer.error;
      this.#settle(settle, { ok: false, error: new RpcError(code, message, data) });
    } else this.#settle(settle, { ok: true, result: "result" in answer ? answer.result : undefined });
  }

  #hasMade(id: Id): boolean {
    return typeof id === "number" && id >= 1 && id <= this.#lastId;
  }

  #settle(settle: (outcome: Outcome) => void, outcome: Outcome): void {
    try {
      settle(outcome);
    } catch (error) {
      this.#onWarning("handling a response failed", error);
    }
  }

  /** Handles a message with a valid envelope and an invalid body. Fails the request on the side that waits for it. */
  #unreadable(frame: Frame, error: FrameError): void {
    this.#onWarning("a message that could not be read", error);
    const envelope = envelopeOrNone(frame);
    if (envelope?.kind === "request" || !envelope) {
      const failure = new RpcError(error.code, `This message is invalid: ${error.message}.`);
      const answer = Frame.of({ jsonrpc: "2.0", id: envelope?.id ?? null, error: failure.toJSON() });
      this.#sendFrame(answer);
    } else if (envelope.kind === "response" && envelope.id !== null) {
      const settle = this.#calls.get(envelope.id);
      this.#calls.delete(envelope.id);
      if (settle)
        this.#settle(settle, {
          ok: false,
          error: new RpcError(RpcCode.internalError, `The response could not be read: ${error.message}.`, undefined, {
            cause: error,
          }),
        });
    }
  }

  #close(reason: Closed): void {
    this.#closed = reason;
    const calls = [...this.#calls.values()],
      open = [...this.#open.values()];
    this.#calls.clear();
    this.#open.clear();
    for (const settle of calls) this.#settle(settle, { ok: false, error: new ConnectionClosed(reason) });
    for (const incoming of open) incoming.abort(new ConnectionClosed(reason));
    this.#handlers.closed(reason);
  }

  #onWarning(what: string, detail: unknown): void {
    this.#handlers.onWarning?.(what, detail);
  }
}

function envelopeOrNone(frame: Frame): Envelope | undefined {
  try {
    return frame.envelope;
  } catch {
    return undefined;
  }
}
