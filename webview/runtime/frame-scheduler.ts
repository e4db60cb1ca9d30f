/**
 * When to draw: the renderer works off every update, however many there are, so they are put together here.
 *
 * Invariants: at most one drawing per animation frame, none before the last has finished; between two there are at
 * least 150 ms and four times what the last one cost, so that a page never spends more than a fifth of its time
 * drawing; what is requested is drawn in the end.
 */
import type { Clock } from "../page-clock";

export const SHORTEST_PAUSE_MS = 150;
const PAUSE_PER_COST = 4;

type State =
  | { readonly kind: "idle"; readonly notBefore: number }
  /** A frame is on its way; more requests join it. */
  | { readonly kind: "waiting" }
  /** Requests during a drawing are for the next. */
  | { readonly kind: "drawing"; readonly again: boolean };

export class FrameScheduler {
  #state: State = { kind: "idle", notBefore: 0 };

  constructor(
    private readonly draw: () => void,
    private readonly clock: Clock,
    /** `requestAnimationFrame`. */
    private readonly nextFrame: (callback: () => void) => void,
  ) {}

  request(): void {
    switch (this.#state.kind) {
      case "idle":
        return this.#wait(this.#state.notBefore);
      case "waiting":
        return;
      case "drawing":
        this.#state = { kind: "drawing", again: true };
    }
  }

  #wait(notBefore: number): void {
    this.#state = { kind: "waiting" };
    const pause = notBefore - this.clock.now();
    if (pause <= 0) this.nextFrame(() => this.#drawNow());
    else this.clock.after(pause, () => this.nextFrame(() => this.#drawNow()));
  }

  #drawNow(): void {
    this.#state = { kind: "drawing", again: false };
    const began = this.clock.now();
    try {
      this.draw();
    } finally {
      const ended = this.clock.now();
      const notBefore = ended + Math.max(SHORTEST_PAUSE_MS, PAUSE_PER_COST * (ended - began));
      const again = this.#isRequestedAgain();
      this.#state = { kind: "idle", notBefore };
      if (again) this.#wait(notBefore);
    }
  }

  #isRequestedAgain(): boolean {
    return this.#state.kind === "drawing" && this.#state.again;
  }
}
