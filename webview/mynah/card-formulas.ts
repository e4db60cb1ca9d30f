/** Formulas in one tab's answers. Draws those of new and changed cards. */
import { drawFormulas, type ChangeLayout } from "../components/formula";
import type { Card } from "../view-model/cards/card";
import { FORMULA_CLASS } from "../view-model/text/markdown-safe";
import { cardElement } from "./elements";

interface Drawn {
  readonly card: Card;
  readonly element: HTMLElement;
}

export class CardFormulas {
  readonly #drawn = new Map<string, Drawn>();
  /** A search in the text of each card at each drawing would take too long. */
  readonly #hasFormulas = new WeakMap<Card, boolean>();

  constructor(private readonly changeLayout: ChangeLayout) {}

  mount(list: Element, cards: readonly Card[]): void {
    const gone = new Set(this.#drawn.keys());
    for (const card of cards) {
      if (!this.#contains(card)) continue;
      gone.delete(card.key);
      const before = this.#drawn.get(card.key);
      if (before?.card === card && before.element.isConnected) continue;
      const element = cardElement(list, card.key);
      if (element === null) continue;
      this.#drawn.set(card.key, { card, element });
      drawFormulas(element, this.changeLayout);
    }
    for (const key of gone) this.#drawn.delete(key);
  }

  #contains(card: Card): boolean {
    const known = this.#hasFormulas.get(card);
    if (known !== undefined) return known;
    const found = card.kind === "answer" && card.body.includes(`<span class="${FORMULA_CLASS}"`);
    this.#hasFormulas.set(card, found);
    return found;
  }
}
