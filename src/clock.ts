/** Injectable clock. All code that waits takes a `Clock`, so that tests run without real delays. */
export interface Clock {
  /** Milliseconds, monotonic. */
  now(): number;
  /** Calls `expired` once, after `ms`, unless disposed before. */
  after(ms: number, expired: () => void): { dispose(): void };
}

export const realClock: Clock = {
  now: () => performance.now(),
  after(ms, expired) {
    const timer = setTimeout(expired, ms);
    return { dispose: () => clearTimeout(timer) };
  },
};
