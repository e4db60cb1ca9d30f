/**
 * The first `max` items. Lists and projects are untrusted, so each number is limited. `problems`: the sentence about
 * the omitted items, if there are any.
 */
export function firstOf<T>(
  items: readonly T[],
  max: number,
  problem: (total: number) => string,
): { readonly first: readonly T[]; readonly problems: readonly string[] } {
  return items.length <= max
    ? { first: items, problems: [] }
    : { first: items.slice(0, max), problems: [problem(items.length)] };
}
