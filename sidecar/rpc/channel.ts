/**
 * A channel: two ordered streams of frames between two components, over any transport (a child's stdio, memory, a
 * socket). Code that uses a channel is independent of the transport.
 *
 * Contract:
 * - Frames arrive at `receive` one at a time, synchronously, in the order in which they were sent.
 * - A `receive` that returns a promise pauses the source until the promise settles (back-pressure). Only data that was
 *   already read is buffered.
 * - `send` never throws and preserves order. If `send` returns false, the receiver is slow and the sender should wait
 *   for `drained()`.
 * - `closed` is called once, after the last frame. Frames sent later are dropped.
 */
import type { Frame } from "./frame";

/**
 * The reason why a channel closed. `message` is a sentence for the user; `cause` (last stderr output, an errno) is for
 * the log.
 */
export interface Closed {
  readonly message: string;
  readonly cause?: unknown;
}

export interface Receiver {
  receive(frame: Frame): void | Promise<void>;
  closed(reason: Closed): void;
}

export interface Channel extends AsyncDisposable {
  /** Starts delivery, beginning with the frames that arrived earlier. Must be called only once. */
  start(receiver: Receiver): void;
  send(frame: Frame): boolean;
  /** Resolves when `send` accepts more frames, immediately if the channel is not full or is closed. */
  drained(): Promise<void>;
}
