/**
 * A channel: two ordered streams of frames between two components, whatever carries them (a child's stdio, memory, a
 * socket). Everything above it is transport-free.
 *
 * Contract. Frames arrive at `receive` one at a time, synchronously, in the order in which they were sent. A `receive`
 * that returns a promise pauses the source until it settles: that is back-pressure, and nothing is buffered beyond what
 * was already read. `send` never throws and keeps order; when it returns false the receiver is slow, and the sender
 * should wait for `drained()` before it makes more. `closed` is called once, after the last frame; what is sent later
 * is dropped.
 */
import type { Frame } from "./frame";

/** Why a channel ended. `message` is a sentence for the user, `cause` (last words on stderr, an errno) for the log. */
export interface Closed {
  readonly message: string;
  readonly cause?: unknown;
}

export interface Receiver {
  receive(frame: Frame): void | Promise<void>;
  closed(reason: Closed): void;
}

export interface Channel extends AsyncDisposable {
  /** Begins delivery; what arrived before waits. Called once. */
  start(receiver: Receiver): void;
  send(frame: Frame): boolean;
  /** Resolves when `send` may go on; at once when it may now, or when the channel is closed. */
  drained(): Promise<void>;
}
