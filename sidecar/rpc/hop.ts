/**
 * The boundary between a connection and a chain. On a connection, each side numbers its own requests. In a chain, every
 * request id is unique. A hop replaces the id of an incoming request and restores the original id in the response.
 *
 * A connection to a proxy multiplexes two channels. `plain` carries messages between the proxy and its client,
 * unchanged. `wrapped` carries messages between the proxy and its successor, in envelopes (proxy-envelope.ts).
 *
 * Invariants:
 * - A message that is not inspected is forwarded as bytes.
 * - Order is preserved per direction, including responses.
 * - A cancellation is never forwarded: each hop sends its own `$/cancel_request` with the id on its own connection
 *   (schema v1 unstable, `ProxySuccessorRequest`).
 * - When the connection closes, pending outgoing requests fail and pending incoming requests are cancelled. Only then
 *   do both channels close. A crash therefore has the same effect as an orderly close.
 */
import { PROTOCOL_METHODS, type ProxyDialect } from "../acp/methods";
import type { Channel, Closed, Receiver } from "./channel";
import { Frame, FrameError } from "./frame";
import { objectOr } from "./json";
import { RpcCode, type Id, type RpcErrorObject } from "./message";
import { isSuccessorMethod } from "./proxy-envelope";

/** Generates unique request ids. */
export interface Ids {
  next(): number;
}

export function countingIds(): Ids {
  let last = 0;
  return { next: () => ++last };
}

export interface HopOptions {
  /** Shared by all hops and stages of a chain. */
  readonly ids: Ids;
  /** Reports protocol violations for the log: responses without a request, envelopes without a message. */
  readonly onWarning: (what: string, detail: unknown) => void;
  /** Returns the error for requests that are pending when the connection closes. */
  readonly unanswered?: (reason: Closed) => RpcErrorObject;
  /** Called when the connection has closed, before its pending requests are settled. */
  readonly ended?: (reason: Closed) => void;
}

export interface OpenRequests {
  /** Fails every pending incoming request with this error. */
  refuseOpen(error: RpcErrorObject): void;
}

/** Creates a hop with one channel, to a client or to an agent. */
export function hop(channel: Channel, options: HopOptions): { readonly plain: Channel } & OpenRequests {
  return new Hop(channel, options, false);
}

export interface ProxyHop extends OpenRequests {
  /** Messages between the proxy and its client. */
  readonly plain: Channel;
  /** Messages between the proxy and its successor. */
  readonly wrapped: Channel;
  /** Sets the dialect of outgoing envelopes. Defaults to `proxy`. */
  spell(dialect: ProxyDialect): void;
  /** Resolves when the proxy has answered all requests of its client, or when the connection has closed. */
  answered(): Promise<void>;
}

/**
 * Creates a hop with two channels. A conductor uses one for each proxy, and a proxy uses one for its conductor.
 * Disposing either channel closes both.
 */
export function proxyHop(channel: Channel, options: HopOptions): ProxyHop {
  return new Hop(channel, options, true);
}

const CANCEL = PROTOCOL_METHODS.cancel_request;

type Side = "plain" | "wrapped";

/** A pending incoming request. */
interface PendingRequest {
  readonly side: Side;
  /** As received; bytes if a number would not be exact. */
  readonly id: Id | Uint8Array;
}

class Hop implements ProxyHop {
  readonly plain: Channel;
  readonly wrapped: Channel;
  readonly #channel: Channel;
  readonly #options: HopOptions;
  readonly #isProxy: boolean;
  readonly #receivers: Partial<Record<Side, Receiver>> = {};
  /** Pending incoming requests, by the id assigned here. */
  readonly #incoming = new Map<number, PendingRequest>();
  /** Pending outgoing requests, by id. */
  readonly #outgoing = new Map<number, Side>();
  /** Callers that wait until no request of `plain` is pending. */
  readonly #waiting: (() => void)[] = [];
  #dialect: ProxyDialect = "proxy";
  #closed: Closed | undefined;

  constructor(channel: Channel, options: HopOptions, isProxy: boolean) {
    this.#channel = channel;
    this.#options = options;
    this.#isProxy = isProxy;
    this.plain = this.#side("plain");
    this.wrapped = this.#side("wrapped");
  }

  spell(dialect: ProxyDialect): void {
    this.#dialect = dialect;
  }

  answered(): Promise<void> {
    return new Promise(resolve => {
      this.#waiting.push(resolve);
      this.#notifyAnswered();
    });
  }

