/**
 * Adds the accessibility that the chat widget lacks: roles, names, keyboard handling and screen reader announcements. A
 * MutationObserver adds roles and names to the elements that the widget creates. `announcements.ts` computes the
 * announcements.
 *
 * Invariants:
 * - A question receives the focus unless the user is typing. Otherwise the next key press would go to the question.
 *   While the user types, a question is announced immediately.
 * - The accessible description of a question's card contains the full question, even after a redrawing.
 */
import { announce, listening, type Announcement } from "./announcements";
import { CardLabels } from "./card-labels";
import { cardElement, iconNames, isUnfolded } from "../mynah/elements";
import { selectors } from "../mynah/selectors";
import { ChatKeys } from "./chat-keys";
import { create } from "../components/dom";
import { FocusTip } from "./focus-tip";
import { LiveRegion } from "./live-region";
import type { Clock } from "../page-clock";
import type { Page } from "../state/page-model";
import { TabStrip } from "./tab-strip";
import { texts } from "../view-model/text/chat-texts";

export interface Accessibility {
  /** Call after each change of the page. */
  changed(before: Page, after: Page): void;
  /** Call when the changes are on screen. `isWhole`: the drawing is complete and no frames follow. */
  drawn(page: Page, isWhole: boolean): void;
}

type Ask = Extract<Announcement, { readonly kind: "ask" }>;

export function makeAccessible(root: HTMLElement, clock: Clock): Accessibility {
  const region = regionAfter(root, clock);
  const tip = new FocusTip(root);
  root.after(tip.element);
  const keys = new ChatKeys(root, () => region.hush());
  const tabs = new TabStrip(root, () => keys.toPrompt());
  const names = new CardLabels(root);
  root.after(names.element);
  root.setAttribute("role", "main");
  root.prepend(create("h1", { className: "symposium-spoken", text: texts.heading }));
  observe(root, tabs);
  let state = listening;
  let pendingQuestions: readonly Ask[] = [];
  const execute = (announcement: Announcement): void => {
    switch (announcement.kind) {
      case "announce":
        return region.report(announcement.text);
      case "sayNow":
        return region.announceNow(announcement.text);
      case "hush":
        return region.hush();
      case "ask":
        pendingQuestions = [...pendingQuestions, announcement];
    }
  };
  return {
    changed(before, after) {
      const [next, messages] = announce(state, before, after);
      state = next;
      messages.forEach(execute);
    },
    drawn(page, isWhole) {
      names.show(page);
      if (!isWhole) return;
      const [open, last] = [pendingQuestions, pendingQuestions.at(-1)];
      pendingQuestions = [];
      const focused = last !== undefined && focusCard(root, last.key);
      // Joined into one utterance, because only the last text of the alert region is spoken.
      const unseen = open.filter(ask => ask !== last || !focused).map(({ text }) => text);
      if (unseen.length > 0) region.announceNow(unseen.join(" "));
    },
  };
}

/**
 * Creates a polite region, whose texts a screen reader queues, and an alert region, whose texts it speaks immediately.
 */
function regionAfter(root: HTMLElement, clock: Clock): LiveRegion {
  const spoken = create("div", {
    className: "symposium-spoken",
    attributes: { role: "log", "aria-live": "polite", "aria-relevant": "additions", "aria-label": texts.announcements },
  });
  const alert = create("div", { className: "symposium-spoken", attributes: { role: "alert" } });
  root.after(spoken, alert);
  const speak = (utterance: string): void => {
    spoken.append(create("p", { text: utterance }));
    if (spoken.children.length > MAX_UTTERANCES) spoken.firstElementChild?.remove();
  };
  return new LiveRegion(speak, utterance => alert.replaceChildren(create("p", { text: utterance })), clock);
}
/** Maximum number of utterances that the region keeps for rereading. */
const MAX_UTTERANCES = 20;

function focusCard(root: HTMLElement, key: string): boolean {
  if (!document.hasFocus() || isTyping()) return false;
  const card = cardElement(root, key);
  if (!card) return false;
  addRoles(card);
  card.focus();
  return document.activeElement === card;
}

function isTyping(): boolean {
  const at = document.activeElement;
  if (at instanceof HTMLTextAreaElement) return true;
  if (at instanceof HTMLInputElement) return at.type !== "checkbox" && at.type !== "radio";
  return (at?.closest(selectors.prompt)?.textContent ?? "") !== "";
}

// --- roles and names

function observe(root: HTMLElement, tabs: TabStrip): void {
  addRoles(root);
  tabs.show();
  new MutationObserver(changes => {
    let areTabs = false;
    for (const { target, addedNodes } of changes) {
      addedNodes.forEach(node => {
        if (node instanceof Element) addRoles(node);
      });
      areTabs ||= target instanceof Element && target.closest(selectors.tabStrip) !== null;
    }
    if (areTabs) tabs.show();
  }).observe(root, { childList: true, subtree: true });
  // The widget stops the propagation of clicks, hence the capture phase. It folds the card after this listener, hence
  // the next frame.
  root.addEventListener(
    "click",
    ({ target }) => {
      if (target instanceof Element && target.closest(selectors.foldButton))
        requestAnimationFrame(() => markFolds(root));
    },
    { capture: true },
  );
}

/** Adds roles and names to an element and its descendants. */
function addRoles(element: Element): void {
  for (const [selector, attributes] of ROLES) {
    if (element.matches(selector)) setMissing(element, attributes);
    element.querySelectorAll(selector).forEach(each => setMissing(each, attributes));
  }
  if (element.matches("button")) nameButton(element);
  element.querySelectorAll("button").forEach(nameButton);
  markFolds(element);
}

function markFolds(element: Element): void {
  for (const fold of element.querySelectorAll(selectors.foldButton))
    fold.setAttribute("aria-expanded", String(isUnfolded(fold)));
}

type Attributes = Readonly<Record<string, string>>;

const ROLES: readonly (readonly [selector: string, attributes: Attributes])[] = [
  [selectors.conversation, { role: "log", "aria-live": "off", "aria-label": texts.conversation, tabindex: "0" }],
  [selectors.prompt, { role: "textbox", "aria-multiline": "true", "aria-label": texts.prompt }],
  [selectors.tabStrip, { role: "tablist", "aria-label": texts.tabs }],
  [selectors.outerCard, { role: "article", tabindex: "-1" }],
  [selectors.icon, { "aria-hidden": "true" }],
  [selectors.banner, { role: "status" }],
  [selectors.closeConfirmation, { role: "alertdialog", "aria-label": texts.tabCloseConfirmationMessage }],
];

function setMissing(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes))
    if (!element.hasAttribute(name)) element.setAttribute(name, value);
}

/** Names a button without text after its icon. */
function nameButton(button: Element): void {
  if (button.hasAttribute("aria-label") || button.textContent?.trim()) return;
  const name = iconNames(button)
    .map(icon => NAMES[icon])
    .find(found => found !== undefined);
  if (name !== undefined) button.setAttribute("aria-label", name);
}

const NAMES: Readonly<Record<string, string>> = {
  plus: texts.newTab,
  cancel: texts.closeTab,
  enter: texts.send,
  stop: texts.stopGenerating,
  copy: texts.copy,
  "down-open": texts.details,
  "right-open": texts.details,
  "up-open": texts.showMore,
  "scroll-down": texts.showMore,
};
