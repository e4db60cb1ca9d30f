/**
 * A reader at the end of a conversation stays at the end; one who has scrolled away stays there.
 *
 * Invariant: only a move upwards takes a reader from the end. What grows by itself does not: the renderer adds to a
 * card for a while after it was drawn, and a drawing may take several frames.
 */
import type { Clock } from "../page-clock";

/** What of a scrolling element this needs. */
export interface Scroller {
  scrollTop: number;
  readonly scrollHeight: number;
  readonly clientHeight: number;
  addEventListener(type: "scroll", listener: () => void): void;
}

const NEAR = 40;
/** When mynah has done with a card that it has drawn. */
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

  /** To be called before a drawing, its result after it. */
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
