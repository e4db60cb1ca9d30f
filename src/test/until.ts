/** How tests in the extension host wait: for what VS Code tells of, never for a time. */
import assert from "node:assert/strict";
import { timeLimit } from "../../scripts/time-limits.mjs";

/** `vscode.Event` is one. */
export type Heard = (listener: () => void) => { dispose(): unknown };

/** Nothing in VS Code takes longer on an idle machine. */
const LIMIT_MS = 60_000;

/**
 * Resolves when the condition holds, which is looked at now and after each of the events. What it throws is the
 * failure.
 */
export async function until(
  what: string,
  events: readonly Heard[],
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  let told = (): void => undefined;
  let isLate = false;
  const listeners = events.map(event => event(() => told()));
  const limitMs = timeLimit(LIMIT_MS);
  const limit = setTimeout(() => {
    isLate = true;
    told();
  }, limitMs);
  try {
    for (;;) {
      const event = new Promise<void>(resolve => {
        told = resolve;
      }); // first of all: one that comes while the condition is looked at counts
      if (await holds()) return;
      assert.ok(!isLate, `not within ${Math.round(limitMs / 1000)} s: ${what}`);
      await event;
    }
  } finally {
    clearTimeout(limit);
    for (const listener of listeners) listener.dispose();
  }
}
