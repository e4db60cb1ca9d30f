import type { Clock } from "../page-clock";

/**
 * A clock that the test moves: `advance` lets time pass with its timers, a write to `time` is work that takes so long.
 */
export class FakeClock implements Clock {
  time = 0;
  #timers: { readonly at: number; readonly expired: () => void }[] = [];

  now(): number {
    return this.time;
  }
  after(ms: number, expired: () => void): void {
    this.#timers.push({ at: this.time + ms, expired });
  }

  advance(ms: number): void {
    this.time += ms;
    const due = this.#timers.filter(({ at }) => at <= this.time);
    this.#timers = this.#timers.filter(timer => !due.includes(timer));
    due.forEach(({ expired }) => expired());
  }
}
