/** Removes leftovers of earlier runs from the stores, once, after a delay that keeps the start fast. */
import type { Clock } from "../../../rpc/clock";
import type { Store } from "./store";

const DELAY_MS = 30_000;

/** Disposing starts no further cleanup and waits for the current one. */
export function scheduleCleanup(
  stores: readonly Pick<Store, "cleanUpAll">[],
  clock: Clock,
  failed: (error: unknown) => void,
): AsyncDisposable {
  const ended = new AbortController();
  let running: Promise<void> = Promise.resolve();
  const timer = clock.after(DELAY_MS, () => {
    running = cleanUp();
  });
  const cleanUp = async (): Promise<void> => {
    for (const store of stores) await store.cleanUpAll(ended.signal, failed).catch(failed);
  };
  return {
    [Symbol.asyncDispose]: async () => {
      timer[Symbol.dispose]();
      ended.abort();
      await running;
    },
  };
}
