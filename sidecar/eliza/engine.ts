/**
 * Eliza, after J. Weizenbaum, “ELIZA: A Computer Program for the Study of Natural Language Communication between Man
 * and Machine”, CACM 9(1), 1966. The engine is independent of the language, which the script defines
 * (`doctor-script.ts`).
 *
 *   text → first clause with a keyword → words reflected (my → your), keywords on a stack by rank
 *        → the first matching pattern of the top keyword decomposes the clause → its next reply is assembled
 *
 * A reply may instead link to another keyword, rewrite the clause and link, or try the next keyword. Statements about
 * one keyword (“my”) are also stored. At most every fourth text, if it has no keyword, is answered with the oldest
 * stored statement.
 *
 * Invariants:
 * - A reply is never empty.
 * - The same conversation with the same starting replies gives the same replies.
 * - Patterns are matched without backtracking, in linear time. The length of quotations is bounded.
 */
import { clauses, word, type Clause, type Token } from "./tokenizer";
import type { CompiledKeyword, CompiledRule, CompiledScript, Piece, Reply, Segment, WordTest } from "./script-compiler";

export interface ElizaOptions {
  /** Whether each list of replies starts at its `first` reply in the script. */
  readonly deterministic: boolean;
  /** Returns a number from 0 to 1, which selects the start of each list in other conversations. */
  readonly random?: () => number;
}

type Parts = readonly (readonly Token[])[];
/** A clause after reflection, and its keywords, the next one first. */
interface ReflectedClause {
  readonly words: readonly Token[];
  readonly keywords: readonly string[];
  readonly rank: number;
}

const MAX_MEMORIES = 32,
  MAX_LINKS = 100,
  MAX_QUOTED_WORDS = 40,
  MAX_QUOTED_LETTERS = 80;

/** One conversation. */
export class Eliza {
  readonly #script: CompiledScript;
  /** The position in each rule's replies, by the rule's index. */
  readonly #places: number[];
  readonly #memories: string[] = [];
  /** Cycles from 1 to 4, one step per text; memories are used only at 4. */
  #limit = 1;

