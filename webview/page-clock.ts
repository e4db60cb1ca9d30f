/**
 * Injectable clock, so that tests never wait. The sidecar has its own `Clock`, because programs do not import each
 * other.
 */
export interface Clock {
  /** Milliseconds, monotonic. */
  now(): number;
  after(ms: number, expired: () => void): void;
}

export const pageClock: Clock = {
  now: () => performance.now(),
  after(ms, expired) {
    setTimeout(expired, ms);
  },
};
