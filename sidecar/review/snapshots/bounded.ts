/** Work on many items: bounded concurrency, slices and groups. Pure. */

/** The results in the order of the items. After a failure, no further work begins, and the running one ends first. */
export async function mapBounded<T, R>(
  limit: number,
  items: readonly T[],
  map: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [],
    remaining = items.entries(),
    failures: unknown[] = [];
  const work = async (): Promise<void> => {
    for (const [i, item] of remaining) {
      if (failures.length > 0) return;
      try {
        results[i] = await map(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  if (failures.length > 0) throw failures[0];
  return results;
}

/** The items by key, in their order. */
export function grouped<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

export function slices<T>(items: readonly T[], length: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / length) }, (_, i) => items.slice(i * length, (i + 1) * length));
}
