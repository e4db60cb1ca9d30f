/**
 * Sorts the frames from one neighbour of a proxy: forwarded frames, intercepted messages, answers to the proxy's own
 * requests, and messages for the proxy itself.
 *
 * Invariants:
 * - A message that is not intercepted leaves in its turn, as the frame that arrived.
 * - Answers to the proxy's own requests, and cancellations of messages that it holds, are handled at once, despite any
 *   hold.
 */
import type { Closed, Receiver } from "../rpc/channel";
import { FrameError, type Envelope, type Frame } from "../rpc/frame";
import { isObject } from "../rpc/json";
import type { Id } from "../rpc/message";
import { ConnectionClosed } from "../rpc/peer";
import type { DirectionQueue } from "./direction-queue";
import type { OwnRequests } from "./own-requests";
import { Interception, passNotification, type Ways } from "./intercepted-message";
import type { Interceptors, NotificationInterceptor, RequestInterceptor } from "./proxy";
import { PROTOCOL_METHODS } from "../acp/methods";

/** Takes messages for the proxy itself, at once and out of order. */
export interface Claims {
  /** False while no message can be for the proxy; `claim` is not called then. */
  readonly areMade: boolean;
  /** Returns true if it took the frame. Requests are answered through the router. */
  claim(frame: Frame, envelope: Envelope, direction: Router): boolean;
}

export interface DirectionOptions {
  /** The display name of the proxy. */
  readonly name: string;
  readonly interceptors: Interceptors | undefined;
  /** The queue to the other neighbour. */
  readonly queue: DirectionQueue;
  /** The proxy's own requests to the neighbour whose messages arrive here. */
  readonly own: OwnRequests;
  /** In the order in which they are asked. */
  readonly claims: readonly Claims[];
  readonly opposite: () => Router;
  closed(reason: Closed): void;
  onWarning(what: string, detail: unknown): void;
}

const CANCEL = PROTOCOL_METHODS.cancel_request;

export class Router implements Receiver {
  readonly #options: DirectionOptions;
  readonly #queue: DirectionQueue;
  readonly #requests: ReadonlyMap<string, RequestInterceptor>;
  readonly #notifications: ReadonlyMap<string, NotificationInterceptor>;
  readonly #isWatched: boolean;
  /** Requests that arrived here and that the proxy must answer. */
  readonly #open = new Map<Id, Interception>();
  /** Intercepted requests that were sent in the opposite direction; their answers arrive here. */
  readonly #expected = new Map<Id, Interception>();
  readonly #ways: Ways;

  constructor(options: DirectionOptions) {
    this.#options = options;
    this.#queue = options.queue;
    this.#requests = new Map(Object.entries(options.interceptors?.requests ?? {}));
    this.#notifications = new Map(Object.entries(options.interceptors?.notifications ?? {}));
    this.#isWatched = this.#requests.size + this.#notifications.size > 0;
    this.#ways = {
      name: options.name,
      onward: frame => this.#queue.send(frame),
      answer: (id, frame) => {
        options.opposite().#queue.send(frame);
        this.#open.delete(id);
      },
      expect: (id, request) => options.opposite().#expected.set(id, request),
      onWarning: options.onWarning,
    };
  }

  receive(frame: Frame): void | Promise<void> {
    return this.#isUnwatched() ? this.#queue.pass(frame) : this.#sort(frame);
  }

  closed(reason: Closed): void {
    this.#options.closed(reason);
  }

  /** Sorts frames that were kept until their recipient was known. */
  again(frames: readonly Frame[]): void {
    for (const frame of frames) void this.#sort(frame); // ignores back-pressure: the number of kept frames is bounded
  }

  /** Creates an interception of an incoming request, which a claimant may inspect. */
  inspect(frame: Frame, envelope: Envelope & { kind: "request" }): Interception {
    return new Interception(frame, envelope, this.#ways);
  }

  /** Lets a claimant answer a request. */
  serve(request: Interception, claimant: RequestInterceptor): void {
    this.#open.set(request.id, request);
    request.begin(claimant);
  }

  /** The sender has disconnected: aborts its requests and rejects the proxy's own requests to it. */
  withdraw(reason: Closed): void {
    const error = new ConnectionClosed(reason);
    for (const request of [...this.#open.values()]) request.abort(error);
    this.#options.own.close(reason);
  }

  /** Sends all queued frames despite any hold, and rejects requests that were passed to the disconnected neighbour. */
  flush(reason: Closed): void {
    this.#queue.flush();
    for (const request of [...this.#expected.values()]) request.unanswered(new ConnectionClosed(reason));
    this.#expected.clear();
  }

  /** Ends all waits; a sender without an answer gets an error. */
  end(reason: Closed): void {
    this.withdraw(reason);
    this.flush(reason);
    for (const request of [...this.#open.values()]) request.end(new ConnectionClosed(reason));
  }

  #isUnwatched(): boolean {
    return (
      !this.#isWatched &&
      this.#queue.isFree &&
      this.#expected.size === 0 &&
      this.#open.size === 0 &&
      !this.#options.own.areOpen &&
      !this.#options.claims.some(isMade)
    );
  }

  #sort(frame: Frame): void | Promise<void> {
    const { envelope } = frame;
    if (envelope.kind === "response" && envelope.id !== null && this.#options.own.answered(envelope.id, frame)) return;
    if (envelope.kind === "notification" && envelope.method === CANCEL && this.#cancelled(frame)) return;
    if (this.#options.claims.some(claims => claims.areMade && claims.claim(frame, envelope, this))) return;
    switch (envelope.kind) {
      case "request":
        return this.#requested(frame, envelope);
      case "notification":
        return this.#notified(frame, envelope.method);
      case "response":
        return this.#answered(frame, envelope.id);
    }
  }

  #requested(frame: Frame, envelope: Envelope & { kind: "request" }): void | Promise<void> {
    const interceptor = this.#requests.get(envelope.method);
    if (!interceptor) return this.#queue.take(frame);
    const request = this.inspect(frame, envelope);
    this.#open.set(request.id, request);
    return this.#queue.take(hold => request.begin(interceptor, hold));
  }

  #notified(frame: Frame, method: string): void | Promise<void> {
    const interceptor = this.#notifications.get(method);
    return this.#queue.take(
      interceptor ? hold => passNotification(frame, method, interceptor, this.#ways, hold) : frame,
    );
  }

  #answered(frame: Frame, id: Id | null): void | Promise<void> {
    const request = id === null ? undefined : this.#expected.get(id);
    if (!request) return this.#queue.take(frame);
    this.#expected.delete(request.id);
    return this.#queue.take(hold => request.answered(frame, hold));
  }

  /** Returns true if the cancellation was for the proxy. Any other cancellation is forwarded in its turn. */
  #cancelled(frame: Frame): boolean {
    const id = cancelledId(frame),
      request = id === undefined ? undefined : this.#open.get(id);
    if (request?.abort()) this.#queue.send(frame);
    return request !== undefined;
  }
}

function isMade(claims: Claims): boolean {
  return claims.areMade;
}

function cancelledId(frame: Frame): Id | undefined {
  const params = paramsOr(frame);
  const id: unknown = isObject(params) ? params.requestId : undefined;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

/** Undefined also if the params cannot be parsed; then the message is not for the proxy. */
export function paramsOr(frame: Frame): unknown {
  try {
    return "params" in frame.message ? frame.message.params : undefined;
  } catch (error) {
    if (error instanceof FrameError) return undefined;
    throw error;
  }
}
