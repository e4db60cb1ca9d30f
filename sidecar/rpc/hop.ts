/**
 * The boundary between a connection, where each side numbers its own requests, and a chain, where every request has an
 * id of its own, whoever made it: an id that comes in is replaced, and put back when the answer leaves.
 *
 * A connection with a proxy carries two conversations: what the proxy has with its client, as it is, and what it has
 * with its successor, in envelopes (successor.ts). Seen from either end that is `plain` and `wrapped`: two channels.
 *
 * Invariants: what nobody needs to read crosses as bytes; order is kept per direction, answers included;
 * `$/cancel_request` names the id of its own hop (schema v1 unstable, `ProxySuccessorRequest`: a cancellation is never
 * forwarded, each hop makes its own); when the connection ends, each request that waits for it is answered with an
 * error, each of its own is cancelled, and only then both channels close: a peer that died looks like one that took its
 * leave.
 */
import type { Channel, Closed, Receiver } from "./channel";
import { Frame, FrameError } from "./frame";
import { objectOr } from "./json";
import { RpcCode, type Id, type RpcErrorObject } from "./message";
import { isSuccessorMethod, type SuccessorMethod } from "./successor";

/** Makes the ids of requests: each once. */
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
  /** For the log: answers to nothing, envelopes without a message. */
  readonly odd: (what: string, detail: unknown) => void;
  /** The error for requests that the connection's end leaves unanswered. */
  readonly unanswered?: (reason: Closed) => RpcErrorObject;
  /** The connection has ended; what it leaves open is settled next. */
  readonly ended?: (reason: Closed) => void;
}

/** What every hop can do besides. */
export interface OpenRequests {
  /** Answers every request that came in and is not answered. */
  refuseOpen(error: RpcErrorObject): void;
}

/** A connection with one conversation: a client's, or an agent's. */
export function hop(channel: Channel, options: HopOptions): { readonly plain: Channel } & OpenRequests {
  return new Hop(channel, options, false);
}

export interface ProxyHop extends OpenRequests {
  /** With the proxy as its client sees it. */
  readonly plain: Channel;
  /** With the proxy as its successor sees it. */
  readonly wrapped: Channel;
  /**
   * How envelopes are spelled that are sent from now on: `proxy/successor` until told, or until the other side spells
   * it otherwise.
   */
  spell(method: SuccessorMethod): void;
  /** Resolves when the proxy has answered everything that its client asked, or the connection has ended. */
  answered(): Promise<void>;
}

/**
 * A connection with two conversations: a conductor's with a proxy, or a proxy's with its conductor. To dispose either
 * channel ends both.
 */
export function proxyHop(channel: Channel, options: HopOptions): ProxyHop {
  return new Hop(channel, options, true);
}

const CANCEL = "$/cancel_request";

type Side = "plain" | "wrapped";

/** A request that came in and is not answered. */
interface Asked {
  readonly side: Side /** As it came; bytes where a number would not be exact. */;
  readonly id: Id | Uint8Array;
}

class Hop implements ProxyHop {
  readonly plain: Channel;
  readonly wrapped: Channel;
  readonly #channel: Channel;
  readonly #options: HopOptions;
  readonly #isProxy: boolean;
  readonly #receivers: Partial<Record<Side, Receiver>> = {};
  readonly #asked = new Map<number, Asked>();
  /** Requests that went out and are not answered. */
  readonly #pending = new Map<number, Side>();
  /** Who waits until `plain` has none of them. */
  readonly #waiting: (() => void)[] = [];
  #spelling: SuccessorMethod = "proxy/successor";
  #closed: Closed | undefined;

  constructor(channel: Channel, options: HopOptions, isProxy: boolean) {
    this.#channel = channel;
    this.#options = options;
    this.#isProxy = isProxy;
    this.plain = this.#side("plain");
    this.wrapped = this.#side("wrapped");
  }

  spell(method: SuccessorMethod): void {
    this.#spelling = method;
  }

  answered(): Promise<void> {
    return new Promise(resolve => {
      this.#waiting.push(resolve);
      this.#tellAnswered();
    });
  }

  refuseOpen(error: RpcErrorObject): void {
    for (const id of [...this.#asked.keys()]) this.#answer(failure(id, error), id);
  }

  #side(side: Side): Channel {
    return {
      start: receiver => this.#start(side, receiver),
      send: frame => this.#send(side, frame),
      drained: () => this.#channel.drained(),
      [Symbol.asyncDispose]: () => this.#channel[Symbol.asyncDispose](),
    };
  }

  /** Delivery begins when every conversation has its receiver. */
  #start(side: Side, receiver: Receiver): void {
    if (this.#receivers[side]) throw new Error("a channel is started once");
    this.#receivers[side] = receiver;
    if (this.#isProxy && !(this.#receivers.plain && this.#receivers.wrapped)) return;
    this.#channel.start({ receive: frame => this.#receive(frame), closed: reason => this.#close(reason) });
  }

  #send(side: Side, frame: Frame): boolean {
    if (this.#closed) return true;
    const { envelope } = frame;
    if (envelope.kind === "response") return this.#answer(frame, envelope.id);
    if (envelope.kind === "request") this.#pending.set(Number(envelope.id), side);
    else if (envelope.method === CANCEL) return this.#cancel(side, frame);
    return this.#channel.send(side === "wrapped" ? frame.wrapped(this.#spelling) : frame);
  }

  #answer(frame: Frame, id: Id | null): boolean {
    const asked = typeof id === "number" ? this.#asked.get(id) : undefined;
    if (!asked) {
      this.#odd("an answer to a request that was answered before, or never made", frame);
      return true;
    }
    this.#asked.delete(Number(id));
    return this.#channel.send(frame.withId(asked.id));
  }

  /**
   * The older spelling puts the cancellation of a message in an envelope into one, too. What was answered already is
   * not cancelled.
   */
  #cancel(side: Side, frame: Frame): boolean {
    const id = requestIdIn(frame);
    if (typeof id !== "number" || this.#pending.get(id) !== side) return true;
    return this.#channel.send(
      side === "wrapped" && this.#spelling === "_proxy/successor" ? frame.wrapped(this.#spelling) : frame,
    );
  }

