/**
 * When to save the page: VS Code takes all of it as text each time, and what is said while an agent talks changes ten
 * times a second. What the user did is saved at once: VS Code destroys a hidden view without waiting for its last
 * words.
 *
 * Invariants: what is requested is saved in the end, as it is then; what may wait takes no more than a twentieth of the
 * time, and after a pause does not wait, so that the small page of a beginning is never behind.
 */
import type { Clock } from "../page-clock";

const PAUSE_PER_COST = 20;

export class Saving {
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

  /** Before the page goes. */
  flush(): void {
    if (this.#isWaiting) this.now();
  }
}
