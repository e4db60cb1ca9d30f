/** An injectable clock, so that tests do not wait for real timers. */
export interface Clock {
  /** Milliseconds, monotonic. */
  now(): number;
  /** Calls `expired` once after `ms` milliseconds, unless disposed earlier. */
  after(ms: number, expired: () => void): Disposable;
}

export const realClock: Clock = {
  now: () => performance.now(),
  after(ms, expired) {
    const timer = setTimeout(expired, ms);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};
