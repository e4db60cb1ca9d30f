/**
 * Schedules drawings and batches updates, because the renderer processes each update separately.
 *
 * Invariants:
 * - At most one drawing per animation frame, and none before the last has finished.
 * - The pause between drawings is at least 150 ms and four times the duration of the last one. Drawing therefore takes
 *   at most a fifth of the time.
 * - Every request is drawn eventually.
 */
import type { Clock } from "../page-clock";

export const MIN_PAUSE_MS = 150;
const PAUSE_PER_COST = 4;

type State =
  | { readonly kind: "idle"; readonly notBefore: number }
  /** A frame is scheduled. Further requests are merged into it. */
  | { readonly kind: "waiting" }
  /** `again`: another drawing was requested during this one. */
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
      const notBefore = ended + Math.max(MIN_PAUSE_MS, PAUSE_PER_COST * (ended - began));
      const again = this.#isRequestedAgain();
      this.#state = { kind: "idle", notBefore };
      if (again) this.#wait(notBefore);
    }
  }

  #isRequestedAgain(): boolean {
    return this.#state.kind === "drawing" && this.#state.again;
  }
}
