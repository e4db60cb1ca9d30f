/**
 * Two connected channels in memory. Frames are passed by reference in a later microtask and never serialised.
 *
 * Invariants:
 * - Order is preserved.
 * - A frame is delivered after the receiver has handled the previous frame.
 * - `send` returns false while `HIGH_WATER_MARK` or more frames are queued at the other end.
 * - When one end is disposed, its sent frames are delivered before the other end closes.
 */
import type { Channel, Closed, Receiver } from "./channel";
import { Frame } from "./frame";

/** Number of queued frames from which `send` returns false. */
const HIGH_WATER_MARK = 64;

export function memoryChannels(): [Channel, Channel] {
  const left: MemoryEnd = new MemoryEnd(() => right);
  const right: MemoryEnd = new MemoryEnd(() => left);
  return [left, right];
}

type State =
  | { readonly kind: "waiting" }
  | { readonly kind: "idle" | "delivering"; readonly receiver: Receiver }
  | { readonly kind: "closed"; readonly reason: Closed };

class MemoryEnd implements Channel {
  readonly #peer: () => MemoryEnd;
  #state: State = { kind: "waiting" };
  /** Received frames, then the close reason of the other side, if it has closed. */
  readonly #inbox: (Frame | Closed)[] = [];
  readonly #senders: (() => void)[] = [];

  constructor(peer: () => MemoryEnd) {
    this.#peer = peer;
  }

  start(receiver: Receiver): void {
    const state = this.#state;
    if (state.kind === "closed") return queueMicrotask(() => receiver.closed(state.reason));
    if (state.kind !== "waiting") throw new Error("a channel can be started only once");
    this.#state = { kind: "idle", receiver };
    this.#wake();
  }

  send(frame: Frame): boolean {
    return this.#state.kind === "closed" || this.#peer().#accept(frame);
  }

  drained(): Promise<void> {
    const end = this.#peer();
    if (this.#state.kind === "closed" || end.#inbox.length < HIGH_WATER_MARK) return Promise.resolve();
    return new Promise(resolve => end.#senders.push(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#state.kind === "closed") return;
    this.#close({ message: "The connection was closed." });
    this.#peer().#accept({ message: "The other side closed the connection." });
  }

  #accept(item: Frame | Closed): boolean {
    if (this.#state.kind === "closed") return true;
    this.#inbox.push(item);
    this.#wake();
    return this.#inbox.length < HIGH_WATER_MARK;
  }

  #wake(): void {
    if (this.#state.kind !== "idle" || this.#inbox.length === 0) return;
    const { receiver } = this.#state;
    this.#state = { kind: "delivering", receiver };
    queueMicrotask(() => void this.#deliver(receiver)); // never within the sender's call
  }

  async #deliver(receiver: Receiver): Promise<void> {
    try {
      for (let item = this.#inbox.shift(); item; item = this.#inbox.shift()) {
        if (this.#inbox.length < HIGH_WATER_MARK) this.#releaseSenders();
        if (!(item instanceof Frame)) return this.#close(item);
        const busy = receiver.receive(item);
        if (busy) await busy;
      }
    } catch (cause) {
      return this.#fail(cause);
    }
    if (this.#state.kind === "delivering") this.#state = { kind: "idle", receiver };
  }

  /** A receiver that throws has a bug. Both ends close, so that neither waits forever. */
  #fail(cause: unknown): void {
    this.#close({ message: "A message could not be handled.", cause });
    this.#peer().#accept({ message: "The other side could not handle a message.", cause });
  }

  #close(reason: Closed): void {
    const state = this.#state;
    if (state.kind === "closed") return;
    this.#state = { kind: "closed", reason };
    this.#inbox.length = 0;
    this.#releaseSenders();
    for (const resolve of this.#peer().#senders.splice(0)) resolve(); // senders that wait at this end
    if (state.kind !== "waiting") state.receiver.closed(reason);
  }

  #releaseSenders(): void {
    for (const resolve of this.#senders.splice(0)) resolve();
  }
}
