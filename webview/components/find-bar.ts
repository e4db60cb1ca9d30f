/**
 * Find bar at the top of a tab, like the find widget of VS Code's editor.
 *
 * Invariant: the element is hidden while find is closed, and the input keeps the user's text while the user types.
 */
import type { FindView } from "../view-model/tab/find-view";
import { texts } from "../view-model/text/chat-texts";
import { create, setText } from "./dom";
import { icon } from "./icons";

export interface FindListener {
  queryTyped(query: string): void;
  findStepped(by: 1 | -1): void;
  findClosed(): void;
}

export class FindBar {
  readonly #input = create("input", {
    className: "symposium-find-input",
    attributes: {
      type: "text",
      placeholder: texts.find,
      "aria-label": texts.findInConversation,
      autocomplete: "off",
      spellcheck: "false",
      maxlength: "1000",
    },
  });
  readonly #count = create("span", { className: "symposium-find-count", attributes: { role: "status" } });
  readonly #previous = iconButton("previous", texts.previousMatch);
  readonly #next = iconButton("next", texts.nextMatch);
  readonly #close = iconButton("remove", texts.closeFind);
  readonly element = create(
    "div",
    { className: "symposium-find", attributes: { role: "search", "aria-label": texts.findInConversation } },
    this.#input,
    this.#count,
    this.#previous,
    this.#next,
    this.#close,
  );

  constructor(listener: FindListener) {
    this.element.hidden = true;
    this.#input.addEventListener("input", () => listener.queryTyped(this.#input.value));
    this.#previous.addEventListener("click", () => listener.findStepped(-1));
    this.#next.addEventListener("click", () => listener.findStepped(1));
    this.#close.addEventListener("click", () => listener.findClosed());
    this.element.addEventListener("keydown", event => {
      if (event.isComposing || event.altKey || event.ctrlKey || event.metaKey) return;
      const isStep = event.key === "Enter" && event.target === this.#input;
      if (isStep) listener.findStepped(event.shiftKey ? -1 : 1);
      else if (event.key === "Escape") listener.findClosed();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  show(view: FindView | undefined): void {
    this.element.hidden = view === undefined;
    if (view === undefined) return;
    if (this.#input.value !== view.query && document.activeElement !== this.#input) this.#input.value = view.query;
    // Until the answer, the bar keeps the previous count, which would flicker with each key.
    if (view.count === undefined) return;
    setText(this.#count, view.count);
    this.#count.dataset["tone"] = view.tone;
    for (const button of [this.#previous, this.#next]) button.disabled = !view.hasMatches;
  }

  /** Focuses the input and selects its text. `query`: the present query. */
  focus(query: string): void {
    this.element.hidden = false;
    this.#input.value = query;
    this.#input.focus();
    this.#input.select();
  }
}

function iconButton(name: Parameters<typeof icon>[0], label: string): HTMLButtonElement {
  return create(
    "button",
    { className: "symposium-find-button", attributes: { type: "button", title: label, "aria-label": label } },
    icon(name),
  );
}
