import type { Clock } from "../rpc/clock";

/** Clock that only `advance` moves. Timers run by time, then by creation order. */
export class FakeClock implements Clock {
  #now = 0;
  #timers: { readonly at: number; readonly expired: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, expired: () => void): Disposable {
    const timer = { at: this.#now + ms, expired };
    this.#timers.push(timer);
    return {
      [Symbol.dispose]: () => {
        this.#timers = this.#timers.filter(item => item !== timer);
      },
    };
  }

  /** Number of pending timers. A test that ends with pending timers has leaked them. */
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
