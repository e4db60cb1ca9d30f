/** Time as a parameter: all code that waits takes a `Clock`, so that tests never wait. */
export interface Clock {
  /** Milliseconds, monotonic. */
  now(): number;
  /** Calls `expired` once, after `ms` milliseconds, unless disposed before. */
  after(ms: number, expired: () => void): Disposable;
}

export const realClock: Clock = {
  now: () => performance.now(),
  after(ms, expired) {
    const timer = setTimeout(expired, ms);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};
