/**
 * Unreviewed changes of files, a panel of the dock: actions on all of them, and on those of each prompt.
 *
 * Invariants:
 * - Content is rendered as text, never as HTML.
 * - A remaining prompt is not recreated, so that its buttons keep the focus.
 */
import type { ReviewAction } from "../../src/protocol/page/host-to-page";
import type { ReviewTurnView, ReviewView } from "../view-model/tab/review-view";
import { texts } from "../view-model/text/chat-texts";
import { create, freshId, setText } from "./dom";
import { drawParts } from "./line-parts";

export interface ReviewListener {
  /** Without `entryId`: on all changes. */
  reviewed(action: ReviewAction, entryId: string | undefined): void;
}

interface Row {
  readonly element: HTMLElement;
  readonly title: HTMLElement;
  readonly counts: HTMLElement;
}

/** The three actions, on all changes and on those of one prompt. */
const ACTIONS: readonly (readonly [action: ReviewAction, tooltip: string, all: string, one: string])[] = [
  ["open", texts.openReviewTooltip, texts.openReview, texts.openReview],
  ["keep", texts.keepTooltip, texts.keepAll, texts.keep],
  ["undo", texts.undoTooltip, texts.undoAll, texts.undo],
];

export class ReviewPanel {
  readonly element = create("section", { className: "symposium-review", attributes: { "aria-label": texts.review } });
  readonly #counts = create("p", { className: "symposium-review-counts", attributes: { id: freshId() } });
  readonly #list = create("ul", {
    className: "symposium-review-turns",
    attributes: { role: "list", "aria-label": texts.reviewByPrompt },
  });
  readonly #rows = new Map<string, Row>();
  readonly #actions = this.#buttons(this.#counts.id, undefined);
  #shown = "";

  constructor(private readonly listener: ReviewListener) {
    this.element.append(
      create("div", { className: "symposium-review-line" }, this.#counts, buttonGroup(this.#actions)),
      this.#list,
    );
  }

  /** Without files, the only action opens what may be missing. */
  show(review: ReviewView | undefined): void {
    const content = JSON.stringify(review);
    if (review === undefined || content === this.#shown) return;
    this.#shown = content;
    drawParts(this.#counts, review.parts);
    const isIncomplete = review.files === 0,
      [open, ...others] = this.#actions;
    for (const button of others) button.hidden = isIncomplete;
    if (open !== undefined) {
      setText(open, isIncomplete ? texts.reviewLimits : texts.openReview);
      open.title = isIncomplete ? texts.reviewLimitsTooltip : texts.openReviewTooltip;
    }
    this.#list.hidden = review.turns.length === 0;
    const currentIds = new Set(review.turns.map(({ entryId }) => entryId));
    for (const [id, { element }] of this.#rows)
      if (!currentIds.has(id)) {
        element.remove();
        this.#rows.delete(id);
      }
    review.turns.forEach((turn, i) => {
      const row = this.#row(turn),
        present = this.#list.children[i];
      if (present !== row) this.#list.insertBefore(row, present ?? null);
    });
  }

  #row({ entryId, title, parts }: ReviewTurnView): HTMLElement {
    const row = this.#rows.get(entryId) ?? this.#create(entryId);
    this.#rows.set(entryId, row);
    setText(row.title, title);
    row.title.title = title;
    drawParts(row.counts, parts);
    return row.element;
  }

  #create(entryId: string): Row {
    const title = create("span", { className: "symposium-review-title" }),
      counts = create("span", { className: "symposium-review-counts" }),
      content = create("div", { className: "symposium-review-what", attributes: { id: freshId() } }, title, counts);
    const element = create(
      "li",
      { className: "symposium-review-line" },
      content,
      buttonGroup(this.#buttons(content.id, entryId)),
    );
    return { element, title, counts };
  }

  /** One for each of `ACTIONS`. */
  #buttons(contentId: string, entryId: string | undefined): readonly HTMLButtonElement[] {
    return ACTIONS.map(([action, tooltip, all, one]) => {
      const isMain = entryId === undefined && action === "open";
      const button = create("button", {
        className:
          entryId === undefined ? `symposium-button symposium-${isMain ? "main" : "plain"}` : "symposium-text-button",
        text: entryId === undefined ? all : one,
        attributes: { type: "button", title: tooltip, "aria-describedby": contentId },
      });
      button.addEventListener("click", () => this.listener.reviewed(action, entryId));
      return button;
    });
  }
}

function buttonGroup(buttons: readonly HTMLButtonElement[]): HTMLElement {
  return create("span", { className: "symposium-review-buttons" }, ...buttons);
}
