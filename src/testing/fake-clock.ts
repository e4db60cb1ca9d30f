import type { Clock } from "../clock";

/** A clock whose time changes only through `advance`. Timers run in order of their time, then of their creation. */
export class FakeClock implements Clock {
  #now = 0;
  #timers: { readonly at: number; readonly expired: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, expired: () => void): { dispose(): void } {
    const timer = { at: this.#now + ms, expired };
    this.#timers.push(timer);
    return {
      dispose: () => {
        this.#timers = this.#timers.filter(item => item !== timer);
      },
    };
  }

  /** Number of pending timers; after a test, they are leaks. */
  get waiting(): number {
    return this.#timers.length;
  }

  advance(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const next = this.#timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.#now = next.at;
      this.#timers = this.#timers.filter(item => item !== next);
      next.expired();
    }
    this.#now = until;
  }
}
