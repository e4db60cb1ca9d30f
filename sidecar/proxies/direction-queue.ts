/**
 * One direction of a proxy: a queue that stands still while somebody holds its head.
 *
 *   free ── a turn begins ──▶ beginning ── it keeps its hold ──▶ held
 *     ▲                           │ lets go at once                │ lets go, or is overruled
 *     └──────── nothing waits ────┴────── the next turn ◀──────────┘
 *
 * Invariants: what is taken leaves, or has its turn, in the order in which it was taken; nothing waits while the lane
 * is free; there is one hold at most. `ROOM` frames may wait before the reader has to stand still; while the proxy
 * waits for an answer that comes this way the reader goes on, and from `MUCH` frames on the hold is overruled: the
 * answer may stand behind them.
 */
import type { Channel } from "../rpc/channel";
import type { Frame } from "../rpc/frame";

const ROOM = 64,
  MUCH = 1000;

export interface Hold {
  /** Lets what waits have its turn. Who let go before, or was overruled, changes nothing. */
  letGo(): void;
}

/** Something that has its turn in a lane, and holds it until it lets go. Does not throw. */
export type Turn = (hold: Hold) => void;

type Head = { readonly kind: "free" | "begun" } | { readonly kind: "beginning" | "held"; readonly hold: Hold };

const FREE: Head = { kind: "free" },
  BEGUN: Head = { kind: "begun" };

export class DirectionQueue {
  readonly #sink: Channel;
  readonly #isAwaited: () => boolean;
  readonly #waiting: (Frame | Turn)[] = [];
  #head: Head = FREE;
  /** While the sink is slow to read: settles when it has caught up. */
  #slow: Promise<void> | undefined;
  /** While the reader stands still because too much waits here. */
  #pause: { readonly over: Promise<void>; readonly end: () => void } | undefined;

  /** `isAwaited`: whether an answer to the proxy itself is still to come this way. */
  constructor(sink: Channel, isAwaited: () => boolean) {
    this.#sink = sink;
    this.#isAwaited = isAwaited;
  }

  get isFree(): boolean {
    return this.#head.kind === "free";
  }

  /**
   * A frame leaves, or a turn begins, when everything that was taken before has. Returns what `receive` of the reader
   * is to return.
   */
  take(next: Frame | Turn): void | Promise<void> {
    this.#waiting.push(next);
    if (this.#head.kind === "free") this.#advance();
    return this.#pressure();
  }

  /** `take` for a frame when the lane is free, as cheap as it gets. */
  pass(frame: Frame): void | Promise<void> {
    if (!this.#sink.send(frame)) return this.#sink.drained();
  }

  /** Out of turn. */
  send(frame: Frame): void {
    if (!this.#sink.send(frame))
      this.#slow ??= this.#sink.drained().finally(() => {
        this.#slow = undefined;
      });
  }

  /** Takes the hold from whoever has it. */
  overrule(): void {
    if ("hold" in this.#head) this.#letGo(this.#head.hold);
  }

  /** Gives everything that waits its turn, whoever holds. */
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
    const stays = this.#isBeginning();
    this.#head = stays ? { kind: "held", hold } : FREE;
    return stays;
  }

  #isBeginning(): boolean {
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
    if (this.#waiting.length >= MUCH && this.#isAwaited()) this.overrule();
    return this.#isCrowded() ? (this.#pause ??= pause()).over : this.#slow;
  }

  #isCrowded(): boolean {
    return this.#waiting.length >= ROOM && !this.#isAwaited();
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
