/** The line of a group of tool calls, whose button shows the calls. */
import type { GroupHead as Head } from "../view-model/cards/card";
import { create, setText } from "./dom";

export class GroupHead {
  readonly #fold = create("button", { className: "symposium-fold", attributes: { type: "button" } });
  readonly #words = create("span", { className: "symposium-line-words" });
  readonly element = create("div", { className: "symposium-line symposium-group" }, this.#fold, this.#words);

  constructor(toggled: () => void) {
    this.#fold.addEventListener("click", toggled);
    this.#words.addEventListener("click", toggled);
  }

  show({ text, isRunning }: Head, isOpen: boolean): void {
    this.element.dataset["state"] = isRunning ? "running" : "ended";
    this.element.dataset["details"] = "some";
    this.#fold.setAttribute("aria-expanded", String(isOpen));
    this.#fold.setAttribute("aria-label", text);
    setText(this.#words, text);
  }
}
