/**
 * Eliza, after J. Weizenbaum, “ELIZA: A Computer Program for the Study of Natural Language Communication between Man
 * and Machine”, CACM 9(1), 1966. The engine is independent of the language, which the script defines
 * (`doctor-script.ts`).
 *
 *   text → first clause with a keyword → words reflected on the way (my → your), keywords on a stack by rank
 *        → the first matching pattern of the top keyword decomposes the clause → its next reply is assembled
 *
 * A reply may instead link to another keyword, rewrite the clause and link, or try the next keyword. Statements about
 * one keyword (“my”) are also stored. For a text without a keyword, at most every fourth time, the oldest stored
 * statement is used.
 *
 * Invariants: a reply is never empty; the same conversation with the same starting replies gives the same replies; the
 * work is linear in the text (patterns are matched without backtracking), and the length of quotations is bounded.
 */
import { clauses, word, type Clause, type Token } from "./tokenizer";
import type { CompiledKeyword, CompiledRule, CompiledScript, Piece, Reply, Segment, WordTest } from "./script";

export interface ElizaOptions {
  /** Every list of replies starts where the script defines. */
  readonly deterministic: boolean;
  /** Returns a number from 0 to 1, which selects the start of each list otherwise. */
  readonly random?: () => number;
}

type Parts = readonly (readonly Token[])[];
/** A clause after reflection, and its keywords, the next one first. */
interface ReflectedClause {
  readonly words: readonly Token[];
  readonly keywords: readonly string[];
  readonly rank: number;
}

const MEMORIES = 32,
  LINKS = 100,
  QUOTED_WORDS = 40,
  QUOTED_LETTERS = 80;

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
    const clause = this.#listen(text);
    if (clause === undefined) return this.#script.greeting;
    const [top] = clause.keywords;
    if (top === undefined)
      return (this.#limit === 4 ? this.#memories.shift() : undefined) ?? this.#fallBack(clause.words);
    if (top === this.#script.memory.keyword) this.#remember(clause.words);
    return this.#answer(clause);
  }

  /** The clause to answer: the first with a keyword of rank 0 or more, else the first with any, else the first. */
  #listen(text: string): ReflectedClause | undefined {
    let best: ReflectedClause | undefined;
    for (const words of this.#spoken(text)) {
      const clause = this.#reflect(words);
      if (clause.rank >= 0) return clause;
      if (best === undefined || clause.rank > best.rank) best = clause;
    }
    return best;
  }

  /**
   * The clauses of a text. A single last word after a comma that is not a keyword (“I am well, thanks”) does not start
   * a clause.
   */
  *#spoken(text: string): Generator<readonly Token[]> {
    let held: Clause | undefined;
    for (const clause of clauses(text)) {
      const [only, ...others] = clause.words;
      const belongs =
        clause.end === "stop" && others.length === 0 && only !== undefined && !this.#script.keywords.has(only.key);
      if (held?.end === "comma" && belongs) {
        yield [...held.words, ...clause.words];
        held = undefined;
        continue;
      }
      if (held !== undefined) yield held.words;
      held = clause;
    }
    if (held !== undefined) yield held.words;
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
    if (parts === undefined || this.#memories.length >= MEMORIES) return;
    const reply = this.#next(rule);
    if (reply.kind === "say") this.#memories.push(this.#assemble(reply.pieces, parts));
  }

  #answer({ words, keywords: [...stack] }: ReflectedClause): string {
    let top = stack.shift();
    for (let links = 0; top !== undefined && links < LINKS; links++) {
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
      const piecedText = typeof piece === "string" ? piece : quote(this.#polish(parts[piece - 1] ?? []));
      text = piecedText === "" ? text.trimEnd() : text + piecedText;
    }
    return text.charAt(0).toUpperCase() + text.slice(1);
  }

  #polish(words: readonly Token[]): readonly Token[] {
    const polished: Token[] = [];
    for (let i = 0; i < words.length; ) {
      const rule = this.#script.polish.find(({ from }) =>
        from.every((key, k) => (key === "." ? i + k === words.length : words[i + k]?.key === key)),
      );
      const own = words[i];
      if (rule !== undefined) polished.push(...rule.to.map(word));
      else if (own !== undefined) polished.push(own);
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
 * The parts of `words` that `pattern` matches, or undefined. Each gap is as short as possible. Taking the first
 * position of the next run never loses a match, because the gap after it can grow instead. No backtracking is needed.
 */
export function decompose(pattern: readonly Segment[], words: readonly Token[]): Parts | undefined {
  const parts: (readonly Token[])[] = [];
  let at = 0;
  for (const [i, { gap, tests }] of pattern.entries()) {
    const last = words.length - tests.length,
      end = i === pattern.length - 1;
    let start = gap && end ? Math.max(at, last) : at;
    while (gap && start < last && !stands(tests, words, start)) start++;
    if (!stands(tests, words, start) || (end && start !== last)) return undefined;
    if (gap) parts.push(words.slice(at, start));
    for (let k = 0; k < tests.length; k++) parts.push(words.slice(start + k, start + k + 1));
    at = start + tests.length;
  }
  return parts;
}

function stands(tests: readonly WordTest[], words: readonly Token[], at: number): boolean {
  return tests.every((test, k) => {
    const found = words[at + k];
    return found !== undefined && (test === "any" || test.has(found.key));
  });
}

function quote(words: readonly Token[]): string {
  const text = words
    .slice(0, QUOTED_WORDS)
    .map(({ text: whole }) => shortened(whole))
    .join(" ");
  return words.length > QUOTED_WORDS ? `${text} …` : text;
}

function shortened(text: string): string {
  return text.length <= QUOTED_LETTERS ? text : `${text.slice(0, QUOTED_LETTERS).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
