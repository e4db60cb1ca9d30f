/** Waits in extension host tests for events of VS Code, never for a fixed delay. */
import assert from "node:assert/strict";
import { timeLimit } from "../../scripts/time-limits.mjs";

/** Compatible with `vscode.Event`. */
export type Subscribe = (listener: () => void) => { dispose(): unknown };

/** No operation of VS Code takes longer on an idle machine. */
const LIMIT_MS = 60_000;

/**
 * Resolves when the condition holds, which is checked now and after each event. Rejects with the error that the
 * condition throws.
 */
export async function until(
  what: string,
  events: readonly Subscribe[],
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  let wake = (): void => undefined;
  let isLate = false;
  const listeners = events.map(event => event(() => wake()));
  const limitMs = timeLimit(LIMIT_MS);
  const limit = setTimeout(() => {
    isLate = true;
    wake();
  }, limitMs);
  try {
    for (;;) {
      const event = new Promise<void>(resolve => {
        wake = resolve;
      }); // subscribe first, so that an event during the check counts
      if (await holds()) return;
      assert.ok(!isLate, `not within ${Math.round(limitMs / 1000)} s: ${what}`);
      await event;
    }
  } finally {
    clearTimeout(limit);
    for (const listener of listeners) listener.dispose();
  }
}
