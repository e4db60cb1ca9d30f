/** Collects the results that are available within a time limit. */
import type { Clock } from "../../rpc/clock";

/**
 * Resolves when all promises have resolved, after `ms`, or when `signal` aborts. `there`: the results so far, in order,
 * without undefined values. `late`: the names of the pending promises. The promises must not reject.
 */
export async function inTime<T>(
  named: ReadonlyMap<string, Promise<T>>,
  ms: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<{ readonly there: readonly T[]; readonly late: readonly string[] }> {
  const there = new Map<string, T>();
  let end = (): void => undefined;
  const limit = new Promise<void>(resolve => {
    end = resolve;
  });
  const timer = clock.after(ms, end);
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  await Promise.race([
    limit,
    Promise.all(
      [...named].map(async ([name, promise]) => {
        there.set(name, await promise);
      }),
    ),
  ]);
  timer[Symbol.dispose]();
  signal.removeEventListener("abort", end);
  return {
    there: [...named.keys()]
      .flatMap(name => (there.has(name) ? [there.get(name)] : []))
      .filter((value): value is T => value !== undefined),
    late: [...named.keys()].filter(name => !there.has(name)),
  };
}
