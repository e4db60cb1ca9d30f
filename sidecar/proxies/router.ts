/**
 * Routes the frames from one neighbour of a proxy: to the other neighbour, to an interceptor, or to the proxy itself.
 *
 * Invariants:
 * - A message that is not intercepted is forwarded in order, as the received frame.
 * - Responses to the proxy's own requests, and cancellations of requests that it holds, bypass all holds.
 */
import type { Closed, Receiver } from "../rpc/channel";
import { FrameError, type Envelope, type Frame } from "../rpc/frame";
import { isObject } from "../rpc/json";
import type { Id } from "../rpc/message";
import { ConnectionClosed } from "../rpc/peer";
import type { DirectionQueue } from "./direction-queue";
import type { OwnRequests } from "./own-requests";
import { Interception, passNotification, type InterceptorOutputs } from "./intercepted-message";
import type { Interceptors, NotificationInterceptor, RequestInterceptor } from "./proxy";
import { PROTOCOL_METHODS } from "../acp/methods";

/** Handles messages for the proxy itself, immediately and out of order. */
export interface Claimant {
  /** `claim` is called only while this is true. False while no message can be for the proxy. */
  readonly areMade: boolean;
  /** Returns true if the frame is handled here. Requests are answered through the router. */
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
  /** In the order in which they are called. */
  readonly claims: readonly Claimant[];
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
  readonly #hasInterceptors: boolean;
  /** Requests from this neighbour that the proxy has not answered. */
  readonly #open = new Map<Id, Interception>();
  /** Intercepted requests that were sent in the opposite direction. Their responses arrive here. */
  readonly #expected = new Map<Id, Interception>();
  readonly #ways: InterceptorOutputs;

  constructor(options: DirectionOptions) {
    this.#options = options;
    this.#queue = options.queue;
    this.#requests = new Map(Object.entries(options.interceptors?.requests ?? {}));
    this.#notifications = new Map(Object.entries(options.interceptors?.notifications ?? {}));
    this.#hasInterceptors = this.#requests.size + this.#notifications.size > 0;
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
    return this.#canForward() ? this.#queue.pass(frame) : this.#route(frame);
  }

  closed(reason: Closed): void {
    this.#options.closed(reason);
  }

  /** Routes frames that a claimant buffered until their recipient was known. */
  again(frames: readonly Frame[]): void {
    for (const frame of frames) void this.#route(frame); // ignores back-pressure: the buffer is bounded
  }

  /** Creates an interception of an incoming request, which a claimant may inspect. */
  inspect(frame: Frame, envelope: Envelope & { kind: "request" }): Interception {
    return new Interception(frame, envelope, this.#ways);
  }

  /** Answers a request with the interceptor of a claimant. */
  serve(request: Interception, claimant: RequestInterceptor): void {
    this.#open.set(request.id, request);
    request.begin(claimant);
  }

  /** Called when the sender has disconnected. Aborts its requests and rejects the proxy's own requests to it. */
  withdraw(reason: Closed): void {
    const error = new ConnectionClosed(reason);
    for (const request of [...this.#open.values()]) request.abort(error);
    this.#options.own.close(reason);
  }

  /**
   * Sends all queued frames despite any hold, and rejects requests that were forwarded to the disconnected neighbour.
   */
  flush(reason: Closed): void {
    this.#queue.flush();
    for (const request of [...this.#expected.values()]) request.unanswered(new ConnectionClosed(reason));
    this.#expected.clear();
  }

  /** Settles all pending requests with an error. */
  end(reason: Closed): void {
    this.withdraw(reason);
    this.flush(reason);
    for (const request of [...this.#open.values()]) request.end(new ConnectionClosed(reason));
  }

  #canForward(): boolean {
    return (
      !this.#hasInterceptors &&
      this.#queue.isFree &&
      this.#expected.size === 0 &&
      this.#open.size === 0 &&
      !this.#options.own.areOpen &&
      !this.#options.claims.some(isActive)
    );
  }

  #route(frame: Frame): void | Promise<void> {
    const { envelope } = frame;
    if (envelope.kind === "response" && envelope.id !== null && this.#options.own.answered(envelope.id, frame)) return;
    if (envelope.kind === "notification" && envelope.method === CANCEL && this.#receiveCancellation(frame)) return;
    if (this.#options.claims.some(claims => claims.areMade && claims.claim(frame, envelope, this))) return;
    switch (envelope.kind) {
      case "request":
        return this.#receiveRequest(frame, envelope);
      case "notification":
        return this.#receiveNotification(frame, envelope.method);
      case "response":
        return this.#receiveResponse(frame, envelope.id);
    }
  }

  #receiveRequest(frame: Frame, envelope: Envelope & { kind: "request" }): void | Promise<void> {
    const interceptor = this.#requests.get(envelope.method);
    if (!interceptor) return this.#queue.take(frame);
    const request = this.inspect(frame, envelope);
    this.#open.set(request.id, request);
    return this.#queue.take(hold => request.begin(interceptor, hold));
  }

  #receiveNotification(frame: Frame, method: string): void | Promise<void> {
    const interceptor = this.#notifications.get(method);
    return this.#queue.take(
      interceptor ? hold => passNotification(frame, method, interceptor, this.#ways, hold) : frame,
    );
  }

  #receiveResponse(frame: Frame, id: Id | null): void | Promise<void> {
    const request = id === null ? undefined : this.#expected.get(id);
    if (!request) return this.#queue.take(frame);
    this.#expected.delete(request.id);
    return this.#queue.take(hold => request.answered(frame, hold));
  }

  /** Returns true if the proxy holds the cancelled request. Any other cancellation is forwarded in order. */
  #receiveCancellation(frame: Frame): boolean {
    const id = cancelledId(frame),
      request = id === undefined ? undefined : this.#open.get(id);
    if (request?.abort()) this.#queue.send(frame);
    return request !== undefined;
  }
}

function isActive(claims: Claimant): boolean {
  return claims.areMade;
}

function cancelledId(frame: Frame): Id | undefined {
  const params = paramsOr(frame);
  const id: unknown = isObject(params) ? params.requestId : undefined;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

/** Returns undefined for params that cannot be parsed, too: such a message is not for the proxy. */
export function paramsOr(frame: Frame): unknown {
  try {
    return "params" in frame.message ? frame.message.params : undefined;
  } catch (error) {
    if (error instanceof FrameError) return undefined;
    throw error;
  }
}
