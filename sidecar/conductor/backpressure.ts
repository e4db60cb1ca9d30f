/**
 * Back-pressure for one direction of a chain with external proxies. A proxy writes the messages of both directions to
 * one pipe. Pausing the pipe for a slow receiver would also stall the other direction, and two such proxies could
 * deadlock. The pipe is therefore always read, and the source at the end of the chain is paused instead.
 *
 * Invariants:
 * - `push` preserves order and drops no frame.
 * - The source is paused while any receiving channel is full.
 * - The buffer of this process is bounded by the content of the proxies' pipes.
 * - If a proxy generates further messages, reading from it pauses after `limit` bytes. Such a proxy can block the chain
 *   but not exhaust memory.
 */
import type { Channel } from "../rpc/channel";
import type { Frame } from "../rpc/frame";

/** Exceeds the capacity of the pipes and the largest known message of an agent. */
const LIMIT_BYTES = 64 * 1024 * 1024;

export class Backpressure {
  /** Full channels, and the number of bytes pushed to each since it filled. */
  readonly #full = new Map<Channel, number>();
  #pause: { readonly over: Promise<void>; readonly end: () => void } | undefined;

  constructor(private readonly limit = LIMIT_BYTES) {}

  /** Forwards a frame from a proxy. Above the limit, returns a promise that pauses the proxy. */
  push(frame: Frame, to: Channel): void | Promise<void> {
    const buffered = this.#full.get(to);
    if (buffered === undefined) return to.send(frame) ? undefined : this.#block(to, sizeOf(frame));
    to.send(frame);
    const now = buffered + sizeOf(frame);
    this.#full.set(to, now);
    if (now > this.limit) return to.drained();
  }

  /** Combines `own` with the pause of this direction. The source waits for the result. */
  paused(own: void | Promise<void>): void | Promise<void> {
    if (!this.#pause) return own;
    return own ? Promise.all([own, this.#pause.over]).then(() => undefined) : this.#pause.over;
  }

  #block(channel: Channel, bytes: number): void {
    this.#full.set(channel, bytes);
    this.#pause ??= pause();
    void channel.drained().then(() => this.#unblock(channel));
  }

  #unblock(channel: Channel): void {
    this.#full.delete(channel);
    if (this.#full.size > 0) return;
    this.#pause?.end();
    this.#pause = undefined;
  }
}

/** Size in bytes. Frames from a proxy are already serialised. */
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
