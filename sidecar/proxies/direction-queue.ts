/**
 * One direction of a proxy: a queue that is blocked while its head is held.
 *
 *   free ── a turn begins ──▶ beginning ── it keeps its hold ──▶ held
 *     ▲                           │ releases at once               │ releases, or is overruled
 *     └──────── queue empty ──────┴────── the next turn ◀──────────┘
 *
 * Invariants:
 * - Items leave, or get their turn, in the order in which they were taken.
 * - Nothing waits while the queue is free; there is at most one hold.
 * - Up to `LOW_WATER_MARK` frames may wait before the reader is paused.
 * - While the proxy waits for an answer in this direction, the reader is not paused. From `HIGH_WATER_MARK` frames on
 *   the hold is overruled, because the answer may be behind them.
 */
import type { Channel } from "../rpc/channel";
import type { Frame } from "../rpc/frame";

const LOW_WATER_MARK = 64,
  HIGH_WATER_MARK = 1000;

export interface Hold {
  /** Lets the next item have its turn. No effect after an earlier release or after being overruled. */
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
  readonly #waiting: (Frame | Turn)[] = [];
  #head: Head = FREE;
  /** While the sink reads slowly: settles when it has caught up. */
  #slow: Promise<void> | undefined;
  /** While the reader is paused because too many frames wait. */
  #pause: { readonly over: Promise<void>; readonly end: () => void } | undefined;

  /** `isAwaited` returns whether an answer to a request of the proxy itself is still expected in this direction. */
  constructor(sink: Channel, isAwaited: () => boolean) {
    this.#sink = sink;
    this.#isAwaited = isAwaited;
  }

  get isFree(): boolean {
    return this.#head.kind === "free";
  }

  /**
   * Sends the frame, or starts the turn, after all items that were taken before. Returns the result for the reader's
   * `receive`.
   */
  take(next: Frame | Turn): void | Promise<void> {
    this.#waiting.push(next);
    if (this.#head.kind === "free") this.#advance();
    return this.#pressure();
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
    if ("hold" in this.#head) this.#letGo(this.#head.hold);
  }

  /** Gives every waiting item its turn, despite any hold. */
  flush(): void {
    while (this.#head.kind === "held") this.overrule();
  }

  #advance(): void {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      if (typeof next !== "function") this.send(next);
      else if (this.#isHeldBy(next)) break;
    }
    this.#resume();
  }

  #isHeldBy(turn: Turn): boolean {
    const hold: Hold = { letGo: () => this.#letGo(hold) };
    this.#head = { kind: "beginning", hold };
    turn(hold);
    const stays = this.#isStarting();
    this.#head = stays ? { kind: "held", hold } : FREE;
    return stays;
  }

  #isStarting(): boolean {
    return this.#head.kind === "beginning";
  }

  #letGo(hold: Hold): void {
    const head = this.#head;
    if (!("hold" in head) || head.hold !== hold) return;
    if (head.kind === "beginning") {
      this.#head = BEGUN;
      return;
    }
    this.#head = FREE;
    this.#advance();
  }

  #pressure(): void | Promise<void> {
    if (this.#waiting.length >= HIGH_WATER_MARK && this.#isAwaited()) this.overrule();
    return this.#isCrowded() ? (this.#pause ??= pause()).over : this.#slow;
  }

  #isCrowded(): boolean {
    return this.#waiting.length >= LOW_WATER_MARK && !this.#isAwaited();
  }

  #resume(): void {
    if (!this.#pause || this.#isCrowded()) return;
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
