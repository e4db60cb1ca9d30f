/** One clock for all three programs, and each program's view of the clock. */
import { FakeClock } from "../../src/protocol/testing/fake-clock";

export type { FakeClock };
export const newClock = (): FakeClock => new FakeClock();

/** Runs promises and their continuations until only the clock and the connections have pending work. */
export const drained = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** A clock for a component that may be killed, which cancels its timers. */
export function mortal(clock: FakeClock, isAlive: () => boolean) {
  return {
    now: () => clock.now(),
    after(ms: number, expired: () => void) {
      const timer = clock.after(ms, () => {
        if (isAlive()) expired();
      });
      return { [Symbol.dispose]: () => timer[Symbol.dispose](), dispose: () => timer[Symbol.dispose]() };
    },
  };
}

/** Every message contains a unique mark: `w7` of the agent, `k8` in the title of a tool call, `p9` of the user. */
export type Mark = `${"w" | "k" | "p"}${number}`;
const MARK = /\b[wkp]\d+\b/g;

export function marksIn(text: string): readonly string[] {
  return text.match(MARK) ?? [];
}
