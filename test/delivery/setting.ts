/** Where everything happens: one clock for all three programs, and the ways in which each sees it. */
import { FakeClock } from "../../sidecar/testing/fake-clock";

export type { FakeClock };
export const newClock = (): FakeClock => new FakeClock();

/** Lets promises, and what they lead to, run until nothing is left but the clock and the wires. */
export const drained = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** The clock of something that may die: its timers die with it. */
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

/**
 * What is said carries a mark that is said only once: `w7` by the agent, `k8` in the title of a tool call, `p9` by the
 * user.
 */
export type Mark = `${"w" | "k" | "p"}${number}`;
const MARK = /\b[wkp]\d+\b/g;

export function marksIn(text: string): readonly string[] {
  return text.match(MARK) ?? [];
}
