/**
 * Button and menu for further actions of one tab's cards. The elements are cached outside the cards. When a card is
 * redrawn, they are reinserted after its other buttons.
 *
 * Invariants:
 * - Labels are rendered as text.
 * - A menu that closes by a key or a choice returns the focus to its button.
 */
import type { Card, CardButton } from "../view-model/cards/card";
import { cardContent } from "./elements";
import { selectors } from "./selectors";
import { freshId, create } from "../components/dom";
import { texts } from "../view-model/text/chat-texts";

interface Face {
  readonly label: string;
  readonly text: string;
}
const OF_CARD: Face = { label: texts.moreActions, text: "⋯" },
  /** The style adds the dots, which are not part of the prompt. */
  OF_PROMPT: Face = { label: texts.promptActions, text: "" };

interface RenderedMenu {
  readonly buttons: readonly CardButton[];
  readonly element: HTMLElement;
}

export class CardMenu {
  readonly #rendered = new Map<string, RenderedMenu>();

  constructor(private readonly pressed: (cardKey: string, buttonId: string) => void) {}

  mount(list: Element, cards: readonly Card[]): void {
    const withMore = cards.filter(({ menuButtons }) => menuButtons.length > 0),
      keys = new Set(withMore.map(({ key }) => key));
    for (const [key, { element }] of this.#rendered)
      if (!keys.has(key)) {
        element.remove();
        this.#rendered.delete(key);
      }
    for (const { key, kind, menuButtons } of withMore) {
      const content = cardContent(list, key),
        // A prompt has no other buttons.
        place = content?.querySelector(`:scope > ${selectors.cardButtons}`) ?? content;
      const { element } = this.#menu(key, menuButtons, kind === "prompt" ? OF_PROMPT : OF_CARD);
      if (place && element.parentElement !== place) place.append(element);
    }
  }

  #menu(key: string, buttons: readonly CardButton[], face: Face): RenderedMenu {
    const before = this.#rendered.get(key);
    if (before && JSON.stringify(before.buttons) === JSON.stringify(buttons)) return before;
    before?.element.remove();
    const rendered = { buttons, element: menuButton(face, buttons, buttonId => this.pressed(key, buttonId)) };
    this.#rendered.set(key, rendered);
    return rendered;
  }
}

/**
 * The browser closes a popover on Escape and on outside clicks. A popover is in the top layer, where no scroll
 * container clips it.
 */
function menuButton(
  { label, text }: Face,
  buttons: readonly CardButton[],
  pressed: (buttonId: string) => void,
): HTMLElement {
  const menu = create("div", {
    className: "symposium-menu",
    attributes: { id: freshId(), role: "menu", popover: "auto", "aria-label": label },
  });
  const button = create("button", {
    className: "symposium-more",
    text,
    attributes: {
      type: "button",
      popovertarget: menu.id,
      "aria-haspopup": "menu",
      "aria-expanded": "false",
      "aria-label": label,
      title: label,
    },
  });
  const items = buttons.map(({ id, label }) => {
    const item = create("button", {
      className: "symposium-menu-item",
      text: label,
      attributes: { type: "button", role: "menuitem", tabindex: "-1" },
    });
    item.addEventListener("click", () => {
      close();
      pressed(id);
    });
    return item;
  });
  const close = (): void => {
    menu.hidePopover();
    button.focus();
  };
  const step = (by: number): void =>
    items[(items.findIndex(item => item === document.activeElement) + by + items.length) % items.length]?.focus();
  menu.append(...items);
  menu.addEventListener("toggle", event => {
    const isOpen = event instanceof ToggleEvent && event.newState === "open";
    button.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) return;
    positionMenu(menu, button);
    items[0]?.focus();
  });
  menu.addEventListener("keydown", event => {
    if (!handleKey(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  });
  const handleKey = (key: string): boolean => {
    switch (key) {
      case "ArrowDown":
        step(1);
        return true;
      case "ArrowUp":
        step(-1);
        return true;
      case "Home":
        items[0]?.focus();
        return true;
      case "End":
        items.at(-1)?.focus();
        return true;
      case "Escape":
      case "Tab":
        close();
        return true;
      default:
        return false;
    }
  };
  return create("span", { className: "symposium-more-place" }, button, menu);
}

/** Positions the menu below the button, or above it if the space is insufficient; always within the page. */
function positionMenu(menu: HTMLElement, button: HTMLElement): void {
  const anchor = button.getBoundingClientRect(),
    { offsetWidth, offsetHeight } = menu;
  const top = anchor.bottom + offsetHeight > window.innerHeight ? anchor.top - offsetHeight : anchor.bottom;
  menu.style.left = `${Math.max(GAP, Math.min(anchor.left, window.innerWidth - offsetWidth - GAP))}px`;
  menu.style.top = `${Math.max(GAP, top)}px`;
}
const GAP = 4;
