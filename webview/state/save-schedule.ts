/**
 * Schedules saving. VS Code serializes the whole page each time, and an answer changes the page ten times a second. The
 * user's changes are saved immediately, because VS Code destroys a hidden view without notice.
 *
 * Invariants:
 * - Every request is followed by a save of the state at that time.
 * - Deferrable saves take at most a twentieth of the time. After a pause they run immediately, so that a small new page
 *   is always saved.
 */
import type { Clock } from "../page-clock";

const PAUSE_PER_COST = 20;

export class SaveSchedule {
  #notBefore = -Infinity;
  #isWaiting = false;

  constructor(
    private readonly save: () => void,
    private readonly clock: Clock,
  ) {}

  now(): void {
    const began = this.clock.now();
    try {
      this.save();
    } finally {
      this.#notBefore = this.clock.now() + PAUSE_PER_COST * (this.clock.now() - began);
    }
  }

  soon(): void {
    if (this.#isWaiting) return;
    const pause = this.#notBefore - this.clock.now();
    if (pause <= 0) return this.now();
    this.#isWaiting = true;
    this.clock.after(pause, () => {
      this.#isWaiting = false;
      this.now();
    });
  }

  /** Call before the page is destroyed. */
  flush(): void {
    if (this.#isWaiting) this.now();
  }
}
