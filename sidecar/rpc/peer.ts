/**
 * One end of a JSON-RPC connection: sends and answers requests over any channel.
 *
 * Invariants:
 * - Handlers and response callbacks are called synchronously, in the order in which their messages arrived.
 * - Every call is settled exactly once, by its response or by the close of the connection, before `closed` is called.
 * - Every incoming request is answered at most once.
 * - Invalid messages are reported to `onWarning` and have no other effect.
 *
 * Back-pressure: a notification handler that returns a promise pauses reading. An incoming request also pauses reading
 * while the other side does not read our responses. Notifications and responses are still read at that time. Otherwise
 * two peers that both send large amounts of data could deadlock.
 */
import type { Channel, Closed } from "./channel";
import { Frame, FrameError, type Envelope } from "./frame";
import { Incoming, type IncomingRequest } from "./incoming-request";
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

export type { IncomingRequest } from "./incoming-request";

export type Outcome =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: RpcError };

export interface PeerHandlers {
  /** Called in wire order. A thrown error becomes the response. */
  request(request: IncomingRequest): void;
  /** A returned promise pauses reading until it settles. The promise must not wait for a response on the same peer. */
  notification(method: string, params: unknown): void | Promise<void>;
  /** Called once, after every pending call is settled and every incoming request is aborted. */
  closed(reason: Closed): void;
  /** Reports protocol violations for the log: responses without a request, duplicate ids, handlers that throw. */
  onWarning?(what: string, detail: unknown): void;
}

/** The error of the calls that are pending when the connection closes. */
export class ConnectionClosed extends RpcError {
  constructor(readonly reason: Closed) {
    super(RpcCode.internalError, reason.message, undefined, { cause: reason.cause });
  }
}

export function methodNotFound(method: string): RpcError {
  return new RpcError(RpcCode.methodNotFound, `“${method}” is not a method of this side.`, { method });
}

/** A sent request. `cancel` sends a cancellation; the response is still awaited. */
export interface PendingCall {
  readonly id: Id;
  cancel(): void;
}

const CANCEL = PROTOCOL_METHODS.cancel_request;

export class Peer implements AsyncDisposable {
  readonly #channel: Channel;
  readonly #handlers: PeerHandlers;
  /** Pending outgoing requests. */
  readonly #calls = new Map<Id, (outcome: Outcome) => void>();
  /** Pending incoming requests. */
  readonly #open = new Map<Id, Incoming>();
  #lastId = 0;
  /** Set while the channel is full; settles when the channel has drained. */
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
   * `call` as a promise, which rejects with `RpcError`. The promise settles one microtask after the response is read.
   * Use `call` if the order between the response and the next message matters. Aborting `signal` cancels the request;
   * the response is still awaited.
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
      return this.#receiveInvalid(frame, error);
    }
    if (!("method" in message)) return this.#receiveResponse(message);
    if ("id" in message) return this.#receiveRequest(message, frame);
    if (message.method === CANCEL) return this.#receiveCancellation(message);
    return this.#receiveNotification(message);
  }

  #receiveRequest(request: Request, frame: Frame): void | Promise<void> {
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

  #receiveNotification({ method, params }: Notification): void | Promise<void> {
    const failed = (error: unknown) => this.#onWarning(`the handler of ${method} failed`, error);
    try {
      return this.#handlers.notification(method, params)?.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  #receiveCancellation({ params }: Notification): void {
    const id: unknown =
      typeof params === "object" && params !== null && "requestId" in params ? params.requestId : undefined;
    if (typeof id === "number" || typeof id === "string")
      this.#open.get(id)?.abort(); // otherwise the response crossed the cancellation
    else this.#onWarning("a cancellation that names no request", params);
  }

  #receiveResponse(answer: Success | Failure): void {
    const { id } = answer;
    if (id === null) return this.#onWarning("the other side could not read a message", answer);
    const settle = this.#calls.get(id);
    if (!settle)
      return this.#onWarning(
        `a response to ${this.#wasSent(id) ? "a request that was answered before" : "a request that was never made"}`,
        answer,
      );
    this.#calls.delete(id);
    if ("error" in answer && answer.error !== null) {
      const { code, message, data } = answer.error;
      this.#settle(settle, { ok: false, error: new RpcError(code, message, data) });
    } else this.#settle(settle, { ok: true, result: "result" in answer ? answer.result : undefined });
  }

  #wasSent(id: Id): boolean {
    return typeof id === "number" && id >= 1 && id <= this.#lastId;
  }

  #settle(settle: (outcome: Outcome) => void, outcome: Outcome): void {
    try {
      settle(outcome);
    } catch (error) {
      this.#onWarning("handling a response failed", error);
    }
  }

  /** Handles an invalid message. Sends an error, unless the message is a response: then its call fails. */
  #receiveInvalid(frame: Frame, error: FrameError): void {
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