  refuseOpen(error: RpcErrorObject): void {
    for (const id of [...this.#incoming.keys()]) this.#respond(failure(id, error), id);
  }

  #side(side: Side): Channel {
    return {
      start: receiver => this.#start(side, receiver),
      send: frame => this.#send(side, frame),
      drained: () => this.#channel.drained(),
      [Symbol.asyncDispose]: () => this.#channel[Symbol.asyncDispose](),
    };
  }

  /** Delivery starts when every channel has a receiver. */
  #start(side: Side, receiver: Receiver): void {
    if (this.#receivers[side]) throw new Error("a channel can be started only once");
    this.#receivers[side] = receiver;
    if (this.#isProxy && !(this.#receivers.plain && this.#receivers.wrapped)) return;
    this.#channel.start({ receive: frame => this.#receive(frame), closed: reason => this.#close(reason) });
  }

  #send(side: Side, frame: Frame): boolean {
    if (this.#closed) return true;
    const { envelope } = frame;
    if (envelope.kind === "response") return this.#respond(frame, envelope.id);
    if (envelope.kind === "request") this.#outgoing.set(Number(envelope.id), side);
    else if (envelope.method === CANCEL) return this.#cancel(side, frame);
    return this.#channel.send(side === "wrapped" ? frame.wrapped(this.#dialect) : frame);
  }

  #respond(frame: Frame, id: Id | null): boolean {
    const own = typeof id === "number" ? this.#incoming.get(id) : undefined;
    if (!own) {
      this.#onWarning("a response to a request that was answered before, or never made", frame);
      return true;
    }
    this.#incoming.delete(Number(id));
    return this.#channel.send(frame.withId(own.id));
  }

  /**
   * The `_proxy` dialect also wraps the cancellation of a wrapped request. A cancellation of a settled request is
   * dropped.
   */
  #cancel(side: Side, frame: Frame): boolean {
    const id = requestIdIn(frame);
    if (typeof id !== "number" || this.#outgoing.get(id) !== side) return true;
    return this.#channel.send(side === "wrapped" && this.#dialect === "_proxy" ? frame.wrapped(this.#dialect) : frame);
  }

  #receive(frame: Frame): void | Promise<void> {
    const { envelope } = frame;
    switch (envelope.kind) {
      case "response":
        return this.#receiveResponse(frame, envelope.id);
      case "notification":
        if (envelope.method === CANCEL) return this.#receiveCancellation(frame);
        if (!this.#isEnvelope(envelope.method)) return this.#deliver("plain", frame);
        return this.#receiveEnvelope(frame, undefined);
      case "request":
        if (this.#isEnvelope(envelope.method)) return this.#receiveEnvelope(frame, envelope.id);
        return this.#deliver("plain", frame.withId(this.#register("plain", frame, envelope.id)));
    }
  }

  #isEnvelope(method: string): boolean {
    return this.#isProxy && isSuccessorMethod(method);
  }

  #register(side: Side, frame: Frame, id: Id): number {
    const own = this.#options.ids.next();
    // Copied, because a slice would retain its whole chunk while the request is pending.
    this.#incoming.set(own, {
      side,
      id: typeof id === "string" || Number.isSafeInteger(id) ? id : Buffer.from(frame.idBytes),
    });
    return own;
  }

  /** Handles a message in an envelope. `id` is the request's id; undefined for a notification. */
  #receiveEnvelope(frame: Frame, id: Id | undefined): void | Promise<void> {
    const own = id === undefined ? undefined : this.#register("wrapped", frame, id);
    let inside: Frame;
    try {
      inside = frame.unwrapped(own);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.#onWarning("an envelope without a message", frame);
      if (own !== undefined)
        this.#respond(
          failure(own, { code: RpcCode.invalidParams, message: `The envelope is invalid: ${error.message}.` }),
          own,
        );
      return;
    }
    if (own === undefined && inside.envelope.kind === "notification" && inside.envelope.method === CANCEL)
      return this.#receiveCancellation(inside);
    return this.#deliver("wrapped", inside);
  }

  #receiveResponse(frame: Frame, id: Id | null): void | Promise<void> {
    const side = typeof id === "number" ? this.#outgoing.get(id) : undefined;
    if (!side) return this.#onWarning("a response to a request that was answered before, or never made", frame);
    this.#outgoing.delete(Number(id));
    const busy = this.#deliver(side, frame);
    if (this.#waiting.length > 0) this.#notifyAnswered();
    return busy;
  }

  #notifyAnswered(): void {
    if (![...this.#outgoing.values()].includes("plain")) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /**
   * The cancellation uses the id assigned by the other side. If that id was used twice, the newest request is
   * cancelled.
   */
  #receiveCancellation(frame: Frame): void | Promise<void> {
    const id = requestIdIn(frame);
    const found = [...this.#incoming].findLast(
      ([, own]) => own.id === id || (own.id instanceof Uint8Array && Number(Buffer.from(own.id).toString()) === id),
    );
    // otherwise the response crossed the cancellation
    if (found) return this.#deliver(found[1].side, cancellation(found[0]));
  }

  #deliver(side: Side, frame: Frame): void | Promise<void> {
    return this.#receivers[side]?.receive(frame);
  }

  #close(reason: Closed): void {
    this.#closed = reason;
    this.#options.ended?.(reason);
    const error = this.#options.unanswered?.(reason) ?? { code: RpcCode.internalError, message: reason.message };
    for (const [id, side] of this.#outgoing) void this.#deliver(side, failure(id, error));
    for (const [id, { side }] of this.#incoming) void this.#deliver(side, cancellation(id));
    this.#outgoing.clear();
    this.#incoming.clear();
    this.#notifyAnswered();
    this.#receivers.plain?.closed(reason);
    this.#receivers.wrapped?.closed(reason);
  }

  #onWarning(what: string, frame: Frame): void {
    this.#options.onWarning(what, Buffer.from(frame.bytes.subarray(0, EXCERPT)).toString());
  }
}

/** Maximum number of bytes of an invalid message in the log. */
const EXCERPT = 500;

export function cancellation(requestId: number): Frame {
  return Frame.of({ jsonrpc: "2.0", method: CANCEL, params: { requestId } });
}

export function failure(id: number, error: RpcErrorObject): Frame {
  return Frame.of({ jsonrpc: "2.0", id, error });
}

/** Returns undefined if the params, which are parsed here for the first time, are not JSON. */
function requestIdIn(frame: Frame): unknown {
  try {
    const { message } = frame;
    return "params" in message ? objectOr(message.params).requestId : undefined;
  } catch (error) {
    if (error instanceof FrameError) return undefined;
    throw error;
  }
}
