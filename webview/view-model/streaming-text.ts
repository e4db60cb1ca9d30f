/**
 * Long texts as cards, while they grow: what is finished is split, made safe and described once, only the last part is
 * worked on again.
 *
 * Invariants: the same text gives the same strings, whatever came before; a part that did not change is the same card
 * object; no more than `MOST` texts are kept, those that were asked for last.
 */
import { card, keyOf, type Card } from "./card";
import { safeMarkdown } from "./markdown-safe";
import { splitOn, type Part, type Split } from "./split-answer";

interface Grown {
  readonly split: Split;
  readonly blocks: readonly string[];
  readonly cards: readonly Card[];
}

/** What grows at the same time: an answer and a thought in each tab. */
const MOST = 20;

export class GrowingTexts {
  readonly #grown = new Map<string, Grown>();

  /**
   * Markdown, made safe, in parts that are short enough to be rendered. `id` only says which text this one probably
   * goes on with.
   */
  blocks(id: string, text: string): readonly string[] {
    return this.#grow(`text ${id}`, text).blocks;
  }

  /** A card a part; the last of them grows if the text does. A text without words has none. */
  cards(id: string, kind: "prompt" | "answer", text: string, growing: boolean): readonly Card[] {
    const key = `${kind} ${id}`,
      grown = this.#grow(key, text);
    if (!/\S/.test(text)) return [];
    const last = grown.blocks.length - 1;
    const cards = grown.blocks.map((body, i) => {
      const before = grown.cards[i],
        grows = growing && i === last;
      return before?.body === body && before.growing === grows
        ? before
        : { ...card(id, kind, { body, growing: grows }), key: i === 0 ? keyOf(id) : `${keyOf(id)}#${i + 1}` };
    });
    this.#grown.set(key, { ...grown, cards });
    return cards;
  }

  #grow(key: string, text: string): Grown {
    const before = this.#grown.get(key);
    const split = splitOn(before?.split, text);
    const blocks = split.parts.map(
      (part, i) => (before?.split.parts[i] === part ? before.blocks[i] : undefined) ?? safe(part),
    );
    const grown = { split, blocks, cards: before?.cards ?? [] };
    this.#grown.delete(key);
    this.#grown.set(key, grown);
    const [oldest] = this.#grown.keys();
    if (this.#grown.size > MOST && oldest !== undefined) this.#grown.delete(oldest);
    return grown;
  }
}

const safe = (part: Part): string => safeMarkdown(part.before + part.text + part.after);