  constructor(script: CompiledScript, { deterministic, random = Math.random }: ElizaOptions) {
    this.#script = script;
    this.#places = script.rules.map(({ first, replies }) =>
      deterministic ? first : Math.min(replies.length - 1, Math.floor(random() * replies.length)),
    );
  }

  reply(text: string): string {
    this.#limit = (this.#limit % 4) + 1;
    const clause = this.#selectClause(text);
    if (clause === undefined) return this.#script.greeting;
    const [top] = clause.keywords;
    if (top === undefined)
      return (this.#limit === 4 ? this.#memories.shift() : undefined) ?? this.#fallBack(clause.words);
    if (top === this.#script.memory.keyword) this.#remember(clause.words);
    return this.#answer(clause);
  }

  /**
   * Returns the clause to answer: the first with a keyword of rank 0 or more, otherwise the one with the highest rank.
   */
  #selectClause(text: string): ReflectedClause | undefined {
    let best: ReflectedClause | undefined;
    for (const words of this.#joinedClauses(text)) {
      const clause = this.#reflect(words);
      if (clause.rank >= 0) return clause;
      if (best === undefined || clause.rank > best.rank) best = clause;
    }
    return best;
  }

  /**
   * Returns the clauses of a text. A single last word after a comma that is not a keyword (“I am well, thanks”) does
   * not start a clause.
   */
  *#joinedClauses(text: string): Generator<readonly Token[]> {
    let pending: Clause | undefined;
    for (const clause of clauses(text)) {
      const [only, ...others] = clause.words;
      const belongs =
        clause.end === "stop" && others.length === 0 && only !== undefined && !this.#script.keywords.has(only.key);
      if (pending?.end === "comma" && belongs) {
        yield [...pending.words, ...clause.words];
        pending = undefined;
        continue;
      }
      if (pending !== undefined) yield pending.words;
      pending = clause;
    }
    if (pending !== undefined) yield pending.words;
  }

  #reflect(words: readonly Token[]): ReflectedClause {
    const { spelling, keywords } = this.#script;
    const stack: string[] = [];
    let rank = -Infinity;
    const reflected = words
      .flatMap(each => spelling.get(each.key)?.map(word) ?? [each])
      .map(spelt => {
        const keyword = keywords.get(spelt.key);
        if (keyword !== undefined && keyword.rules.length > 0 && !stack.includes(spelt.key)) {
          if (keyword.rank > rank) stack.unshift(spelt.key);
          else stack.push(spelt.key);
          rank = Math.max(rank, keyword.rank);
        }
        return keyword?.becomes === undefined ? spelt : word(keyword.becomes);
      });
    return { words: reflected, keywords: stack, rank };
  }

  #remember(words: readonly Token[]): void {
    const { rule } = this.#script.memory;
    const parts = decompose(rule.pattern, words);
    if (parts === undefined || this.#memories.length >= MAX_MEMORIES) return;
    const reply = this.#next(rule);
    if (reply.kind === "say") this.#memories.push(this.#assemble(reply.pieces, parts));
  }

  #answer({ words, keywords: [...stack] }: ReflectedClause): string {
    let top = stack.shift();
    for (let links = 0; top !== undefined && links < MAX_LINKS; links++) {
      const fit = firstFit(this.#script.keywords.get(top), words);
      const reply: Reply = fit === undefined ? { kind: "next" } : this.#next(fit.rule);
      switch (reply.kind) {
        case "say":
          return this.#assemble(reply.pieces, fit?.parts ?? []);
        case "link":
          top = reply.to;
          break;
        case "pre":
          words = reply.pieces.flatMap(piece =>
            typeof piece === "number"
              ? (fit?.parts[piece - 1] ?? [])
              : piece
                  .split(" ")
                  .filter(text => text !== "")
                  .map(word),
          );
          top = reply.to;
          break;
        case "next":
          top = stack.shift();
          break;
      }
    }
    return this.#fallBack(words);
  }

  #fallBack(words: readonly Token[]): string {
    const reply = this.#next(this.#script.fallback);
    return reply.kind === "say" ? this.#assemble(reply.pieces, [words]) : this.#script.greeting;
  }

  #next({ index, replies }: CompiledRule): Reply {
    const place = this.#places[index] ?? 0;
    this.#places[index] = (place + 1) % replies.length;
    return replies[place] ?? replies[0];
  }

  #assemble(pieces: readonly Piece[], parts: Parts): string {
    let text = "";
    for (const piece of pieces) {
      const insertion = typeof piece === "string" ? piece : quote(this.#polish(parts[piece - 1] ?? []));
      text = insertion === "" ? text.trimEnd() : text + insertion;
    }
    return text.charAt(0).toUpperCase() + text.slice(1);
  }

  #polish(words: readonly Token[]): readonly Token[] {
    const polished: Token[] = [];
    for (let i = 0; i < words.length; ) {
      const rule = this.#script.polish.find(({ from }) =>
        from.every((key, k) => (key === "." ? i + k === words.length : words[i + k]?.key === key)),
      );
      const token = words[i];
      if (rule !== undefined) polished.push(...rule.to.map(word));
      else if (token !== undefined) polished.push(token);
      i += Math.max(1, rule?.from.filter(key => key !== ".").length ?? 1);
    }
    return polished;
  }
}

function firstFit(
  keyword: CompiledKeyword | undefined,
  words: readonly Token[],
): { readonly rule: CompiledRule; readonly parts: Parts } | undefined {
  for (const rule of keyword?.rules ?? []) {
    const parts = decompose(rule.pattern, words);
    if (parts !== undefined) return { rule, parts };
  }
  return undefined;
}

/**
 * Returns the parts of `words` that `pattern` matches, or undefined. Each gap is as short as possible. No
 * backtracking is needed: the first position of a run never excludes a match, because the gap after the run can grow
 * instead.
 */
export function decompose(pattern: readonly Segment[], words: readonly Token[]): Parts | undefined {
  const parts: (readonly Token[])[] = [];
  let at = 0;
  for (const [i, { gap, tests }] of pattern.entries()) {
    const last = words.length - tests.length,
      end = i === pattern.length - 1;
    let start = gap && end ? Math.max(at, last) : at;
    while (gap && start < last && !matchesAt(tests, words, start)) start++;
    if (!matchesAt(tests, words, start) || (end && start !== last)) return undefined;
    if (gap) parts.push(words.slice(at, start));
    for (let k = 0; k < tests.length; k++) parts.push(words.slice(start + k, start + k + 1));
    at = start + tests.length;
  }
  return parts;
}

function matchesAt(tests: readonly WordTest[], words: readonly Token[], at: number): boolean {
  return tests.every((test, k) => {
    const found = words[at + k];
    return found !== undefined && (test === "any" || test.has(found.key));
  });
}

function quote(words: readonly Token[]): string {
  const quotation = words
    .slice(0, MAX_QUOTED_WORDS)
    .map(({ text }) => shortened(text))
    .join(" ");
  return words.length > MAX_QUOTED_WORDS ? `${quotation} …` : quotation;
}

function shortened(text: string): string {
  return text.length <= MAX_QUOTED_LETTERS
    ? text
    : `${text.slice(0, MAX_QUOTED_LETTERS).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
