/**
 * What earlier runs left in the stores goes, once, when whoever opened them has other things behind them: a start is
 * not kept waiting for it.
 */
import type { Clock } from "../../rpc/clock";
import type { Store } from "./store";

const LATER_MS = 30_000;

/** Disposed of, it begins no more, and ends after what it is at. */
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
