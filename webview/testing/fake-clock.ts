import type { Clock } from "../page-clock";

/** A clock controlled by the test: `advance` runs due timers, and a write to `time` simulates work of that duration. */
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
