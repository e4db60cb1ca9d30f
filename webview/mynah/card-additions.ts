/**
 * Additions of extensions below one tab's prompts. The elements are cached outside the cards and reinserted when a card
 * is redrawn.
 */
import type { Addition } from "../../src/protocol/chat/chat";
import { promptAdditions } from "../components/prompt-additions";
import type { Card } from "../view-model/cards/card";
import { cardElement } from "./elements";

interface RenderedAdditions {
  readonly additions: readonly Addition[];
  readonly element: HTMLElement;
}

export class CardAdditions {
  readonly #rendered = new Map<string, RenderedAdditions>();

  constructor(private readonly disabled: (extensionId: string) => void) {}

  mount(list: Element, cards: readonly Card[]): void {
    const changed = cards.filter(({ additions }) => additions.length > 0),
      keys = new Set(changed.map(({ key }) => key));
    for (const [key, { element }] of this.#rendered)
      if (!keys.has(key)) {
        element.remove();
        this.#rendered.delete(key);
      }
    for (const { key, additions } of changed) {
      const card = cardElement(list, key),
        element = this.#elementOf(key, additions);
      if (card && element.parentElement !== card) card.append(element);
    }
  }

  #elementOf(key: string, additions: readonly Addition[]): HTMLElement {
    const before = this.#rendered.get(key);
    if (before?.additions === additions) return before.element;
    before?.element.remove();
    const element = promptAdditions(additions, this.disabled);
    this.#rendered.set(key, { additions, element });
    return element;
  }
}
