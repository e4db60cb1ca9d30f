/**
 * One direction of a chain, as far as external proxies carry it. A proxy has one pipe to us for both directions: were
 * it not read because one of them is behind, the other would stand still, too, and two such proxies would wait for each
 * other for ever. So a proxy is read, and where that brings too much, the chain's end from which it comes is not.
 *
 * Invariants: `push` keeps order and loses nothing; the source waits while anything that was pushed to is behind. What
 * waits then in this process is what was in the pipes of the proxies. A proxy that makes more out of nothing is not
 * read either after `limit` bytes: it may block the chain, but not fill this process.
 */
import type { Channel } from "../rpc/channel";
import type { Frame } from "../rpc/frame";

/** More than what fits in pipes, and than any message that an agent is known to send. */
const LIMIT_BYTES = 64 * 1024 * 1024;

export class Backpressure {
  /** Channels that are behind, and how many bytes they were given since. */
  readonly #behind = new Map<Channel, number>();
  #pause: { readonly over: Promise<void>; readonly end: () => void } | undefined;

  constructor(private readonly limit = LIMIT_BYTES) {}

  /** Passes on what a proxy says. Returns what the proxy is to wait for, when it says more than anyone asked it to. */
  push(frame: Frame, to: Channel): void | Promise<void> {
    const held = this.#behind.get(to);
    if (held === undefined) return to.send(frame) ? undefined : this.#fallsBehind(to, sizeOf(frame));
    to.send(frame);
    const now = held + sizeOf(frame);
    this.#behind.set(to, now);
    if (now > this.limit) return to.drained();
  }

  /** What the source of this direction is to wait for, besides `own`. */
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

/** Bytes. What comes from a proxy is bytes already. */
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
