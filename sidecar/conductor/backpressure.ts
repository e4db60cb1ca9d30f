/**
 * Back-pressure for one direction of a chain with external proxies. A proxy has one pipe to us for both directions. If
 * that pipe were not read because one direction is behind, the other would stall too, and two such proxies could
 * deadlock. A proxy is therefore always read; if that brings too much, the end of the chain that sends it is paused.
 *
 * Invariants:
 * - `push` keeps order and loses nothing.
 * - The source waits while any channel that received a push is behind.
 * - The frames buffered in this process are those that were in the pipes of the proxies.
 * - A proxy that generates more by itself is not read after `limit` bytes. It may block the chain but not exhaust
 *   memory.
 */
import type { Channel } from "../rpc/channel";
import type { Frame } from "../rpc/frame";

/** Exceeds the capacity of the pipes and the largest known message of an agent. */
const LIMIT_BYTES = 64 * 1024 * 1024;

export class Backpressure {
  /** Channels that are behind, and the bytes pushed to each since. */
  readonly #behind = new Map<Channel, number>();
  #pause: { readonly over: Promise<void>; readonly end: () => void } | undefined;

  constructor(private readonly limit = LIMIT_BYTES) {}

  /** Forwards a frame from a proxy. Returns a promise to pause the proxy when it exceeds the limit. */
  push(frame: Frame, to: Channel): void | Promise<void> {
    const held = this.#behind.get(to);
    if (held === undefined) return to.send(frame) ? undefined : this.#fallsBehind(to, sizeOf(frame));
    to.send(frame);
    const now = held + sizeOf(frame);
    this.#behind.set(to, now);
    if (now > this.limit) return to.drained();
  }

  /** Combines `own` with the pause of this direction; the source waits for the result. */
  paused(own: void | Promise<void>): void | Promise<void> {
    if (!this.#pause) return own;
    return own ? Promise.all([own, this.#pause.over]).then(() => undefined) : this.#pause.over;
  }

  #fallsBehind(channel: Channel, bytes: number): void {
    this.#behind.set(channel, bytes);
    this.#pause ??= pause();
    void channel.drained().then(() => this.#caughtUp(channel));
  }

  #caughtUp(channel: Channel): void {
    this.#behind.delete(channel);
    if (this.#behind.size > 0) return;
    this.#pause?.end();
    this.#pause = undefined;
  }
}

/** Bytes. Frames from a proxy are bytes already. */
function sizeOf({ pieces }: Frame): number {
  return pieces.reduce((size, { length }) => size + length, 0);
}

function pause(): { readonly over: Promise<void>; readonly end: () => void } {
  let end = (): void => undefined;
  const over = new Promise<void>(resolve => {
    end = resolve;
  });
  return { over, end };
}
