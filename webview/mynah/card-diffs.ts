/** Diffs of one tab's cards. The elements are cached outside the cards and reinserted when a card is redrawn. */
import { DiffView } from "../components/diff-view";
import { changeButton } from "../view-model/cards/buttons";
import type { Card } from "../view-model/cards/card";
import { cardContent } from "./elements";
import { highlightedLines } from "./highlighter";
import { selectors } from "./selectors";

export class CardDiffs {
  readonly #views = new Map<string, readonly DiffView[]>();

  constructor(private readonly pressed: (cardKey: string, buttonId: string) => void) {}

  /** Inserts the diffs at the end of their cards, before the buttons. */
  mount(list: Element, cards: readonly Card[]): void {
    const gone = new Set(this.#views.keys());
    for (const { key, diffs } of cards) {
      if (diffs.length === 0) continue;
      gone.delete(key);
      const before = this.#views.get(key) ?? [],
        views = diffs.map(
          (_, i) => before[i] ?? new DiffView(() => this.pressed(key, changeButton(i)), highlightedLines),
        );
      for (const view of before.slice(diffs.length)) view.element.remove();
      this.#views.set(key, views);
      const content = cardContent(list, key),
        buttons = content?.querySelector(`:scope > ${selectors.cardButtons}`) ?? null;
      for (const [i, view] of views.entries()) {
        const shown = diffs[i];
        if (shown) view.show(shown);
        if (content && view.element.parentElement !== content) content.insertBefore(view.element, buttons);
      }
    }
    for (const key of gone) {
      for (const view of this.#views.get(key) ?? []) view.element.remove();
      this.#views.delete(key);
    }
  }
}
