import { fail } from "node:assert/strict";
import { setTimeout as after } from "node:timers/promises";
import { timeLimit } from "../../scripts/time-limits.mjs";

/**
 * Waits until a condition holds, for what the system tells nobody: that a process which is not our child is gone, that
 * a file was written by another program. The one place in the tests that looks again and again; where there is an
 * event, wait for it.
 */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  what: string,
  limitMs = 60_000,
): Promise<void> {
  const limit = timeLimit(limitMs),
    until = performance.now() + limit;
  while (!(await condition())) {
    if (performance.now() > until) fail(`not within ${limit} ms: ${what}`);
    await after(20);
  }
}
