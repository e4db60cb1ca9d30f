/**
 * What mynah-ui leaves out for those who do not see the page, or use it by keyboard: roles, names, keys, and sentences
 * for a screen reader. A MutationObserver dresses what mynah makes; what is said comes from `announcements.ts`.
 *
 * Invariants: a question takes the focus, unless the user is typing: then the next key would not be meant for it, and
 * it is said at once; its card says what it asks, whatever is drawn of it.
 */
import { announce, listening, type Announcement } from "./announcements";
import { CardNames } from "../mynah/card-names";
import { ChatKeys } from "./chat-keys";
import { make } from "../components/dom";
import { FocusTip } from "./focus-tip";
import { LiveRegion } from "./live-region";
import type { Clock } from "../page-clock";
import type { Page } from "../state/page-model";
import { TabStrip } from "./tab-strip";
import { texts } from "../view-model/texts";

export interface Accessibility {
  /** To be called with each change of the page. */
  changed(before: Page, after: Page): void;
  /** What changed is on screen; `isWhole`: all of it, or there are frames to come. */
  drawn(page: Page, isWhole: boolean): void;
}

type Ask = Extract<Announcement, { readonly kind: "ask" }>;

export function makeAccessible(root: HTMLElement, clock: Clock): Accessibility {
  const region = regionAfter(root, clock);
  const tip = new FocusTip(root);
  root.after(tip.element);
  const keys = new ChatKeys(root, () => region.hush());
  const tabs = new TabStrip(root, () => keys.toPrompt());
  const names = new CardNames(root);
  root.after(names.element);
  root.setAttribute("role", "main");
  root.prepend(make("h1", { className: "symposium-spoken", text: texts.heading }));
  observe(root, tabs);
  let heard = listening;
  let asks: readonly Ask[] = [];
  const carryOut = (said: Announcement): void => {
    switch (said.kind) {
      case "say":
        return region.say(said.text);
      case "sayNow":
        return region.sayNow(said.text);
      case "hush":
        return region.hush();
      case "ask":
        asks = [...asks, said];
    }
  };
  return {
    changed(before, after) {
      const [next, said] = announce(heard, before, after);
      heard = next;
      said.forEach(carryOut);
    },
    drawn(page, isWhole) {
      names.show(page);
      if (!isWhole) return;
      const [open, last] = [asks, asks.at(-1)];
      asks = [];
      const focused = last !== undefined && focusCard(root, last.key);
      // In one: what comes into the region right after another takes its place, and is all that is heard.
      const unseen = open.filter(ask => ask !== last || !focused).map(({ text }) => text);
      if (unseen.length > 0) region.sayNow(unseen.join(" "));
    },
  };
}

/** Two regions: a screen reader waits with what comes into the one, and does not with what comes into the other. */
function regionAfter(root: HTMLElement, clock: Clock): LiveRegion {
  const spoken = make("div", {
    className: "symposium-spoken",
    attributes: { role: "log", "aria-live": "polite", "aria-relevant": "additions", "aria-label": texts.announcements },
  });
  const alert = make("div", { className: "symposium-spoken", attributes: { role: "alert" } });
  root.after(spoken, alert);
  const speak = (utterance: string): void => {
    spoken.append(make("p", { text: utterance }));
    if (spoken.children.length > KEPT) spoken.firstElementChild?.remove();
  };
  return new LiveRegion(speak, utterance => alert.replaceChildren(make("p", { text: utterance })), clock);
}
/** Utterances that can be read again. */
const KEPT = 20;

function focusCard(root: HTMLElement, key: string): boolean {
  if (!document.hasFocus() || isTyping()) return false;
  const card = root.querySelector<HTMLElement>(`.mynah-chat-item-card[messageid="${CSS.escape(key)}"]`);
  if (!card) return false;
  dress(card);
  card.focus();
  return document.activeElement === card;
}

