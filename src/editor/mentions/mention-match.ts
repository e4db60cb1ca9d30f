/**
 * Fuzzy matching of the text after an `@` against names and paths. The characters must occur in this order, with any
 * characters between them.
 *
 *     0 full name   1 prefix of the name   2 prefix of a word   3 within the name   4 initials of the words
 *     5 within the path, from a folder name   6 within the path   7 scattered over the name   8 scattered over the path
 *
 * Invariants: matching ignores case. The ranking does not depend on the order of the candidates, and an additional
 * candidate does not change the order of the others. Pure.
 */

/** A search candidate, prepared once: a path with `/`, or a name. */
export interface Target {
  readonly path: string;
  readonly lower: string;
  /** Offset of the last path segment in `lower`. */
  readonly nameAt: number;
}

export function target(path: string): Target {
  const lower = path.normalize("NFC").toLowerCase();
  return { path, lower, nameAt: lower.lastIndexOf("/") + 1 };
}

interface Fit {
  readonly tier: number;
  readonly spread: number;
}

/** `undefined`: no match. `spread`: number of characters that the match covers. `query`: a result of `typed`. */
export function fit(query: string, candidate: Target): Fit | undefined {
  const { lower, nameAt } = candidate;
  const name = lower.slice(nameAt);
  const close = (tier: number): Fit => ({ tier, spread: query.length });
  if (query === "" || name === query || lower === query) return close(0);
  if (name.startsWith(query) || lower.startsWith(query)) return close(1);
  if (name.includes(query)) return close(startsWord(query, candidate) ? 2 : 3);
  const spread = spreadOf(query, name);
  if (spread !== undefined && initials(candidate).startsWith(query)) return close(4);
  if (lower.includes(query)) return close(lower.includes(`/${query}`) ? 5 : 6);
  if (spread !== undefined) return { tier: 7, spread };
  const all = spreadOf(query, lower);
  return all === undefined ? undefined : { tier: 8, spread: all };
}

/** Normalizes the user's input for `fit`. */
export function typed(query: string): string {
  return query.normalize("NFC").toLowerCase().replaceAll("\\", "/");
}

/**
 * The best matches, at most `limit`, best first. Ties are broken by lower `weight`, smaller spread, shorter path, and
 * alphabetical order.
 */
export function best<T extends { readonly target: Target }>(
  query: string,
  candidates: Iterable<T>,
  weight: (candidate: T) => number,
  limit: number,
): readonly T[] {
  const wanted = typed(query),
    found: Found<T>[] = [];
  for (const candidate of candidates) {
    const fits = fit(wanted, candidate.target);
    if (fits === undefined) continue;
    const first = { ...fits, candidate, weight: weight(candidate) };
    const last = found[limit - 1];
    if (last !== undefined && compare(last, first) <= 0) continue;
    found.splice(placeOf(first, found), 0, first);
    if (found.length > limit) found.pop();
  }
  return found.map(({ candidate }) => candidate);
}

interface Found<T> extends Fit {
  readonly candidate: T;
  readonly weight: number;
}

function compare<T extends { readonly target: Target }>(a: Found<T>, b: Found<T>): number {
  const [x, y] = [a.candidate.target.lower, b.candidate.target.lower];
  return (
    a.tier - b.tier ||
    a.weight - b.weight ||
    a.spread - b.spread ||
    x.length - y.length ||
    (x < y ? -1 : x > y ? 1 : alphabet(a.candidate.target.path, b.candidate.target.path))
  );
}

const alphabet = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Insertion index after all entries that are at least as good. */
function placeOf<T extends { readonly target: Target }>(item: Found<T>, found: readonly Found<T>[]): number {
  let low = 0,
    high = found.length;
  while (low < high) {
    const middle = (low + high) >> 1,
      second = found[middle];
    if (second !== undefined && compare(second, item) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Length of the match, from the latest possible start to the earliest possible end. */
function spreadOf(query: string, text: string): number | undefined {
  let end = -1;
  for (const character of query) {
    const at = text.indexOf(character, end + 1);
    if (at === -1) return undefined;
    end = at + character.length - 1;
  }
  let start = end + 1;
  for (const character of [...query].reverse()) start = text.lastIndexOf(character, start - character.length);
  return end + 1 - start;
}

function startsWord(query: string, { path, lower, nameAt }: Target): boolean {
  for (let at = lower.indexOf(query, nameAt); at !== -1; at = lower.indexOf(query, at + 1))
    if (isWordStart(path.length === lower.length ? path : lower, at)) return true;
  return false;
}

function initials({ path, lower, nameAt }: Target): string {
  const text = path.length === lower.length ? path : lower;
  let first = "";
  for (let at = nameAt; at < lower.length; at++)
    if (isWordStart(text, at) && WORD.test(text.charAt(at))) first += lower.charAt(at);
  return first;
}

const WORD = /[\p{L}\p{N}]/u,
  UPPER = /\p{Lu}/u,
  DIGIT = /\p{N}/u;

function isWordStart(text: string, at: number): boolean {
  const before = text.charAt(at - 1),
    here = text.charAt(at);
  return (
    at === 0 ||
    !WORD.test(before) ||
    (UPPER.test(here) && !UPPER.test(before)) ||
    (DIGIT.test(here) && !DIGIT.test(before))
  );
}
