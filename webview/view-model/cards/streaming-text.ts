/**
 * Converts growing texts to cards. A finished part is processed once; only the last part is processed again.
 *
 * Invariants:
 * - The same text gives the same strings, independent of earlier texts.
 * - An unchanged part is the same card object.
 * - At most `MAX_TEXTS` texts are cached, the most recently used ones.
 */
import { card, keyOf, type Card } from "./card";
import { safeAnswer, safeMarkdown } from "../text/markdown-safe";
import { diagramBlocks } from "../text/diagram-blocks";
import { splitOn, type Part, type Split } from "../text/split-answer";

interface CachedText {
  readonly split: Split;
  readonly blocks: readonly string[];
  readonly cards: readonly Card[];
}

/** Two texts per tab can grow simultaneously: an answer and a thought. */
const MAX_TEXTS = 20;

export class StreamingTexts {
  readonly #cache = new Map<string, CachedText>();

  /**
   * Sanitized Markdown in parts short enough to render. `id` is a cache hint: the text is likely to extend the earlier
   * one with this id.
   */
  blocks(id: string, text: string): readonly string[] {
    return this.#grow(`text ${id}`, text, safeMarkdown).blocks;
  }

  /** One card per part. The last card grows while the text grows. Blank text has no cards. */
  cards(id: string, kind: "prompt" | "answer", text: string, growing: boolean): readonly Card[] {
    const key = `${kind} ${id}`,
      grown = this.#grow(key, text, kind === "answer" ? safeAnswer : safeMarkdown);
    if (!/\S/.test(text)) return [];
    const last = grown.blocks.length - 1;
    const cards = grown.blocks.map((body, i) => {
      const before = grown.cards[i],
        grows = growing && i === last;
      return before?.body === body && before.growing === grows
        ? before
        : {
            ...card(id, kind, { body, growing: grows, diagrams: diagramsOf(kind, grown.split.parts[i]) }),
            key: i === 0 ? keyOf(id) : `${keyOf(id)}#${i + 1}`,
          };
    });
    this.#cache.set(key, { ...grown, cards });
    return cards;
  }

  #grow(key: string, text: string, safe: (markdown: string) => string): CachedText {
    const before = this.#cache.get(key);
    const split = splitOn(before?.split, text);
    const blocks = split.parts.map(
      (part, i) => (before?.split.parts[i] === part ? before.blocks[i] : undefined) ?? safe(whole(part)),
    );
    const grown = { split, blocks, cards: before?.cards ?? [] };
    this.#cache.delete(key);
    this.#cache.set(key, grown);
    const [oldest] = this.#cache.keys();
    if (this.#cache.size > MAX_TEXTS && oldest !== undefined) this.#cache.delete(oldest);
    return grown;
  }
}

function diagramsOf(kind: "prompt" | "answer", part: Part | undefined): readonly boolean[] {
  return kind === "answer" && part !== undefined ? diagramBlocks(part) : [];
}

const whole = (part: Part): string => part.before + part.text + part.after;
