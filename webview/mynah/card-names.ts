/**
 * What the cards of a conversation are called, and of a question all that it asks, for those who do not see them: what
 * is drawn of a card is made anew again and again, and these words are not.
 */
import { freshId, make } from "../components/dom";
import { keyOf } from "../view-model/card";
import { cardElements } from "./card-elements";
import { isQuestion, type Page } from "../state/page-model";
import { whatIsAsked, whoAsks } from "../view-model/question-text";
import type { Permission } from "../../src/protocol/chat";
import type { Elicitation } from "../../src/protocol/elicitation";
import { texts } from "../view-model/texts";

export class CardNames {
  /** Not shown: cards refer to what is in it. */
  readonly element = make("div");

  constructor(private readonly root: HTMLElement) {
    this.element.hidden = true;
  }

  /** To be called after a drawing. */
  show({ tabs, selected }: Page): void {
    const tab = selected === undefined ? undefined : tabs.get(selected);
    const all = cardElements(this.root);
    for (const card of all) {
      // One that was only just drawn has no role yet, and if nothing is drawn after it is not looked at again.
      if (card.matches("[data-kind]:not([aria-label])"))
        card.setAttribute("aria-label", nameOf(card.dataset["kind"] ?? ""));
    }
    const cards = all.filter(({ dataset }) => dataset["kind"] === "permission" || dataset["kind"] === "elicitation");
    if (cards.length > 0 && tab) {
      const questions = new Map(
        tab.conversation.entries.flatMap(entry => (isQuestion(entry) ? [[keyOf(entry.id), entry] as const] : [])),
      );
      for (const card of cards) {
        const asked = questions.get(card.getAttribute("messageid") ?? "");
        if (asked) this.#describe(card, asked);
      }
    }
    // In the order in which they are seen.
    for (const buttons of all.flatMap(partsOf))
      if (buttons.matches(BUTTONS_FIRST) && !buttons.contains(document.activeElement))
        buttons.parentElement?.append(buttons);
    for (const description of [...this.element.children])
      if (!this.root.querySelector(`[aria-describedby="${description.id}"]`)) description.remove();
  }

  #describe(card: HTMLElement, asked: Permission | Elicitation): void {
    card.setAttribute("aria-label", whoAsks(asked));
    // What became of it is in the card.
    if (asked.answered) return card.removeAttribute("aria-describedby");
    const text = whatIsAsked(asked);
    const before = document.getElementById(card.getAttribute("aria-describedby") ?? "");
    if (before?.textContent === text) return;
    const description = make("p", { text, attributes: { id: freshId() } });
    this.element.append(description);
    card.setAttribute("aria-describedby", description.id);
  }
}

const BUTTONS_FIRST = ".mynah-card > .mynah-chat-item-buttons-container:has(~ .mynah-chat-item-card-summary)";

/** What stands one below the other in a card. */
const partsOf = (card: Element): readonly Element[] => [...card.children].flatMap(inner => [...inner.children]);

function nameOf(kind: string): string {
  const { cards } = texts;
  return Object.entries(cards).find(([key]) => key === kind)?.[1] ?? cards.unknown;
}
