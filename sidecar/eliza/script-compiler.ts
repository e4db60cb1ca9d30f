/**
 * The source form and the compiled form of an Eliza script.
 *
 * Patterns decompose a clause. `*` matches any number of words and `_` exactly one. `[sad unhappy]` matches one of
 * these words, and `<family>` one with that tag. Any other word matches itself. Each of these is a part. Parts are
 * counted from 1, and replies quote them: `Your {3}.` `compile` rejects an invalid script: a link to a missing keyword,
 * or a part that its pattern does not have.
 */

/** The action of a rule: reply, link to another keyword, rewrite the clause and link, or try the next keyword. */
export type Say =
  | string
  | { readonly link: string }
  | { readonly pre: string; readonly link: string }
  | { readonly next: true };
export const link = (to: string): Say => ({ link: to });
export const pre = (rewritten: string, to: string): Say => ({ pre: rewritten, link: to });
export const next: Say = { next: true };

export interface Rule {
  readonly match: string;
  /** Used in order, starting again after the last. */
  readonly say: readonly Say[];
  /** Index in `say`, from 0, with which a deterministic conversation starts. */
  readonly first?: number;
}

export interface Keyword {
  /** The keyword's form in a reply: `my` → `your`. A keyword without other members is only reflected. */
  readonly becomes?: string;
  /** Higher ranks have precedence. With a rank below 0, keywords in later clauses have precedence, too. Default 0. */
  readonly rank?: number;
  readonly rules?: readonly Rule[];
  /** The keyword whose rules are also used. */
  readonly as?: string;
}

export interface Script {
  /** The reply to a text without words. */
  readonly greeting: string;
  /** Spellings that are corrected first. */
  readonly spelling: Readonly<Record<string, string>>;
  /** Words that a pattern matches as `<tag>`. */
  readonly tags: Readonly<Record<string, string>>;
  /** Grammar corrections in quotations, after reflection: words → words, where `.` is the end of the quotation. */
  readonly polish: readonly (readonly [from: string, to: string])[];
  readonly keywords: Readonly<Record<string, Keyword>>;
  /** Statements about `keyword` are stored for later texts without a keyword. */
  readonly memory: { readonly keyword: string; readonly rule: Rule };
  readonly fallback: Rule;
}

/** A test of one word: any word, or one of these. */
export type WordTest = "any" | ReadonlySet<string>;
/** A run of words, optionally after a gap of any number of words. */
export interface Segment {
  readonly gap: boolean;
  readonly tests: readonly WordTest[];
}
export type Piece = string | number;
export type Reply =
  | { readonly kind: "say"; readonly pieces: readonly Piece[] }
  | { readonly kind: "link"; readonly to: string }
  | { readonly kind: "pre"; readonly pieces: readonly Piece[]; readonly to: string }
  | { readonly kind: "next" };

/**
 * `index` is the number of the rule in its script. A conversation stores its position in the replies of each rule by
 * `index`.
 */
export interface CompiledRule {
  readonly index: number;
  readonly pattern: readonly Segment[];
  readonly replies: readonly [Reply, ...Reply[]];
  readonly first: number;
}
export interface CompiledKeyword {
  readonly becomes: string | undefined;
  readonly rank: number;
  readonly rules: readonly CompiledRule[];
}
export interface CompiledScript {
  readonly greeting: string;
  readonly spelling: ReadonlyMap<string, readonly string[]>;
  readonly polish: readonly { readonly from: readonly string[]; readonly to: readonly string[] }[];
  readonly keywords: ReadonlyMap<string, CompiledKeyword>;
  readonly memory: { readonly keyword: string; readonly rule: CompiledRule };
  readonly fallback: CompiledRule;
  /** In the order of their `index`. */
  readonly rules: readonly CompiledRule[];
}

const split = (words: string): string[] => words.split(" ").filter(word => word !== "");

/** Throws for an invalid script; the message contains the location. */
export function compile(script: Script): CompiledScript {
  const rules: CompiledRule[] = [];
  const rule = (source: Rule, location: string): CompiledRule => {
    const compiled = compileRule(source, rules.length, script, location);
    rules.push(compiled);
    return compiled;
  };
  return {
    greeting: script.greeting,
    spelling: new Map(Object.entries(script.spelling).map(([wrong, right]) => [wrong, split(right)])),
    polish: script.polish.map(([from, to]) => ({ from: split(from), to: split(to) })),
    keywords: new Map(
      Object.entries(script.keywords).map(([name, { becomes, rank = 0, rules: own = [], as }]) => [
        name,
        {
          becomes,
          rank,
          rules: [...own, ...(as === undefined ? [] : [{ match: "*", say: [link(as)] }])].map(each => rule(each, name)),
        },
      ]),
    ),
    memory: { keyword: script.memory.keyword, rule: rule(script.memory.rule, "memory") },
    fallback: rule(script.fallback, "fallback"),
    rules,
  };
}

function compileRule({ match, say, first = 0 }: Rule, index: number, script: Script, location: string): CompiledRule {
  const place = `the script's “${location}”, “${match}”`;
  const { pattern, parts } = compilePattern(match, script.tags, place);
  const [head, ...tail] = say.map(each => compileSay(each, parts, script.keywords, place));
  if (head === undefined || first >= say.length) throw new Error(`${place}: no reply to begin with`);
  return { index, pattern, replies: [head, ...tail], first };
}

function compilePattern(
  match: string,
  tags: Script["tags"],
  place: string,
): { readonly pattern: readonly Segment[]; readonly parts: number } {
  const elements = match.match(/\[[^\]]*\]|\S+/g) ?? [];
  const pattern: { gap: boolean; tests: WordTest[] }[] = [{ gap: false, tests: [] }];
  elements.forEach((element, i) => {
    if (element !== "*") pattern.at(-1)?.tests.push(compileTest(element, tags, place));
    else if (elements[i - 1] === "*") throw new Error(`${place}: two * side by side`);
    else pattern.push({ gap: true, tests: [] });
  });
  if (pattern.length > 1 && pattern[0]?.tests.length === 0) pattern.shift();
  return { pattern, parts: elements.length };
}

function compileTest(element: string, tags: Script["tags"], place: string): WordTest {
  if (element === "_") return "any";
  if (element.startsWith("[")) return new Set(split(element.slice(1, -1)));
  if (!element.startsWith("<")) return new Set([element.toLowerCase()]);
  const tagged = tags[element.slice(1, -1)];
  if (tagged === undefined) throw new Error(`${place}: no such tag`);
  return new Set(split(tagged));
}

function compileSay(say: Say, parts: number, keywords: Script["keywords"], place: string): Reply {
  if (typeof say === "string") return { kind: "say", pieces: compilePieces(say, parts, place) };
  if ("next" in say) return { kind: "next" };
  if (!Object.hasOwn(keywords, say.link)) throw new Error(`${place}: no keyword “${say.link}”`);
  return "pre" in say
    ? { kind: "pre", pieces: compilePieces(say.pre, parts, place), to: say.link }
    : { kind: "link", to: say.link };
}

function compilePieces(text: string, parts: number, place: string): Piece[] {
  return text
    .split(/(\{\d+\})/)
    .filter(piece => piece !== "")
    .map(piece => {
      if (!/^\{\d+\}$/.test(piece)) return piece;
      const part = Number(piece.slice(1, -1));
      if (part < 1 || part > parts) throw new Error(`${place}: no part ${piece}`);
      return part;
    });
}
