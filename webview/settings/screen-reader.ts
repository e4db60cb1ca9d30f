/** Screen reader announcements: queued, or immediate for responses to the user's input. */
import { create } from "../components/dom";

/** Maximum number of sentences kept for rereading. */
const MAX_SENTENCES = 5;

export class LiveRegion {
  readonly #spoken = create("div", {
    attributes: { role: "log", "aria-live": "polite", "aria-relevant": "additions" },
  });
  readonly #alert = create("div", { attributes: { role: "alert" } });
  readonly element = create("div", { className: "unseen" }, this.#spoken, this.#alert);

  report(text: string): void {
    this.#spoken.append(create("p", { text }));
    if (this.#spoken.children.length > MAX_SENTENCES) this.#spoken.firstElementChild?.remove();
  }

  /** Replaces the previous immediate announcement. */
  announceNow(text: string): void {
    this.#alert.replaceChildren(create("p", { text }));
  }
}
