/**
 * Keyboard navigation of the chat. Alt+Up and Alt+Down move between cards and back to the prompt. Escape moves to the
 * prompt from anywhere, and in the prompt drops pending announcements.
 *
 * Invariant: a component's own key handling (closing a list, switching a tab) takes precedence.
 */
import { selectedChat } from "../mynah/elements";
import { selectors } from "../mynah/selectors";

export class ChatKeys {
  constructor(
    private readonly root: HTMLElement,
    private readonly hush: () => void,
  ) {
    // The capture phase is necessary because the prompt handles all arrow keys. No other control uses Alt with an
    // arrow.
    root.addEventListener(
      "keydown",
      event => {
        if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.isComposing) return;
        if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
        this.#step(event.key === "ArrowUp" ? -1 : 1);
        event.preventDefault();
        event.stopPropagation();
      },
      { capture: true },
    );
    root.addEventListener("keydown", event => {
      if (
        event.key !== "Escape" ||
        event.defaultPrevented ||
        event.isComposing ||
        event.altKey ||
        event.ctrlKey ||
        event.metaKey ||
        event.shiftKey
      )
        return;
      if (event.target instanceof Element && event.target.closest(selectors.prompt)) this.hush();
      else this.toPrompt();
    });
  }

  toPrompt(): void {
    selectedChat(this.root)?.querySelector<HTMLElement>(selectors.prompt)?.focus();
  }

  #step(by: -1 | 1): void {
    const cards = [...(selectedChat(this.root)?.querySelectorAll<HTMLElement>(selectors.outerCard) ?? [])];
    const at = cards.findIndex(card => card.contains(document.activeElement));
    if (at === -1) return by === -1 ? cards.at(-1)?.focus() : this.toPrompt();
    const next = cards[at + by];
    // From within a card, Alt+Up first moves to the card itself.
    if (by === -1 && cards[at] !== document.activeElement) return cards[at]?.focus();
    if (next) next.focus();
    else if (by === 1) this.toPrompt();
  }
}
