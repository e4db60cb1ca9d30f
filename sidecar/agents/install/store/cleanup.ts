/** Delay after which leftovers of earlier runs are removed from the stores, once. The delay keeps the start fast. */
import type { Clock } from "../../../rpc/clock";
import type { Store } from "./store";

const LATER_MS = 30_000;

/** Disposing starts no further sweep and waits for the current one. */
export function sweepLater(
  stores: readonly Pick<Store, "sweepAll">[],
  clock: Clock,
  failed: (error: unknown) => void,
): AsyncDisposable {
  const ended = new AbortController();
  let sweeping: Promise<void> = Promise.resolve();
  const alarm = clock.after(LATER_MS, () => {
    sweeping = sweep();
  });
  const sweep = async (): Promise<void> => {
    for (const store of stores) await store.sweepAll(ended.signal, failed).catch(failed);
  };
  return {
    [Symbol.asyncDispose]: async () => {
      alarm[Symbol.dispose]();
      ended.abort();
      await sweeping;
    },
  };
}
