/**
 * Diagrams in one tab's answers, each after the code block with its source. The elements are cached outside the cards
 * and reinserted when a card is redrawn.
 */
import { DiagramView } from "../components/diagram-view";
import type { ChangeLayout } from "../components/formula";
import type { Card } from "../view-model/cards/card";
import { cardElement } from "./elements";
import { selectors } from "./selectors";

interface Mounted {
  readonly card: Card;
  readonly element: HTMLElement;
  readonly views: readonly (DiagramView | undefined)[];
}

export class CardDiagrams {
  readonly #mounted = new Map<string, Mounted>();

  constructor(private readonly changeLayout: ChangeLayout) {}

  mount(list: Element, cards: readonly Card[]): void {
    const gone = new Set(this.#mounted.keys());
    for (const card of cards) {
      if (!card.diagrams.includes(true)) continue;
      gone.delete(card.key);
      const before = this.#mounted.get(card.key);
      if (before?.card === card && before.element.isConnected) continue;
      const element = cardElement(list, card.key),
        codes = element?.querySelectorAll<HTMLElement>(selectors.mermaidCode);
      // The renderer may not agree about what a code block is.
      if (element === null || codes?.length !== card.diagrams.length) continue;
      const views = card.diagrams.map((isComplete, i) => {
        const code = codes[i],
          block = code?.closest<HTMLElement>(selectors.codeBlock);
        if (!isComplete || !code || !block) return undefined;
        const view = before?.views[i] ?? new DiagramView(this.changeLayout);
        view.show(code.textContent ?? "", block);
        return view;
      });
      this.#mounted.set(card.key, { card, element, views });
    }
    for (const key of gone) {
      for (const view of this.#mounted.get(key)?.views ?? []) view?.element.remove();
      this.#mounted.delete(key);
    }
  }
}
