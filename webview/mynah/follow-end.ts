/**
 * Keeps a conversation scrolled to its end while the reader is at the end; otherwise keeps the scroll position.
 *
 * Invariant: only scrolling up stops the automatic scrolling. Growing content does not, because mynah extends cards
 * after drawing them and a drawing can take several frames.
 */
import type { Clock } from "../page-clock";

/** The part of a scrolling element that `FollowEnd` uses. */
export interface Scroller {
  scrollTop: number;
  readonly scrollHeight: number;
  readonly clientHeight: number;
  addEventListener(type: "scroll", listener: () => void): void;
}

/** Pixels. */
const END_TOLERANCE = 40;
/** Milliseconds until mynah has finished a drawn card. */
const LATE_MS = 150;

export class FollowEnd {
  #isAtEnd = true;
  #top = 0;
  #isScheduled = false;

  constructor(
    private readonly list: Scroller,
    private readonly clock: Clock,
  ) {
    list.addEventListener("scroll", () => this.#scrolled());
  }

  /** Call before a drawing, and call the returned function after it. */
  before(): () => void {
    const top = this.#isAtEnd ? undefined : this.list.scrollTop;
    return () => {
      if (top === undefined) this.#scrollToEnd();
      else this.list.scrollTop = top;
      this.#top = this.list.scrollTop;
      this.#scrollLater();
    };
  }

  #scrollLater(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.clock.after(LATE_MS, () => {
      this.#isScheduled = false;
      if (this.#isAtEnd) this.#scrollToEnd();
    });
  }

  #scrollToEnd(): void {
    this.list.scrollTop = this.list.scrollHeight;
  }

  #scrolled(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.list;
    if (scrollHeight - scrollTop - clientHeight < END_TOLERANCE) this.#isAtEnd = true;
    else if (scrollTop < this.#top) this.#isAtEnd = false;
    this.#top = scrollTop;
  }
}
