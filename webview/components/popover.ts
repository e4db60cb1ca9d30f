/**
 * A button that opens a popover near it. The browser closes a popover on Escape and on outside clicks. A popover is in
 * the top layer, where no scroll container clips it.
 */
import { create } from "./dom";

export interface PopoverFace {
  /** Accessible name and tooltip of the button, and the name of the popover. */
  readonly label: string;
  /** Content of the button. */
  readonly content: readonly Node[];
  /** Added to the classes of the button. */
  readonly className?: string;
}

export function popoverButton(
  { label, content, className }: PopoverFace,
  popover: HTMLElement,
  kind: "menu" | "dialog",
): HTMLButtonElement {
  const button = create(
    "button",
    {
      className: ["symposium-more", ...(className === undefined ? [] : [className])].join(" "),
      attributes: {
        type: "button",
        popovertarget: popover.id,
        "aria-haspopup": kind,
        "aria-expanded": "false",
        "aria-label": label,
        title: label,
      },
    },
    ...content,
  );
  popover.addEventListener("toggle", event => button.setAttribute("aria-expanded", String(event.newState === "open")));
  return button;
}

/** Positions the popover below the button, or above it if the space is insufficient; always within the page. */
export function placeAt(popover: HTMLElement, button: HTMLElement): void {
  // The previous position limits the width.
  popover.style.left = popover.style.top = "0";
  const anchor = button.getBoundingClientRect(),
    { offsetWidth, offsetHeight } = popover;
  const top = anchor.bottom + offsetHeight > window.innerHeight ? anchor.top - offsetHeight : anchor.bottom;
  popover.style.left = `${Math.max(GAP, Math.min(anchor.left, window.innerWidth - offsetWidth - GAP))}px`;
  popover.style.top = `${Math.max(GAP, top)}px`;
}
const GAP = 4;
