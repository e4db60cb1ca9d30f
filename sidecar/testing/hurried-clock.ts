import { realClock, type Clock } from "../rpc/clock";
import { FakeClock } from "./fake-clock";

/** Real duration of a step in milliseconds. */
const STEP_MS = 5;

/**
 * Clock that runs while a timer is pending, at `times` the speed of real time. It tests time limits with real
 * processes. Time advances in steps, and pending events are handled between two steps: a machine that stalls for
 * seconds costs one step, not seconds.
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
