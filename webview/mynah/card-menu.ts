/**
 * Further actions of one tab's cards: buttons with icons, and a menu. The elements are cached outside the cards. When a
 * card is redrawn, they are reinserted after its other buttons, or below a prompt.
 *
 * Invariant: labels are rendered as text.
 */
import type { Card, CardButton } from "../view-model/cards/card";
import { cardContent, cardElement } from "./elements";
import { selectors } from "./selectors";
import { create } from "../components/dom";
import { icon } from "../components/icons";
import { menuButton } from "../components/menu";
import { texts } from "../view-model/text/chat-texts";

interface RenderedMenu {
  readonly buttons: readonly CardButton[];
  readonly element: HTMLElement;
}

export class CardMenu {
  readonly #rendered = new Map<string, RenderedMenu>();

  constructor(private readonly pressed: (cardKey: string, buttonId: string) => void) {}

  mount(list: Element, cards: readonly Card[]): void {
    const shown = new Set<string>();
    const put = (id: string, place: Element | null, anchor: Element | null, element: HTMLElement): void => {
      shown.add(id);
      if (place && (element.parentElement !== place || (anchor && element.previousElementSibling !== anchor)))
        place.insertBefore(element, anchor?.nextElementSibling ?? null);
    };
    for (const { key, kind, menuButtons, splitMenu } of cards) {
      if (menuButtons.length + (splitMenu?.buttons.length ?? 0) === 0) continue;
      const content = cardContent(list, key),
        row = content?.querySelector(`:scope > ${selectors.cardButtons}`) ?? content,
        pressed = (id: string): void => this.pressed(key, id);
      if (splitMenu !== undefined) {
        const id = JSON.stringify([key, splitMenu.after]),
          anchor = row?.querySelector(`[action-id="${CSS.escape(splitMenu.after)}"]`) ?? null,
          { element } = this.#menu(id, splitMenu.buttons, buttons => variants(buttons, pressed));
        put(id, anchor?.parentElement ?? null, anchor, element);
      }
      if (menuButtons.length === 0) continue;
      const { element } = this.#menu(key, menuButtons, buttons =>
        kind === "prompt" ? promptActions(buttons, pressed) : cardMenu(buttons, pressed),
      );
      put(key, kind === "prompt" ? cardElement(list, key) : row, null, element);
    }
    for (const [id, { element }] of this.#rendered)
      if (!shown.has(id)) {
        element.remove();
        this.#rendered.delete(id);
      }
  }

  #menu(
    id: string,
    buttons: readonly CardButton[],
    draw: (buttons: readonly CardButton[]) => HTMLElement,
  ): RenderedMenu {
    const before = this.#rendered.get(id);
    if (before && JSON.stringify(before.buttons) === JSON.stringify(buttons)) return before;
    before?.element.remove();
    const rendered = { buttons, element: draw(buttons) };
    this.#rendered.set(id, rendered);
    return rendered;
  }
}

function variants(buttons: readonly CardButton[], pressed: (id: string) => void): HTMLElement {
  const element = menuButton({ label: texts.moreChoices, content: [icon("down")] }, () => buttons, pressed);
  element.classList.add("symposium-split");
  return element;
}

const cardMenu = (buttons: readonly CardButton[], pressed: (id: string) => void): HTMLElement =>
  menuButton({ label: texts.moreActions, content: [document.createTextNode("⋯")] }, () => buttons, pressed);

function promptActions(buttons: readonly CardButton[], pressed: (id: string) => void): HTMLElement {
  return create(
    "div",
    { className: "symposium-prompt-actions" },
    ...buttons.flatMap(button => (button.icon === undefined ? [] : [iconButton(button, button.icon, pressed)])),
    menuButton(
      { label: texts.promptActions, content: [icon("more")] },
      () => buttons.filter(button => button.icon === undefined),
      pressed,
    ),
  );
}

function iconButton(
  { id, label }: CardButton,
  name: NonNullable<CardButton["icon"]>,
  pressed: (id: string) => void,
): HTMLElement {
  const button = create(
    "button",
    { className: "symposium-more", attributes: { type: "button", "aria-label": label, title: label } },
    icon(name),
  );
  button.addEventListener("click", () => pressed(id));
  return button;
}
