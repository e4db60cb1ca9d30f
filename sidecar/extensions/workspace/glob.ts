/**
 * Matches paths with a glob pattern: `*`, `?`, `[a-z]`, `{a,b}`, and `**` for any number of folders. Paths are
 * relative, with `/`. Pure.
 *
 * Invariant: the time is bounded by the product of the lengths of pattern and path. A regular expression could take
 * exponential time.
 */

/**
 * A pattern without a slash matches the file name in any folder. A pattern without special characters matches any part
 * of the path, ignoring case.
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  if (!isGlob(pattern)) {
    const part = pattern.toLowerCase();
    return path => path.toLowerCase().includes(part);
  }
  const patterns = alternatives(pattern).map(segmentsOf);
  return path => {
    const parts = path.split("/");
    return patterns.some(segments => fits(segments, parts, segmentFits));
  };
}

export function isGlob(pattern: string): boolean {
  return /[*?[{]/.test(pattern);
}

type Token = { readonly kind: "any" } | { readonly kind: "single"; readonly test: (char: string) => boolean };
type Segment = { readonly kind: "any" } | { readonly kind: "single"; readonly tokens: readonly Token[] };

/**
 * `any` matches any number of items. The earliest match of the parts between two `any` is optimal, so only the last
 * `any` needs backtracking.
 */
function fits<P extends { readonly kind: "any" | "single" }, T>(
  pattern: readonly P[],
  items: readonly T[],
  test: (each: P, item: T) => boolean,
): boolean {
  let p = 0,
    last = -1,
    from = 0;
  for (let i = 0; i < items.length; ) {
    const at = pattern[p],
      item = items[i];
    if (at?.kind === "any") {
      last = p++;
      from = i;
    } else if (at && item !== undefined && test(at, item)) {
      p++;
      i++;
    } else if (last !== -1) {
      p = last + 1;
      i = ++from;
    } else return false;
  }
  while (pattern[p]?.kind === "any") p++;
  return p === pattern.length;
}

function segmentFits(segment: Segment, part: string): boolean {
  return (
    segment.kind === "any" || fits(segment.tokens, [...part], (token, char) => token.kind === "any" || token.test(char))
  );
}

function segmentsOf(pattern: string): readonly Segment[] {
  const clean = pattern.replace(/^(?:\.?\/)+/, ""),
    whole = clean.endsWith("/") ? `${clean}**/*` : clean;
  const segments = whole
    .split("/")
    .filter(part => part !== "")
    .map((part): Segment => (part === "**" ? { kind: "any" } : { kind: "single", tokens: tokensOf(part) }));
  return whole.includes("/") || pattern.startsWith("/") ? segments : [{ kind: "any" }, ...segments];
}

function tokensOf(part: string): readonly Token[] {
  const tokens: Token[] = [],
    chars = [...part],
    literal = (char: string): Token => ({ kind: "single", test: item => item === char });
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i] ?? "",
      end = char === "[" ? chars.indexOf("]", i + (/[!^]/.test(chars[i + 1] ?? "") ? 3 : 2)) : -1;
    if (char === "*") {
      if (tokens.at(-1)?.kind !== "any") tokens.push({ kind: "any" });
    } else if (char === "?") tokens.push({ kind: "single", test: () => true });
    else if (end !== -1) {
      tokens.push(setOf(chars.slice(i + 1, end)));
      i = end;
    } else if (char === "\\" && i + 1 < chars.length) tokens.push(literal(chars[++i] ?? ""));
    else tokens.push(literal(char));
  }
  return tokens;
}

/** A character class, given the characters inside its brackets. */
function setOf(chars: readonly string[]): Token {
  const isNegated = /[!^]/.test(chars[0] ?? ""),
    members = isNegated ? chars.slice(1) : chars,
    ranges: (readonly [from: string, to: string])[] = [];
  for (let i = 0; i < members.length; i++) {
    const from = members[i] ?? "",
      to = members[i + 1] === "-" ? members[i + 2] : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) i += 2;
  }
  return { kind: "single", test: char => ranges.some(([from, to]) => from <= char && char <= to) !== isNegated };
}

/** Maximum number of expanded alternatives, because consecutive braces multiply them. */
const MAX_ALTERNATIVES = 100;

/** Expands `a{b,c{d,e}}` to `ab`, `acd`, `ace`. Unclosed braces are literal. */
function alternatives(pattern: string): readonly string[] {
  const open = pattern.indexOf("{"),
    parts: string[] = [];
  let depth = 0,
    start = open + 1;
  for (let i = open; open !== -1 && i < pattern.length; i++) {
    const char = pattern[i];
    if (char === "{") depth++;
    if ((char === "," && depth === 1) || (char === "}" && depth === 1)) {
      parts.push(pattern.slice(start, i));
      start = i + 1;
    }
    if (char === "}" && --depth === 0) {
      const before = pattern.slice(0, open),
        after = alternatives(pattern.slice(i + 1));
      return parts
        .flatMap(part => alternatives(part).flatMap(middle => after.map(rest => before + middle + rest)))
        .slice(0, MAX_ALTERNATIVES);
    }
  }
  return [pattern];
}
