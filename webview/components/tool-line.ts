/**
 * The line of a tool call: a button that folds the details, the words, the counts of changed lines, the result, and a
 * button that opens the diff. While the call runs, a spinner is in the place of the fold button's mark.
 */
import type { LinePart, ToolLine as Line } from "../view-model/cards/card";
import { texts } from "../view-model/text/chat-texts";
import { create, setText } from "./dom";
import { icon } from "./icons";
import { drawParts } from "./line-parts";

export interface ShownLine {
  readonly line: Line;
  /** Whether the call has details to fold. */
  readonly hasDetails: boolean;
  readonly isOpen: boolean;
  /** The line has a button for the only diff. */
  readonly hasDiff: boolean;
}

export class ToolLine {
  readonly #fold = create("button", {
    className: "symposium-fold",
    attributes: { type: "button", "aria-label": texts.details },
  });
  readonly #words = create("span", { className: "symposium-line-words" });
  /** Never shortened, unlike the words. */
  readonly #counts = create("span", { className: "symposium-line-counts" });
  readonly #result = create("span", { className: "symposium-line-result" });
  readonly #time = create("span", { className: "symposium-line-time" });
  /** Beside a result, a narrow view shows the icon in place of the text. */
  readonly #diff = create(
    "button",
    { className: "symposium-text-button", attributes: { type: "button", "aria-label": texts.openDiff } },
    icon("review"),
    create("span", { text: texts.openDiff }),
  );
  readonly element = create(
    "div",
    { className: "symposium-line" },
    this.#fold,
    this.#words,
    this.#counts,
    this.#result,
    this.#time,
  );
  #parts = "";

  constructor(handlers: { readonly toggled: () => void; readonly diffWanted: () => void }) {
    this.#fold.addEventListener("click", handlers.toggled);
    this.#words.addEventListener("click", ({ target }) => {
      if (!(target instanceof HTMLAnchorElement) && document.getSelection()?.isCollapsed !== false) handlers.toggled();
    });
    this.#diff.addEventListener("click", handlers.diffWanted);
  }

  show({ line: { state, parts, result, tone, time }, hasDetails, isOpen, hasDiff }: ShownLine): void {
    this.element.dataset["state"] = state;
    this.element.dataset["tone"] = tone;
    this.#fold.disabled = !hasDetails;
    this.element.dataset["details"] = hasDetails ? "some" : "none";
    this.#fold.setAttribute("aria-expanded", String(hasDetails && isOpen));
    setText(this.#result, result);
    setText(this.#time, time);
    if (!hasDiff) this.#diff.remove();
    else if (this.#diff.parentElement === null) this.element.append(this.#diff);
    const drawn = JSON.stringify(parts);
    if (drawn === this.#parts) return;
    this.#parts = drawn;
    drawParts(
      this.#words,
      parts.filter(part => !isCount(part)),
    );
    // Separates the words from the counts in copied text.
    this.#words.append(" ");
    drawParts(this.#counts, parts.filter(isCount));
    this.#words.classList.toggle(
      "symposium-line-file",
      parts.some(({ kind }) => kind === "link"),
    );
  }
}

const isCount = ({ kind }: LinePart): boolean => kind === "added" || kind === "removed";
