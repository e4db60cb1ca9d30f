/** Terminals of one tab's cards. The elements are cached outside the cards and reinserted when a card is redrawn. */
import type { Card } from "../view-model/cards/card";
import { cardContent } from "./elements";
import { Terminal } from "../components/terminal";

export class CardTerminals {
  readonly #terminals = new Map<string, Terminal>();

  constructor(private readonly open: (terminalId: string) => void) {}

  /** Inserts the terminals at the end of their cards. */
  mount(list: Element, cards: readonly Card[]): void {
    const gone = new Set(this.#terminals.keys());
    for (const { key, terminals } of cards)
      for (const shown of terminals) {
        const { terminalId } = shown.terminal;
        const id = JSON.stringify([key, terminalId]);
        gone.delete(id);
        const terminal = this.#terminals.get(id) ?? new Terminal(() => this.open(terminalId));
        this.#terminals.set(id, terminal);
        const card = cardContent(list, key);
        if (card && terminal.element.parentElement !== card) card.append(terminal.element);
        terminal.show(shown);
      }
    for (const id of gone) {
      this.#terminals.get(id)?.element.remove();
      this.#terminals.delete(id);
    }
  }
}
