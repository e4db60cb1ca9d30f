/**
 * One direction of a proxy: a queue that is blocked while its head is held.
 *
 *   free ── a turn begins ──▶ beginning ── turn keeps a hold ──▶ held
 *     ▲                           │ releases at once               │ releases, or is overruled
 *     └──────── queue empty ──────┴────── the next turn ◀──────────┘
 *
 * Invariants:
 * - Frames are sent, and turns are started, in the order in which they were added.
 * - No item waits while the queue is free. At most one hold exists.
 * - The reader is paused while `LOW_WATER_MARK` or more items are queued.
 * - While a response to the proxy is pending in this direction, the reader is not paused. At `HIGH_WATER_MARK` items,
 *   the hold is overruled, because the response may arrive behind them.
 */
import type { Channel } from "../rpc/channel";
import type { Frame } from "../rpc/frame";

const LOW_WATER_MARK = 64,
  HIGH_WATER_MARK = 1000;

export interface Hold {
  /** Starts the next item. No effect if the hold was released or overruled before. */
  letGo(): void;
}

/** An item that holds the queue until it releases its hold. Does not throw. */
export type Turn = (hold: Hold) => void;

type Head = { readonly kind: "free" | "begun" } | { readonly kind: "beginning" | "held"; readonly hold: Hold };

const FREE: Head = { kind: "free" },
  BEGUN: Head = { kind: "begun" };

export class DirectionQueue {
  readonly #sink: Channel;
  readonly #isAwaited: () => boolean;
  readonly #queued: (Frame | Turn)[] = [];
  #head: Head = FREE;
  /** Set while the sink is full; settles when the sink has drained. */
  #slow: Promise<void> | undefined;
  /** Set while the reader is paused because too many items are queued. */
  #pause: { readonly over: Promise<void>; readonly end: () => void } | undefined;

  /** `isAwaited` returns whether a response to the proxy's own requests is pending in this direction. */
  constructor(sink: Channel, isAwaited: () => boolean) {
    this.#sink = sink;
    this.#isAwaited = isAwaited;
  }

  get isFree(): boolean {
    return this.#head.kind === "free";
  }

  /** Sends the frame, or starts the turn, after all earlier items. Returns the result for the reader's `receive`. */
  take(next: Frame | Turn): void | Promise<void> {
    this.#queued.push(next);
    if (this.#head.kind === "free") this.#advance();
    return this.#backpressure();
  }

  /** Fast path of `take` for a frame while the queue is free. */
  pass(frame: Frame): void | Promise<void> {
    if (!this.#sink.send(frame)) return this.#sink.drained();
  }

  /** Sends a frame out of order. */
  send(frame: Frame): void {
    if (!this.#sink.send(frame))
      this.#slow ??= this.#sink.drained().finally(() => {
        this.#slow = undefined;
      });
  }

  /** Ends the current hold. */
  overrule(): void {
    if ("hold" in this.#head) this.#release(this.#head.hold);
  }

  /** Sends or starts every queued item, despite any hold. */
  flush(): void {
    while (this.#head.kind === "held") this.overrule();
  }

  #advance(): void {
    for (let next = this.#queued.shift(); next; next = this.#queued.shift()) {
      if (typeof next !== "function") this.send(next);
      else if (this.#isHeldBy(next)) break;
    }
    this.#resume();
  }

  #isHeldBy(turn: Turn): boolean {
    const hold: Hold = { letGo: () => this.#release(hold) };
    this.#head = { kind: "beginning", hold };
    turn(hold);
    const isHeld = this.#isStarting();
    this.#head = isHeld ? { kind: "held", hold } : FREE;
    return isHeld;
  }

  #isStarting(): boolean {
    return this.#head.kind === "beginning";
  }

  #release(hold: Hold): void {
    const head = this.#head;
    if (!("hold" in head) || head.hold !== hold) return;
    if (head.kind === "beginning") {
      this.#head = BEGUN;
      return;
    }
    this.#head = FREE;
    this.#advance();
  }

  #backpressure(): void | Promise<void> {
    if (this.#queued.length >= HIGH_WATER_MARK && this.#isAwaited()) this.overrule();
    return this.#isFull() ? (this.#pause ??= pause()).over : this.#slow;
  }

  #isFull(): boolean {
    return this.#queued.length >= LOW_WATER_MARK && !this.#isAwaited();
  }

  #resume(): void {
    if (!this.#pause || this.#isFull()) return;
    const { end } = this.#pause;
    this.#pause = undefined;
    if (this.#slow) void this.#slow.then(end);
    else end();
  }
}

function pause(): { over: Promise<void>; end: () => void } {
  let end = () => {};
  const over = new Promise<void>(resolve => {
    end = resolve;
  });
  return { over, end };
}
