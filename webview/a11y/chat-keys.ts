/**
 * Keyboard navigation of the chat. Alt+Up and Alt+Down move between cards and back to the prompt. Escape moves to the
 * prompt from anywhere, and in the prompt drops pending announcements.
 *
 * Invariant: a component's own key handling (closing a list, switching a tab) takes precedence.
 */
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
      if (event.target instanceof Element && event.target.closest(PROMPT)) this.hush();
      else this.toPrompt();
    });
  }

  toPrompt(): void {
    this.#shown()?.querySelector<HTMLElement>(PROMPT)?.focus();
  }

  /** The visible conversation. */
  #shown(): Element | undefined {
    const selected = this.root.querySelector(".mynah-nav-tabs-wrapper")?.getAttribute("selected-tab");
    return [...this.root.querySelectorAll(".mynah-chat-wrapper")].find(
      each => each.getAttribute("mynah-tab-id") === selected,
    );
  }

  #step(by: -1 | 1): void {
    const cards = [...(this.#shown()?.querySelectorAll<HTMLElement>(CARDS) ?? [])];
    const at = cards.findIndex(card => card.contains(document.activeElement));
    if (at === -1) return by === -1 ? cards.at(-1)?.focus() : this.toPrompt();
    const next = cards[at + by];
    // Upwards from within a card: first to the card itself.
    if (by === -1 && cards[at] !== document.activeElement) return cards[at]?.focus();
    if (next) next.focus();
    else if (by === 1) this.toPrompt();
  }
}

const PROMPT = ".mynah-chat-prompt-input";
const CARDS = ".mynah-chat-items-conversation-container > .mynah-chat-item-card";
