import { realClock, type Clock } from "../rpc/clock";

/** The real clock, `times` as fast: for limits that real processes must run into. Nothing may depend on being within one. */
export function hurriedClock(times: number): Clock {
  return { now: () => realClock.now() * times, after: (ms, expired) => realClock.after(ms / times, expired) };
}
