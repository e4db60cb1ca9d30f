/**
 * A button with a menu. The items are read when the menu opens.
 *
 * Invariants:
 * - Labels are rendered as text.
 * - A menu that closes by a key or a choice returns the focus to its button.
 */
import { create, freshId } from "./dom";
import { placeAt, type PopoverFace, popoverButton } from "./popover";

export interface MenuItem {
  readonly id: string;
  readonly label: string;
  /** Drawn in place of the label. */
  readonly content?: readonly Node[];
  /** For one choice among all items. */
  readonly isChecked?: boolean;
}

/** Returns the button and its menu in one element. */
export function menuButton(
  face: PopoverFace,
  items: () => readonly MenuItem[],
  chosen: (id: string) => void,
): HTMLElement {
  const menu = create("div", {
    className: "symposium-menu",
    attributes: { id: freshId(), role: "menu", popover: "auto", "aria-label": face.label },
  });
  const button = popoverButton(face, menu, "menu");
  const close = (): void => {
    menu.hidePopover();
    button.focus();
  };
  const draw = (item: MenuItem): HTMLElement => {
    const { id, label, content, isChecked } = item;
    const element = create(
      "button",
      {
        className: "symposium-menu-item",
        attributes: {
          type: "button",
          tabindex: "-1",
          ...(isChecked === undefined
            ? { role: "menuitem" }
            : { role: "menuitemradio", "aria-checked": String(isChecked) }),
        },
      },
      ...(content ?? [document.createTextNode(label)]),
    );
    element.addEventListener("click", () => {
      close();
      chosen(id);
    });
    return element;
  };
  menu.addEventListener("beforetoggle", event => {
    if (event.newState === "open") menu.replaceChildren(...items().map(draw));
  });
  menu.addEventListener("toggle", event => {
    if (event.newState !== "open") return;
    placeAt(menu, button);
    (menu.querySelector<HTMLElement>('[aria-checked="true"]') ?? itemsOf(menu)[0])?.focus();
  });
  menu.addEventListener("keydown", event => {
    const isHandled = event.key === "Escape" || event.key === "Tab" ? (close(), true) : moveFocus(menu, event.key);
    if (!isHandled) return;
    event.preventDefault();
    event.stopPropagation();
  });
  return create("span", { className: "symposium-more-place" }, button, menu);
}

const itemsOf = (menu: HTMLElement): readonly HTMLElement[] => [...menu.querySelectorAll<HTMLElement>("button")];

/** Returns whether the key moves the focus. */
function moveFocus(menu: HTMLElement, key: string): boolean {
  const items = itemsOf(menu),
    at = items.findIndex(item => item === document.activeElement),
    next = destination(key, at, items.length);
  if (next === undefined) return false;
  items[next]?.focus();
  return true;
}

function destination(key: string, at: number, count: number): number | undefined {
  switch (key) {
    case "ArrowDown":
      return (at + 1) % count;
    case "ArrowUp":
      return (Math.max(at, 0) + count - 1) % count;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return undefined;
  }
}
