/** Screen reader announcements: queued, or immediate for responses to the user's input. */
import { make } from "../components/dom";

/** Maximum number of sentences kept for rereading. */
const KEPT = 5;

export class Speech {
  readonly #spoken = make("div", { attributes: { role: "log", "aria-live": "polite", "aria-relevant": "additions" } });
  readonly #alert = make("div", { attributes: { role: "alert" } });
  readonly element = make("div", { className: "unseen" }, this.#spoken, this.#alert);

  say(text: string): void {
    this.#spoken.append(make("p", { text }));
    if (this.#spoken.children.length > KEPT) this.#spoken.firstElementChild?.remove();
  }

  /** Replaces the previous immediate announcement. */
  sayNow(text: string): void {
    this.#alert.replaceChildren(make("p", { text }));
  }
}
