import { realClock, type Clock } from "../rpc/clock";
import { FakeClock } from "./fake-clock";

/** Real time of a step. */
const STEP_MS = 5;

/**
 * Time that goes while somebody waits for it, `times` as fast as real time: for limits that real processes must run
 * into, or must not run into. It goes in steps, and between two of them everything is heard that has happened: a
 * machine that stands still for seconds costs one step, not seconds.
 */
export function hurriedClock(times: number): Clock {
  const clock = new FakeClock();
  let isGoing = false;
  const go = (): void => {
    if (isGoing || clock.waiting === 0) return;
    isGoing = true;
    realClock.after(STEP_MS, () =>
      setImmediate(() => {
        isGoing = false;
        clock.advance(STEP_MS * times);
        go();
      }),
    );
  };
  return {
    now: () => clock.now(),
    after(ms, expired) {
      const timer = clock.after(ms, expired);
      go();
      return timer;
    },
  };
}
