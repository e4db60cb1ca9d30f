/** Collects the results that are available within a time limit. */
import type { Clock } from "../../rpc/clock";

/**
 * Resolves when all promises have resolved, after `ms`, or when `signal` aborts. `there` has the results so far, in
 * order, without undefined ones; `late` has the names of the others. The promises must not reject.
 */
export async function inTime<T>(
  named: ReadonlyMap<string, Promise<T>>,
  ms: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<{ readonly there: readonly T[]; readonly late: readonly string[] }> {
  const there = new Map<string, T>();
  let over = (): void => undefined;
  const limit = new Promise<void>(resolve => {
    over = resolve;
  });
  const alarm = clock.after(ms, over);
  signal.addEventListener("abort", over, { once: true });
  if (signal.aborted) over();
  await Promise.race([
    limit,
    Promise.all(
      [...named].map(async ([name, promise]) => {
        there.set(name, await promise);
      }),
    ),
  ]);
  alarm[Symbol.dispose]();
  signal.removeEventListener("abort", over);
  return {
    there: [...named.keys()]
      .flatMap(name => (there.has(name) ? [there.get(name)] : []))
      .filter((value): value is T => value !== undefined),
    late: [...named.keys()].filter(name => !there.has(name)),
  };
}
