/**
 * Keeps a conversation scrolled to its end while the reader is at the end; otherwise keeps the scroll position.
 *
 * Invariant: only scrolling up leaves the end. Growing content does not: mynah extends a card for a while after drawing
 * it, and a drawing can take several frames.
 */
import type { Clock } from "../page-clock";

/** The part of a scrolling element that `FollowEnd` uses. */
export interface Scroller {
  scrollTop: number;
  readonly scrollHeight: number;
  readonly clientHeight: number;
  addEventListener(type: "scroll", listener: () => void): void;
}

const NEAR = 40;
/** Milliseconds until mynah has finished a drawn card. */
const LATE_MS = 150;

export class FollowEnd {
  #isAtEnd = true;
  #top = 0;
  #isWaiting = false;

  constructor(
    private readonly list: Scroller,
    private readonly clock: Clock,
  ) {
    list.addEventListener("scroll", () => this.#scrolled());
  }

  /** Call it before a drawing, and its result after the drawing. */
  before(): () => void {
    const top = this.#isAtEnd ? undefined : this.list.scrollTop;
    return () => {
      if (top === undefined) this.#toEnd();
      else this.list.scrollTop = top;
      this.#top = this.list.scrollTop;
      this.#later();
    };
  }

  #later(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.clock.after(LATE_MS, () => {
      this.#isWaiting = false;
      if (this.#isAtEnd) this.#toEnd();
    });
  }

  #toEnd(): void {
    this.list.scrollTop = this.list.scrollHeight;
  }

  #scrolled(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.list;
    if (scrollHeight - scrollTop - clientHeight < NEAR) this.#isAtEnd = true;
    else if (scrollTop < this.#top) this.#isAtEnd = false;
    this.#top = scrollTop;
  }
}
