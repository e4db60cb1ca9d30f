/**
 * Observes which question cards of a tab are on screen. At least half of a card must be visible, or it must fill half
 * of the list.
 */
import type { Card } from "../view-model/cards/card";
import { cardElement } from "./elements";

/** The browser reports a change only when one of these visible fractions of a card is crossed. */
const THRESHOLDS = Array.from({ length: 21 }, (_, i) => i / 20);

export class VisibleQuestions {
  readonly #observer: IntersectionObserver;
  readonly #observed = new Map<Element, string>();
  readonly #visible = new Set<string>();

  /** `changed` receives the keys of all question cards on screen. */
  constructor(
    private readonly list: HTMLElement,
    changed: (cardKeys: readonly string[]) => void,
  ) {
    this.#observer = new IntersectionObserver(
      changes => {
        for (const change of changes) {
          const key = this.#observed.get(change.target);
          if (key === undefined) continue;
          if (isVisible(change)) this.#visible.add(key);
          else this.#visible.delete(key);
        }
        changed([...this.#visible]);
      },
      { root: list, threshold: THRESHOLDS },
    );
  }

  /** Call after drawing the cards. */
  observe(cards: readonly Card[]): void {
    const elements = new Map<Element, string>(
      cards.flatMap(({ key, kind }) => {
        const element = kind === "permission" || kind === "elicitation" ? cardElement(this.list, key) : null;
        return element === null ? [] : [[element, key] as const];
      }),
    );
    for (const [element, key] of this.#observed)
      if (!elements.has(element)) {
        this.#observer.unobserve(element);
        this.#observed.delete(element);
        this.#visible.delete(key);
      }
    for (const [element, key] of elements) {
      if (this.#observed.has(element)) continue;
      this.#observed.set(element, key);
      this.#observer.observe(element);
    }
  }
}

function isVisible({ isIntersecting, intersectionRatio, intersectionRect, rootBounds }: IntersectionObserverEntry) {
  return (
    isIntersecting &&
    (intersectionRatio >= 0.5 || (rootBounds !== null && intersectionRect.height >= rootBounds.height / 2))
  );
}
