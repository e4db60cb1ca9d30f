/** What is there in time. */
import type { Clock } from "../../rpc/clock";

/**
 * Resolves when all of them have, after `ms`, or when `signal` aborts, with those that have by then, in their order,
 * and the names of the others. None of them rejects.
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
