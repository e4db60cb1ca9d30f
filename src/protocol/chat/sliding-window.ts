/**
 * Window on the newest items of a long list: the entries of a conversation that a page has, and the cards that it
 * draws. Pure.
 *
 * Invariants:
 * - The window moves rarely.
 * - The window never shrinks below the user's request.
 * - The window always contains the newest item.
 */
export interface SlidingWindow {
  /** Index of the first item in the window. */
  readonly first: number;
  /** Additional weight that the user requested. */
  readonly extra: number;
}

export const wholeWindow: SlidingWindow = { first: 0, extra: 0 };

/** A window heavier than `maxWeight` is reduced to `weight`. */
export interface WindowLimits<T> {
  readonly weight: number;
  readonly maxWeight: number;
  weightOf(item: T): number;
}

/** Weight of an item with this many characters. */
export const weightOfCharacters = (count: number): number => 1 + Math.floor(count / 1_000);

/** Removes the oldest items from a window that is too heavy. */
export function slide<T>(
  { first, extra }: SlidingWindow,
  items: readonly T[],
  { weight, maxWeight, weightOf }: WindowLimits<T>,
): SlidingWindow {
  const from = Math.min(first, items.length);
  return {
    first:
      weigh(items, from, items.length, weightOf) > maxWeight + extra
        ? Math.max(from, startOf(items, items.length, weight + extra, weightOf))
        : from,
    extra,
  };
}

/** Extends the window at the user's request. */
export function showEarlier<T>(
  { first, extra }: SlidingWindow,
  items: readonly T[],
  { weight, weightOf }: WindowLimits<T>,
): SlidingWindow {
  const earlier = startOf(items, first, weight, weightOf);
  return { first: earlier, extra: extra + weigh(items, earlier, first, weightOf) };
}

/** Items before `at` and from it on, each of at most half the weight of a window, or all if few items follow. */
export function around<T>(
  items: readonly T[],
  at: number,
  { weight, weightOf }: WindowLimits<T>,
): { readonly first: number; readonly end: number } {
  const end = endOf(items, at, weight / 2, weightOf);
  return {
    first: at === 0 ? 0 : startOf(items, at, weight / 2, weightOf),
    end: weigh(items, end, items.length, weightOf) <= weight / 2 ? items.length : end,
  };
}

/** End index of the first items from `first` on with a total weight of at most `maxWeight`; at least one item. */
export function endOf<T>(items: readonly T[], first: number, maxWeight: number, weightOf: (item: T) => number): number {
  let end = first,
    weight = 0;
  for (const item of items.slice(first)) {
    weight += weightOf(item);
    if (weight > maxWeight && end > first) break;
    end++;
  }
  return end;
}

export function weigh<T>(items: readonly T[], from: number, to: number, weightOf: (item: T) => number): number {
  let sum = 0;
  for (const item of items.slice(from, to)) sum += weightOf(item);
  return sum;
}

/** Start index of the last items before `end` with a total weight of at most `maxWeight`; at least one item. */
function startOf<T>(items: readonly T[], end: number, maxWeight: number, weightOf: (item: T) => number): number {
  let first = end,
    weight = 0;
  for (const item of items.slice(0, end).reverse()) {
    weight += weightOf(item);
    if (weight > maxWeight && first < end) break;
    first--;
  }
  return first;
}