  #receive(frame: Frame): void | Promise<void> {
    const { envelope } = frame;
    switch (envelope.kind) {
      case "response":
        return this.#answered(frame, envelope.id);
      case "notification":
        if (envelope.method === CANCEL) return this.#cancelled(frame);
        if (!this.#isEnvelope(envelope.method)) return this.#deliver("plain", frame);
        return this.#opened(frame, undefined);
      case "request":
        if (this.#isEnvelope(envelope.method)) return this.#opened(frame, envelope.id);
        return this.#deliver("plain", frame.withId(this.#ask("plain", frame, envelope.id)));
    }
  }

  #isEnvelope(method: string): boolean {
    return this.#isProxy && isSuccessorMethod(method);
  }

  #ask(side: Side, frame: Frame, id: Id): number {
    const own = this.#options.ids.next();
    // A copy: the bytes are a part of a chunk that would be kept as long as the request is open.
    this.#asked.set(own, {
      side,
      id: typeof id === "string" || Number.isSafeInteger(id) ? id : Buffer.from(frame.idBytes),
    });
    return own;
  }

  /** A message in an envelope; `id` is that of the request, if it is one. */
  #opened(frame: Frame, id: Id | undefined): void | Promise<void> {
    const own = id === undefined ? undefined : this.#ask("wrapped", frame, id);
    let inside: Frame;
    try {
      inside = frame.unwrapped(own);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.#odd("an envelope without a message", frame);
      if (own !== undefined)
        this.#answer(
          failure(own, { code: RpcCode.invalidParams, message: `The envelope was not understood: ${error.message}.` }),
          own,
        );
      return;
    }
    if (own === undefined && inside.envelope.kind === "notification" && inside.envelope.method === CANCEL)
      return this.#cancelled(inside);
    return this.#deliver("wrapped", inside);
  }

  #answered(frame: Frame, id: Id | null): void | Promise<void> {
    const side = typeof id === "number" ? this.#pending.get(id) : undefined;
    if (!side) return this.#odd("an answer to a request that was answered before, or never made", frame);
    this.#pending.delete(Number(id));
    const busy = this.#deliver(side, frame);
    if (this.#waiting.length > 0) this.#tellAnswered();
    return busy;
  }

  #tellAnswered(): void {
    if (![...this.#pending.values()].includes("plain")) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Names a request as the other side numbered it; the newest of that id, should it have used it twice. */
  #cancelled(frame: Frame): void | Promise<void> {
    const id = requestIdIn(frame);
    const found = [...this.#asked].findLast(
      ([, asked]) =>
        asked.id === id || (asked.id instanceof Uint8Array && Number(Buffer.from(asked.id).toString()) === id),
    );
    if (found) return this.#deliver(found[1].side, cancellation(found[0])); // else answered already: they crossed
  }

  #deliver(side: Side, frame: Frame): void | Promise<void> {
    return this.#receivers[side]?.receive(frame);
  }

  #close(reason: Closed): void {
    this.#closed = reason;
    this.#options.ended?.(reason);
    const error = this.#options.unanswered?.(reason) ?? { code: RpcCode.internalError, message: reason.message };
    for (const [id, side] of this.#pending) void this.#deliver(side, failure(id, error));
    for (const [id, { side }] of this.#asked) void this.#deliver(side, cancellation(id));
    this.#pending.clear();
    this.#asked.clear();
    this.#tellAnswered();
    this.#receivers.plain?.closed(reason);
    this.#receivers.wrapped?.closed(reason);
  }

  #odd(what: string, frame: Frame): void {
    this.#options.odd(what, Buffer.from(frame.bytes.subarray(0, EXCERPT)).toString());
  }
}

/** Bytes of an odd message for the log. */
const EXCERPT = 500;

export function cancellation(requestId: number): Frame {
  return Frame.of({ jsonrpc: "2.0", method: CANCEL, params: { requestId } });
}

export function failure(id: number, error: RpcErrorObject): Frame {
  return Frame.of({ jsonrpc: "2.0", id, error });
}

/** Undefined also when the params, into which nobody has looked before, are not JSON. */
function requestIdIn(frame: Frame): unknown {
  try {
    const { message } = frame;
    return "params" in message ? objectOr(message.params).requestId : undefined;
  } catch (error) {
    if (error instanceof FrameError) return undefined;
    throw error;
  }
}
