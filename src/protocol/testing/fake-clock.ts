/**
 * Clock that only the test moves, for all three programs. Its timers run in the order of their time, then of their
 * creation.
 */
export class FakeClock {
  #now = 0;
  #timers: { readonly at: number; readonly expired: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, expired: () => void): Disposable & { dispose(): void } {
    const timer = { at: this.#now + ms, expired };
    this.#timers.push(timer);
    const dispose = (): void => {
      this.#timers = this.#timers.filter(item => item !== timer);
    };
    return { dispose, [Symbol.dispose]: dispose };
  }

  /** Number of pending timers. A test that ends with pending timers has leaked them. */
  get waiting(): number {
    return this.#timers.length;
  }

  /** Runs the timers that are due within `ms` milliseconds. */
  advance(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const next = this.#timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.#now = Math.max(this.#now, next.at);
      this.#timers = this.#timers.filter(item => item !== next);
      next.expired();
    }
    this.#now = Math.max(this.#now, until);
  }

  /** Simulates code that runs for `ms` milliseconds. Timers that become due wait for `advance`. */
  spend(ms: number): void {
    this.#now += ms;
  }
}
