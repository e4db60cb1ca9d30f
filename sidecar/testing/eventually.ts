import { fail } from "node:assert/strict";
import { setTimeout as after } from "node:timers/promises";
import { timeLimit } from "../../scripts/time-limits.mjs";

/**
 * Polls a condition that no event announces: the exit of a process that is not a child, or a file written by another
 * program. This is the only polling helper of the tests. Use events where they exist.
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
