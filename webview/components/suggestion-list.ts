/**
 * Suggestion list above the prompt. Replaces the chat widget's list, which parses names as HTML, accepts an option when
 * it is highlighted, and clears the prompt on Escape.
 *
 * Invariants:
 * - The focus stays in the prompt, whose text is the draft.
 * - An open list handles only its own keys.
 */
import { freshId, create } from "./dom";

export interface Option {
  /** Unique within the list. */
  readonly key: string;
  readonly text: string;
  readonly about: string;
}

export interface OptionListener {
  chosen(key: string): void;
  /** The user closed the list. */
  closed(): void;
  /** Whether Enter accepts the selected option. Otherwise the prompt handles Enter. */
  acceptsEnter(): boolean;
}

export class OptionList {
  readonly element: HTMLElement;
  #shown: readonly Option[] = [];
  #selected = 0;

  constructor(
    private readonly prompt: HTMLElement,
    label: string,
    private readonly listener: OptionListener,
  ) {
    this.element = create("div", {
      className: "symposium-commands",
      attributes: { id: freshId(), role: "listbox", "aria-label": label },
    });
    this.element.hidden = true;
    prompt.setAttribute("aria-autocomplete", "list");
    prompt.setAttribute("aria-haspopup", "listbox");
    // The capture phase runs before the prompt's own listeners.
    prompt.parentElement?.addEventListener("keydown", event => this.#keyPressed(event), { capture: true });
    this.element.addEventListener("mousedown", event => event.preventDefault());
  }

  get isOpen(): boolean {
    return this.#shown.length > 0;
  }

  /** Replaces the options. Selects the first one, or keeps the selection. */
  show(options: readonly Option[], selection: "first" | "same"): void {
    const before = this.#shown;
    if (options.length === before.length && options.every((option, i) => isSame(option, before[i]))) {
      if (options.length > 0 && selection === "first") this.#select(0);
      return;
    }
    const key = selection === "same" ? before[this.#selected]?.key : undefined;
    this.#shown = options;
    this.element.hidden = options.length === 0;
    this.element.replaceChildren(
      ...options.map(({ key, text, about }) => {
        const option = create(
          "div",
          { className: "symposium-command", attributes: { id: freshId(), role: "option", "aria-selected": "false" } },
          create("span", { className: "symposium-command-name", text }),
          create("span", { className: "symposium-command-about", text: about }),
        );
        option.addEventListener("click", () => this.#choose(key));
        return option;
      }),
    );
    if (options.length > 0) {
      this.prompt.setAttribute("aria-controls", this.element.id);
      this.#select(
        Math.max(
          0,
          options.findIndex(option => option.key === key),
        ),
      );
    } else {
      this.prompt.removeAttribute("aria-activedescendant");
      this.prompt.removeAttribute("aria-controls");
    }
  }

  #select(at: number): void {
    this.#selected = at;
    [...this.element.children].forEach((option, i) => option.setAttribute("aria-selected", String(i === at)));
    const option = this.element.children[at];
    if (!option) return;
    this.prompt.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  }

  #choose(key: string | undefined): void {
    if (key === undefined) return;
    this.prompt.focus();
    this.listener.chosen(key);
  }

  #keyPressed(event: KeyboardEvent): void {
    if (
      !this.isOpen ||
      event.target !== this.prompt ||
      event.isComposing ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey
    )
      return;
    if (!this.#handleKey(event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  #handleKey({ key, shiftKey }: KeyboardEvent): boolean {
    const { length } = this.#shown;
    switch (key) {
      case "ArrowDown":
        this.#select((this.#selected + 1) % length);
        return true;
      case "ArrowUp":
        this.#select((this.#selected + length - 1) % length);
        return true;
      case "Escape":
        this.listener.closed();
        return true;
      case "Tab":
        if (shiftKey) return false;
        this.#choose(this.#shown[this.#selected]?.key);
        return true;
      case "Enter":
        if (shiftKey || !this.listener.acceptsEnter()) return false;
        this.#choose(this.#shown[this.#selected]?.key);
        return true;
      default:
        return false;
    }
  }
}

function isSame(a: Option, b: Option | undefined): boolean {
  return a.key === b?.key && a.text === b.text && a.about === b.about;
}
