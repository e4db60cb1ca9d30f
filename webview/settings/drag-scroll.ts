/** Scrolls the page while an item is dragged near the top or bottom edge. */

/** Pixels. */
const EDGE = 32,
  STEP = 8;

export class DragScroll {
  #y: number | undefined;
  #frame: number | undefined;

  /** `scrolled` is called after each scroll step with the pointer's position. */
  constructor(private readonly scrolled: (y: number) => void) {}

  at(y: number): void {
    this.#y = y;
    this.#frame ??= requestAnimationFrame(() => this.#step());
  }

  end(): void {
    this.#y = undefined;
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
  }

  #step(): void {
    this.#frame = undefined;
    const y = this.#y;
    if (y === undefined) return;
    const by = y < EDGE ? -STEP : y > window.innerHeight - EDGE ? STEP : 0,
      before = window.scrollY;
    if (by === 0) return;
    window.scrollBy({ top: by, behavior: "instant" });
    if (window.scrollY === before) return;
    this.scrolled(y);
    this.at(y);
  }
}
