/**
 * Schedules drawings and batches updates, because the renderer processes each update separately.
 *
 * Invariants:
 * - At most one drawing per animation frame, and none before the last has finished.
 * - The pause between drawings is at least 150 ms and four times the duration of the last one. Only the second drawing
 *   after such a pause follows at once: the second part of a change, such as the content of a tab that has just been
 *   opened. Drawing therefore takes at most a third of the time, and at most a fifth under a constant load.
 * - Every request is drawn eventually.
 */
import type { Clock } from "../page-clock";

export const MIN_PAUSE_MS = 150;
const PAUSE_PER_COST = 4;

type State =
  /** `notBefore`: of the next drawing. `rested`: a request from this time on is drawn without a pause afterwards. */
  | { readonly kind: "idle"; readonly notBefore: number; readonly rested: number }
  /** A frame is scheduled. Further requests are merged into it. */
  | { readonly kind: "waiting" }
  /** `again`: another drawing was requested during this one. */
  | { readonly kind: "drawing"; readonly again: boolean };

export class FrameScheduler {
  #state: State = { kind: "idle", notBefore: 0, rested: 0 };

  constructor(
    private readonly draw: () => void,
    private readonly clock: Clock,
    /** `requestAnimationFrame`. */
    private readonly nextFrame: (callback: () => void) => void,
  ) {}

  request(): void {
    switch (this.#state.kind) {
      case "idle":
        return this.#wait(this.#state.notBefore, this.clock.now() >= this.#state.rested ? "none" : "full");
      case "waiting":
        return;
      case "drawing":
        this.#state = { kind: "drawing", again: true };
    }
  }

  /** `after`: the pause after the drawing. */
  #wait(notBefore: number, after: "none" | "full"): void {
    const pause = notBefore - this.clock.now(),
      draw = (): void => this.nextFrame(() => this.#drawNow(after));
    this.#state = { kind: "waiting" };
    if (pause <= 0) draw();
    else this.clock.after(pause, draw);
  }

  #drawNow(after: "none" | "full"): void {
    this.#state = { kind: "drawing", again: false };
    const began = this.clock.now();
    try {
      this.draw();
    } finally {
      const ended = this.clock.now(),
        rested = ended + Math.max(MIN_PAUSE_MS, PAUSE_PER_COST * (ended - began)),
        notBefore = after === "none" ? ended : rested,
        again = this.#isRequestedAgain();
      this.#state = { kind: "idle", notBefore, rested };
      if (again) this.#wait(notBefore, "full");
    }
  }

  #isRequestedAgain(): boolean {
    return this.#state.kind === "drawing" && this.#state.again;
  }
}
