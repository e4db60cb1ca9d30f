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
  /**
   * Remembers the first visible card. The returned function measures by how many pixels it has moved; `undefined` while
   * it is not drawn.
   */
  anchor(): (() => number | undefined) | undefined;
}

/** Pixels. */
const END_TOLERANCE = 40;
/** Milliseconds until mynah has finished a drawn card. */
const LATE_MS = 150;

export class FollowEnd {
  /** `held`: the position of a match, until the user scrolls. */
  #mode: "end" | "reading" | "held" = "end";
  #top = 0;
  #isScheduled = false;
  /** The position to keep until a drawing of several frames is complete. */
  #position: { readonly top: number; readonly moved: (() => number | undefined) | undefined } | undefined;

  /**
   * `startReached` is called while the user scrolls up within one screen of the start. `continues`: whether the
   * conversation continues after the list, so that its end is not followed.
   */
  constructor(
    private readonly list: Scroller,
    private readonly clock: Clock,
    private readonly startReached: () => void,
    private readonly continues: () => boolean = () => false,
  ) {
    list.addEventListener("scroll", () => this.#scrolled());
  }

  /** Call before a drawing, and call the returned function after it. `isComplete`: no later drawing continues it. */
  before(): (isComplete: boolean) => void {
    if (this.#mode !== "end") this.#position ??= { top: this.list.scrollTop, moved: this.list.anchor() };
    return isComplete => {
      if (this.#position === undefined) this.#scrollToEnd();
      else {
        const moved = this.#position.moved?.();
        this.list.scrollTop = moved === undefined ? this.#position.top : this.list.scrollTop + moved;
      }
      // Once the card is in its place, the user may scroll during the rest of the drawing.
      if (isComplete || this.#position?.moved?.() === 0) this.#position = undefined;
      this.#top = this.list.scrollTop;
      this.#scrollLater();
    };
  }

  /** Call after scrolling to a match. */
  hold(): void {
    this.#mode = "held";
    this.#position = undefined;
    this.#top = this.list.scrollTop;
  }

  toEnd(): void {
    this.#mode = "end";
    this.#position = undefined;
  }

  #scrollLater(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.clock.after(LATE_MS, () => {
      this.#isScheduled = false;
      if (this.#mode === "end") this.#scrollToEnd();
    });
  }

  #scrollToEnd(): void {
    this.list.scrollTop = this.list.scrollHeight;
  }

  #scrolled(): void {
    // An incomplete drawing is shorter, which is not a movement of the user.
    if (this.#position !== undefined) return;
    const { scrollTop, scrollHeight, clientHeight } = this.list,
      isUpward = scrollTop < this.#top;
    if (this.#mode === "held" && scrollTop === this.#top) return;
    this.#top = scrollTop;
    if (scrollHeight - scrollTop - clientHeight < END_TOLERANCE) this.#mode = this.continues() ? "reading" : "end";
    else if (isUpward || this.#mode === "held") this.#mode = "reading";
    if (isUpward && this.#mode !== "end" && scrollTop < clientHeight) this.startReached();
  }
}
