/**
 * Forms of one tab's cards. The elements are cached outside the cards and reinserted when a card is redrawn.
 *
 * Invariant: a form keeps its entered values while the question of its card is unchanged.
 */
import type { ElicitationChoice } from "../../src/protocol/chat/elicitation";
import type { Card } from "../view-model/cards/card";
import { Form } from "../components/form";
import { cardContent } from "./elements";

interface RenderedForm {
  readonly question: string;
  readonly form: Form;
}

export class CardForms {
  readonly #rendered = new Map<string, RenderedForm>();

  constructor(private readonly answered: (cardKey: string, choice: ElicitationChoice) => void) {}

  /** Inserts the forms at the end of their cards. */
  mount(list: Element, cards: readonly Card[]): void {
    const withForms = cards.flatMap(({ key, form }) => (form === undefined ? [] : [{ key, form }]));
    const keys = new Set(withForms.map(({ key }) => key));
    for (const [key, { form }] of this.#rendered)
      if (!keys.has(key)) {
        form.element.remove();
        this.#rendered.delete(key);
      }
    for (const {
      key,
      form: { ask, asks, open },
    } of withForms) {
      const { form } = this.#form(key, ask, asks);
      form.open = open;
      const card = cardContent(list, key);
      if (card && form.element.parentElement !== card) card.append(form.element);
    }
  }

  #form(key: string, ask: NonNullable<Card["form"]>["ask"], asks: string): RenderedForm {
    const question = JSON.stringify([ask, asks]);
    const before = this.#rendered.get(key);
    if (before?.question === question) return before;
    before?.form.element.remove();
    const rendered = { question, form: new Form(ask, asks, choice => this.answered(key, choice)) };
    this.#rendered.set(key, rendered);
    return rendered;
  }
}
