/**
 * Accessible names of the cards, and accessible descriptions of questions. The descriptions are outside the cards,
 * because cards are redrawn often.
 */
import { freshId, create } from "../components/dom";
import { keyOf } from "../view-model/cards/card";
import { cardElements } from "../mynah/elements";
import { isQuestion, type Page } from "../state/page-model";
import { questionText, requesterText } from "../view-model/cards/question-text";
import type { Permission } from "../../src/protocol/chat/chat";
import type { Elicitation } from "../../src/protocol/chat/elicitation";
import { selectors } from "../mynah/selectors";
import { texts } from "../view-model/text/chat-texts";

export class CardLabels {
  /** Hidden container of the descriptions that cards reference. */
  readonly element = create("div");

  constructor(private readonly root: HTMLElement) {
    this.element.hidden = true;
  }

  /** Call after each drawing. */
  show({ tabs, selected }: Page): void {
    const tab = selected === undefined ? undefined : tabs.get(selected);
    const all = cardElements(this.root);
    for (const card of all) {
      // Names a new card even before it has a role, because no later drawing is guaranteed.
      if (card.matches("[data-kind]:not([aria-label])"))
        card.setAttribute("aria-label", nameOf(card.dataset["kind"] ?? ""));
    }
    const cards = all.filter(({ dataset }) => dataset["kind"] === "permission" || dataset["kind"] === "elicitation");
    if (cards.length > 0 && tab) {
      const questions = new Map(
        tab.conversation.entries.flatMap(entry => (isQuestion(entry) ? [[keyOf(entry.id), entry] as const] : [])),
      );
      for (const card of cards) {
        const question = questions.get(card.getAttribute("messageid") ?? "");
        if (question) this.#describe(card, question);
      }
    }
    // Keeps the DOM order equal to the visual order, in which the buttons are last.
    for (const buttons of all.flatMap(partsOf))
      if (buttons.matches(BUTTONS_FIRST) && !buttons.contains(document.activeElement))
        buttons.parentElement?.append(buttons);
    for (const description of [...this.element.children])
      if (!this.root.querySelector(`[aria-describedby="${description.id}"]`)) description.remove();
  }

  #describe(card: HTMLElement, question: Permission | Elicitation): void {
    card.setAttribute("aria-label", requesterText(question));
    // The card of an answered question shows the outcome.
    if (question.answered) return card.removeAttribute("aria-describedby");
    const text = questionText(question);
    const before = document.getElementById(card.getAttribute("aria-describedby") ?? "");
    if (before?.textContent === text) return;
    const description = create("p", { text, attributes: { id: freshId() } });
    this.element.append(description);
    card.setAttribute("aria-describedby", description.id);
  }
}

const BUTTONS_FIRST = `${selectors.cardContent} > ${selectors.cardButtons}:has(~ ${selectors.foldable})`;

/** The vertically stacked parts of a card. */
const partsOf = (card: Element): readonly Element[] => [...card.children].flatMap(inner => [...inner.children]);

function nameOf(kind: string): string {
  const { cards } = texts;
  return Object.entries(cards).find(([key]) => key === kind)?.[1] ?? cards.unknown;
}