function isTyping(): boolean {
  const at = document.activeElement;
  if (at instanceof HTMLTextAreaElement) return true;
  if (at instanceof HTMLInputElement) return at.type !== "checkbox" && at.type !== "radio";
  return (at?.closest(".mynah-chat-prompt-input")?.textContent ?? "") !== "";
}

// --- roles and names

function observe(root: HTMLElement, tabs: TabStrip): void {
  dress(root);
  tabs.show();
  new MutationObserver(changes => {
    let areTabs = false;
    for (const { target, addedNodes } of changes) {
      addedNodes.forEach(node => {
        if (node instanceof Element) dress(node);
      });
      areTabs ||= target instanceof Element && target.closest(".mynah-tabs-container") !== null;
    }
    if (areTabs) tabs.show();
  }).observe(root, { childList: true, subtree: true });
  // mynah keeps the click to itself, and has folded only then.
  root.addEventListener(
    "click",
    ({ target }) => {
      if (target instanceof Element && target.closest(FOLD)) requestAnimationFrame(() => sayFolds(root));
    },
    { capture: true },
  );
}

/** Roles and names of an element and all below it. */
function dress(element: Element): void {
  for (const [selector, attributes] of ROLES) {
    if (element.matches(selector)) give(element, attributes);
    element.querySelectorAll(selector).forEach(each => give(each, attributes));
  }
  if (element.matches("button")) nameButton(element);
  element.querySelectorAll("button").forEach(nameButton);
  sayFolds(element);
}

const FOLD = ".mynah-chat-item-summary-button";

function sayFolds(element: Element): void {
  for (const fold of element.querySelectorAll(FOLD))
    fold.setAttribute(
      "aria-expanded",
      String(fold.closest(".mynah-chat-item-card-summary")?.classList.contains("show-summary") ?? false),
    );
}

type Attributes = Readonly<Record<string, string>>;

const ROLES: readonly (readonly [selector: string, attributes: Attributes])[] = [
  [".mynah-chat-items-container", { role: "log", "aria-live": "off", "aria-label": texts.conversation, tabindex: "0" }],
  [".mynah-chat-prompt-input", { role: "textbox", "aria-multiline": "true", "aria-label": texts.prompt }],
  [".mynah-tabs-container", { role: "tablist", "aria-label": texts.tabs }],
  [".mynah-chat-items-conversation-container > .mynah-chat-item-card", { role: "article", tabindex: "-1" }],
  [".mynah-ui-icon", { "aria-hidden": "true" }],
  [".mynah-chat-prompt-input-info", { role: "status" }],
  [".mynah-chat-prompt-input-sticky-card", { role: "status" }],
  [
    ".mynah-nav-tabs-close-confirmation-overlay",
    { role: "alertdialog", "aria-label": texts.tabCloseConfirmationMessage },
  ],
];

function give(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes))
    if (!element.hasAttribute(name)) element.setAttribute(name, value);
}

/** A button with an icon and no words: named by the icon. */
function nameButton(button: Element): void {
  if (button.hasAttribute("aria-label") || button.textContent?.trim()) return;
  const icon = button.querySelector(".mynah-ui-icon");
  const name = [...(icon?.classList ?? [])].map(className => NAMES[className]).find(found => found !== undefined);
  if (name !== undefined) button.setAttribute("aria-label", name);
}

const NAMES: Readonly<Record<string, string>> = {
  "mynah-ui-icon-plus": texts.newTab,
  "mynah-ui-icon-cancel": texts.closeTab,
  "mynah-ui-icon-enter": texts.send,
  "mynah-ui-icon-stop": texts.stopGenerating,
  "mynah-ui-icon-copy": texts.copy,
  "mynah-ui-icon-down-open": texts.details,
  "mynah-ui-icon-right-open": texts.details,
  "mynah-ui-icon-up-open": texts.showMore,
  "mynah-ui-icon-scroll-down": texts.showMore,
};
