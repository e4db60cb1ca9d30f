/**
 * Tooltip of the focused element for keyboard users, visible while the element has the focus, also above an open menu.
 * Hidden from screen readers, which announce names and descriptions.
 */
import { create, setText } from "../components/dom";

const MARGIN = 4;

export class FocusTip {
  readonly element = create("div", {
    className: "symposium-tip",
    attributes: { "aria-hidden": "true", popover: "manual" },
  });

  constructor(root: HTMLElement) {
    root.addEventListener("focusin", ({ target }) => {
      if (target instanceof HTMLElement) this.#show(target);
    });
    for (const event of ["focusout", "pointerdown", "wheel"])
      root.addEventListener(event, () => this.#hide(), { passive: true });
    root.addEventListener(
      "keydown",
      ({ key }) => {
        if (key === "Escape") this.#hide();
      },
      { capture: true },
    );
  }

  #hide(): void {
    this.element.togglePopover(false);
  }

  #show(at: HTMLElement): void {
    const tip = at.matches(":focus-visible") ? tipOf(at) : "";
    this.#hide();
    if (tip === "") return;
    setText(this.element, tip);
    this.element.togglePopover(true);
    // The previous position limits the width.
    this.element.style.left = "0";
    const { left, top, bottom } = at.getBoundingClientRect();
    const { width, height } = this.element.getBoundingClientRect();
    const above = top - height - MARGIN;
    this.element.style.left = `${Math.max(MARGIN, Math.min(left, window.innerWidth - width - MARGIN))}px`;
    this.element.style.top = `${above >= 0 ? above : bottom + MARGIN}px`;
  }
}

/** Tooltip text of the element beyond its visible text; empty if none exists. */
function tipOf(element: HTMLElement): string {
  const { about } = element.dataset;
  if (about !== undefined) return about;
  if (element.title !== "") return element.title;
  return element instanceof HTMLButtonElement && element.textContent.trim() === ""
    ? (element.getAttribute("aria-label") ?? "")
    : "";
}
