/**
 * What mynah-ui leaves out for those who do not see the page, or use it by keyboard: roles, names, and sentences for a
 * screen reader. A MutationObserver dresses what mynah makes; finished messages are told in a region of their own,
 * because mynah replaces a growing answer again and again.
 */
import { freshId } from "./dom";
import { texts } from "./texts";

export interface Accessibility {
  announce(sentence: string): void;
  /** Takes the focus to a question, unless the user is typing: then the next key would not be meant for it. */
  focusCard(key: string): void;
}

export function makeAccessible(root: HTMLElement): Accessibility {
  const spoken = document.createElement("div");
  spoken.className = "symposium-spoken";
  spoken.setAttribute("role", "status");
  spoken.setAttribute("aria-live", "polite");
  root.after(spoken);
  dress(root);
  new MutationObserver(changes => { for (const { addedNodes } of changes) addedNodes.forEach(node => { if (node instanceof Element) dress(node); }); })
    .observe(root, { childList: true, subtree: true });
  root.addEventListener("change", () => root.querySelectorAll<HTMLInputElement>("input.mynah-tab-item").forEach(tab => tab.setAttribute("aria-selected", String(tab.checked))));
  return {
    announce(sentence) { spoken.textContent = sentence; },
    focusCard(key) {
      const typing = document.activeElement?.closest(".mynah-chat-prompt-input")?.textContent;
      if (!document.hasFocus() || typing) return;
      const card = root.querySelector<HTMLElement>(`.mynah-chat-item-card[messageid="${CSS.escape(key)}"]`);
      if (!card) return;
      dress(card);
      card.focus();
    },
  };
}

/** Roles and names of an element and all below it. */
function dress(element: Element): void {
  for (const [selector, attributes] of ROLES) {
    if (element.matches(selector)) give(element, attributes);
    element.querySelectorAll(selector).forEach(each => give(each, attributes));
  }
  if (element.matches("button")) nameButton(element);
  element.querySelectorAll("button").forEach(nameButton);
}

/** Who reaches a question hears who asks, and what: its header and its text. Both may be made anew with each update. */
export function nameQuestion(card: Element): void {
  refer(card, "aria-labelledby", card.querySelector(".mynah-chat-item-card-header"));
  refer(card, "aria-describedby", card.querySelector(":scope > .mynah-card > .mynah-card-inner-order-20"));
}

function refer(from: Element, attribute: string, to: Element | null): void {
  if (to === null) return from.removeAttribute(attribute);
  if (to.id === "") to.id = freshId();
  if (from.getAttribute(attribute) !== to.id) from.setAttribute(attribute, to.id);
}

type Attributes = Readonly<Record<string, string>>;

const ROLES: readonly (readonly [selector: string, attributes: Attributes])[] = [
  [".mynah-chat-items-container", { "role": "log", "aria-live": "off", "aria-label": texts.conversation, "tabindex": "0" }],
  [".mynah-chat-prompt-input", { "role": "textbox", "aria-multiline": "true", "aria-label": texts.prompt }],
  [".mynah-tabs-container", { "role": "tablist", "aria-label": texts.tabs }],
  ["input.mynah-tab-item", { "role": "tab" }],
  [".mynah-chat-items-conversation-container > .mynah-chat-item-card", { "role": "article", "tabindex": "-1" }],
  [".mynah-ui-icon", { "aria-hidden": "true" }],
  [".mynah-chat-prompt-input-info", { "role": "status" }],
];

function give(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) if (!element.hasAttribute(name)) element.setAttribute(name, value);
}

/** A button with an icon and no words: named by the icon. */
function nameButton(button: Element): void {
  if (button.hasAttribute("aria-label") || button.textContent?.trim()) return;
  const icon = button.querySelector(".mynah-ui-icon");
  const name = [...icon?.classList ?? []].map(className => NAMES[className]).find(found => found !== undefined);
  if (name !== undefined) button.setAttribute("aria-label", name);
}

const NAMES: Readonly<Record<string, string>> = {
  "mynah-ui-icon-plus": texts.newTab,
  "mynah-ui-icon-cancel": texts.closeTab,
  "mynah-ui-icon-enter": texts.send,
  "mynah-ui-icon-stop": texts.stopGenerating,
  "mynah-ui-icon-copy": texts.copy,
  "mynah-ui-icon-down-open": texts.showMore,
  "mynah-ui-icon-right-open": texts.showMore,
  "mynah-ui-icon-up-open": texts.showMore,
  "mynah-ui-icon-scroll-down": texts.showMore,
};
