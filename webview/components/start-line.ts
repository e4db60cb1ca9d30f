/**
 * One line above the prompt while the agent of a tab is installed or started.
 *
 * Invariants:
 * - Nothing is rendered as HTML.
 * - Progress does not replace the button, so that it keeps the focus.
 */
import { texts } from "../view-model/text/chat-texts";
import type { StartView } from "../view-model/tab/start-view";
import { create, setText } from "./dom";

export class StartLine {
  readonly #text = create("span", { className: "symposium-start-text" });
  readonly #detail = create("span", { className: "symposium-start-detail" });
  readonly #cancel = create("button", {
    className: "symposium-text-button",
    text: texts.cancel,
    attributes: { type: "button" },
  });
  readonly element = create(
    "div",
    { className: "symposium-start", attributes: { role: "group", "aria-label": texts.agentStart } },
    create("span", { className: "symposium-spinner", attributes: { "aria-hidden": "true" } }),
    this.#text,
    this.#detail,
    this.#cancel,
  );

  constructor(cancelled: () => void) {
    this.#cancel.addEventListener("click", cancelled);
    this.show(undefined);
  }

  show(view: StartView | undefined): void {
    this.element.hidden = view === undefined;
    if (view === undefined) return;
    setText(this.#text, view.text);
    setText(this.#detail, view.detail);
    this.element.title = [view.text, view.detail].filter(text => text !== "").join(" ");
    this.#cancel.hidden = view.cancel === undefined;
    if (view.cancel !== undefined) this.#cancel.setAttribute("aria-label", view.cancel);
  }
}
