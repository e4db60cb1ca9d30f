// Loaded by mocha before the tests. Scales their limits by the load at the start of the run. A test that starts under a
// higher load gets more time.
import { timeLimit } from "./time-limits.mjs";

const SECOND = 1000;
const atStart = timeLimit(SECOND);

export const mochaHooks = {
  beforeEach() {
    const growth = timeLimit(SECOND) / atStart,
      limit = this.currentTest.timeout();
    if (growth > 1 && limit > 0) this.currentTest.timeout(Math.round(limit * growth));
  },
};
