/**
 * What comes from one neighbour of a proxy, on its way to the other: sorts frames into what passes, what an interceptor
 * gets, what answers the proxy itself, and what is meant for it.
 *
 * Invariants: what nobody asked to see leaves as the frame that came, in its turn; answers to the proxy's own requests
 * and cancellations of what it has in its hands are heard at once, whatever is held.
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

/** Takes what is meant for the proxy itself: at once, and out of turn. */
export interface Claims {
  /** False while nothing can be: then nothing is shown to it. */
  readonly areMade: boolean;
  /** True when it was taken. Requests are answered through the direction. */
  claim(frame: Frame, envelope: Envelope, direction: Router): boolean;
}

export interface DirectionOptions {
  /** As the user knows the proxy. */
  readonly name: string;
  readonly interceptors: Interceptors | undefined;
  /** Leads to the other neighbour. */
  readonly lane: DirectionQueue;
  /** The proxy's own requests to the neighbour whose messages come here. */
  readonly own: OwnRequests;
  /** In the order in which they are asked. */
  readonly claims: readonly Claims[];
  readonly opposite: () => Router;
  closed(reason: Closed): void;
  odd(what: string, detail: unknown): void;
}

const CANCEL = "$/cancel_request";

export class Router implements Receiver {
  readonly #options: DirectionOptions;
  readonly #lane: DirectionQueue;
  readonly #requests: ReadonlyMap<string, RequestInterceptor>;
  readonly #notifications: ReadonlyMap<string, NotificationInterceptor>;
  readonly #isWatched: boolean;
  /** Requests that came here and are the proxy's to answer. */
  readonly #open = new Map<Id, Interception>();
  /** Requests that went the other way after an interceptor had seen them: their answers come here. */
  readonly #expected = new Map<Id, Interception>();
  readonly #ways: Ways;

  constructor(options: DirectionOptions) {
    this.#options = options;
    this.#lane = options.lane;
    this.#requests = new Map(Object.entries(options.interceptors?.requests ?? {}));
    this.#notifications = new Map(Object.entries(options.interceptors?.notifications ?? {}));
    this.#isWatched = this.#requests.size + this.#notifications.size > 0;
    this.#ways = {
      name: options.name,
      onward: frame => this.#lane.send(frame),
      answer: (id, frame) => {
        options.opposite().#lane.send(frame);
        this.#open.delete(id);
      },
      expect: (id, request) => options.opposite().#expected.set(id, request),
      odd: options.odd,
    };
  }

  receive(frame: Frame): void | Promise<void> {
    return this.#isUnwatched() ? this.#lane.pass(frame) : this.#sort(frame);
  }

  closed(reason: Closed): void {
    this.#options.closed(reason);
  }

  /** What was kept until it was clear for whom it is: has its turn now. */
  again(frames: readonly Frame[]): void {
    for (const frame of frames) void this.#sort(frame); // the lane may fill up: what was kept is bounded
  }

  /** A request that came here, as somebody sees it who may claim it. */
  inspect(frame: Frame, envelope: Envelope & { kind: "request" }): Interception {
    return new Interception(frame, envelope, this.#ways);
  }

  /** Has a request answered by who claimed it. */
  serve(request: Interception, claimant: RequestInterceptor): void {
    this.#open.set(request.id, request);
    request.begin(claimant);
  }

  /** Who sends here is gone: its requests are withdrawn, and the proxy's own to it fail. */
  withdraw(reason: Closed): void {
    const error = new ConnectionClosed(reason);
    for (const request of [...this.#open.values()]) request.abort(error);
    this.#options.own.close(reason);
  }

  /** What came leaves, whoever holds it up; what was passed on to who is gone fails. */
  flush(reason: Closed): void {
    this.#lane.flush();
    for (const request of [...this.#expected.values()]) request.unanswered(new ConnectionClosed(reason));
    this.#expected.clear();
  }

  /** Nothing is waited for any more; who asked and has no answer gets an error. */
  end(reason: Closed): void {
    this.withdraw(reason);
    this.flush(reason);
    for (const request of [...this.#open.values()]) request.end(new ConnectionClosed(reason));
  }

  #isUnwatched(): boolean {
    return (
      !this.#isWatched &&
      this.#lane.isFree &&
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
    if (!interceptor) return this.#lane.take(frame);
    const request = this.inspect(frame, envelope);
    this.#open.set(request.id, request);
    return this.#lane.take(hold => request.begin(interceptor, hold));
  }

  #notified(frame: Frame, method: string): void | Promise<void> {
    const interceptor = this.#notifications.get(method);
    return this.#lane.take(
      interceptor ? hold => passNotification(frame, method, interceptor, this.#ways, hold) : frame,
    );
  }

  #answered(frame: Frame, id: Id | null): void | Promise<void> {
    const request = id === null ? undefined : this.#expected.get(id);
    if (!request) return this.#lane.take(frame);
    this.#expected.delete(request.id);
    return this.#lane.take(hold => request.answered(frame, hold));
  }

  /** True when it was meant for the proxy; what the proxy has not in its hands is cancelled in its turn. */
  #cancelled(frame: Frame): boolean {
    const id = cancelledId(frame),
      request = id === undefined ? undefined : this.#open.get(id);
    if (request?.abort()) this.#lane.send(frame);
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

/** Undefined also where they cannot be read: then they are nobody's here. */
export function paramsOr(frame: Frame): unknown {
  try {
    return "params" in frame.message ? frame.message.params : undefined;
  } catch (error) {
    if (error instanceof FrameError) return undefined;
    throw error;
  }
}
