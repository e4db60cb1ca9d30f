/**
 * Time as a parameter, so that tests never wait. The sidecar has one of the same shape; no program imports another's.
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
