/** Finds and marks mynah-ui's elements. */
import { EARLIER } from "../view-model/cards/card-diff";
import type { Scroller } from "./follow-end";
import { selectors } from "./selectors";

/**
 * The card elements of all tabs. Skips the content of cards, which can be very large, because each drawing calls this
 * function.
 */
export function cardElements(root: Element): readonly HTMLElement[] {
  const tabs = root.querySelector(".mynah-ui-tab-contents-wrapper")?.children ?? [];
  const lists = [...tabs].flatMap(tab => [...tab.children].filter(part => part.matches(selectors.conversation)));
  const groups = lists.flatMap(list => [...list.children]);
  return groups.flatMap(group =>
    [...group.children].filter(
      (card): card is HTMLElement => card instanceof HTMLElement && card.matches(selectors.card),
    ),
  );
}

/** The element of the card with this key. */
export function cardElement(root: Element, key: string): HTMLElement | null {
  return root.querySelector<HTMLElement>(`${selectors.card}[messageid="${CSS.escape(key)}"]`);
}

/** The element that contains the parts of the card with this key. */
export function cardContent(root: Element, key: string): Element | null {
  return root.querySelector(`${selectors.card}[messageid="${CSS.escape(key)}"] > ${selectors.cardContent}`);
}

/** The list of a tab's cards, whose position is that of the first visible card. */
export function scrollerOf(list: Element): Scroller {
  const topOf = (card: Element): number => card.getBoundingClientRect().top - list.getBoundingClientRect().top;
  return {
    get scrollTop() {
      return list.scrollTop;
    },
    set scrollTop(top) {
      list.scrollTop = top;
    },
    get scrollHeight() {
      return list.scrollHeight;
    },
    get clientHeight() {
      return list.clientHeight;
    },
    addEventListener: (type, listener) => list.addEventListener(type, listener),
    anchor: () => {
      const cards = [...list.querySelectorAll<HTMLElement>(`:scope > * > ${selectors.card}`)],
        first = cards.find(card => card.getAttribute("messageid") !== EARLIER && topOf(card) + card.offsetHeight > 0),
        key = first?.getAttribute("messageid");
      if (first === undefined || key === null || key === undefined) return undefined;
      const top = topOf(first);
      return () => {
        const card = cardElement(list, key);
        return card === null ? undefined : topOf(card) - top;
      };
    },
  };
}

/** The chat of the selected tab. */
export function selectedChat(root: Element): Element | undefined {
  const selected = root.querySelector(".mynah-nav-tabs-wrapper")?.getAttribute("selected-tab");
  return [...root.querySelectorAll(selectors.chat)].find(each => each.getAttribute("mynah-tab-id") === selected);
}

/** The chat of the tab whose radio button has this value. */
export function chatOf(root: Element, tab: string): HTMLElement | null {
  return root.querySelector<HTMLElement>(`${selectors.chat}[mynah-tab-id="${CSS.escape(tab)}"]`);
}

/** The button that closes the tab whose radio button has this value. */
export function closeButtonOf(root: Element, tab: string): HTMLElement | null {
  const input = root.querySelector(`${selectors.tabInput}[value="${CSS.escape(tab)}"]`);
  return input?.closest(selectors.tab)?.querySelector<HTMLElement>("button") ?? null;
}

/** Whether the foldable part of this button's card is expanded. */
export function isUnfolded(foldButton: Element): boolean {
  return foldButton.closest(selectors.foldable)?.classList.contains("show-summary") ?? false;
}

const FOLDED = [
  `${selectors.foldable}:not(.show-summary) > ${selectors.foldedContent}`,
  `[data-fold="closed"] > ${selectors.cardContent} > :not(.symposium-line)`,
  `[data-group="closed"] > ${selectors.cardContent}`,
].join();

/** Whether the element is the content of a folded part. */
export function isFolded(element: Element): boolean {
  return element.matches(FOLDED);
}

/** Unfolds the part with this content, like its button. */
export function unfold(content: Element): void {
  foldButtonOf(content)?.click();
}

function foldButtonOf(content: Element): HTMLElement | null {
  const group = content.closest<HTMLElement>('[data-group="closed"]');
  if (group !== null && content.parentElement === group) return groupButtonOf(group);
  const line = content.parentElement?.querySelector<HTMLElement>(":scope > .symposium-line > .symposium-fold");
  return line ?? content.closest(selectors.foldable)?.querySelector<HTMLElement>(selectors.foldButton) ?? null;
}

/** The button of the group that contains this card: in the group's first card. */
function groupButtonOf(card: Element): HTMLElement | null {
  for (let each: Element | null = card; each !== null; each = each.previousElementSibling) {
    const button = each.querySelector<HTMLElement>(":scope > .symposium-group > .symposium-fold");
    if (button !== null) return button;
  }
  return null;
}

/** Key of the first visible card of the conversation. */
export function firstVisibleCard(list: Element): string | undefined {
  const top = list.getBoundingClientRect().top,
    cards = [...list.querySelectorAll<HTMLElement>(`:scope > * > ${selectors.card}`)];
  const keys = cards.map(card => [card, card.getAttribute("messageid") ?? EARLIER] as const);
  return keys.find(([card, key]) => key !== EARLIER && card.getBoundingClientRect().bottom > top)?.[1];
}

/** Names of a button's icon, without mynah-ui's prefix. */
export function iconNames(button: Element): readonly string[] {
  const classes = [...(button.querySelector(selectors.icon)?.classList ?? [])];
  return classes.flatMap(name => (name.startsWith(ICON) ? [name.slice(ICON.length)] : []));
}
const ICON = "mynah-ui-icon-";

/** Marks a tab's permanent parts with `data-part` for tests. */
export function markParts(chat: HTMLElement): void {
  chat.dataset["part"] = "chat";
  for (const [part, selector] of Object.entries(PARTS)) {
    const element = chat.querySelector<HTMLElement>(selector);
    if (element) element.dataset["part"] = part;
  }
}
const PARTS = {
  conversation: selectors.conversation,
  "prompt-box": selectors.promptBox,
  prompt: selectors.prompt,
  send: selectors.sendButton,
  stop: selectors.stopButton,
  banner: selectors.banner,
};
