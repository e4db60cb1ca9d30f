import { realClock, type Clock } from "../rpc/clock";
import { FakeClock } from "../../src/protocol/testing/fake-clock";

/** Real duration of a step in milliseconds. */
const STEP_MS = 5;

/**
 * Clock that runs while a timer is pending, at `times` the speed of real time. Used to test time limits with real
 * processes. Time advances in steps, and pending events are handled between two steps. A machine that stalls for
 * seconds therefore advances the clock by only one step.
 */
export function hurriedClock(times: number): Clock {
  const clock = new FakeClock();
  let isScheduled = false;
  const schedule = (): void => {
    if (isScheduled || clock.waiting === 0) return;
    isScheduled = true;
    realClock.after(STEP_MS, () =>
      setImmediate(() => {
        isScheduled = false;
        clock.advance(STEP_MS * times);
        schedule();
      }),
    );
  };
  return {
    now: () => clock.now(),
    after(ms, expired) {
      const timer = clock.after(ms, expired);
      schedule();
      return timer;
    },
  };
}
