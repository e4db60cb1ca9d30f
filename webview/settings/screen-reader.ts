/** What is said to a screen reader: in its turn, or at once, where it is about what the hand does. */
import { make } from "../components/dom";

/** Sentences that can be read again. */
const KEPT = 5;

export class Speech {
  readonly #spoken = make("div", { attributes: { role: "log", "aria-live": "polite", "aria-relevant": "additions" } });
  readonly #alert = make("div", { attributes: { role: "alert" } });
  readonly element = make("div", { className: "unseen" }, this.#spoken, this.#alert);

  say(text: string): void {
    this.#spoken.append(make("p", { text }));
    if (this.#spoken.children.length > KEPT) this.#spoken.firstElementChild?.remove();
  }

  /** In place of what was said last. */
  sayNow(text: string): void {
    this.#alert.replaceChildren(make("p", { text }));
  }
}
