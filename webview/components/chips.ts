/**
 * Attachments of the draft: a row of chips above the prompt's text, each with a remove button.
 *
 * Invariants:
 * - The row is one Tab stop; arrow keys move between chips.
 * - A remaining chip is not recreated, so that it keeps the focus.
 * - After a removal the focus moves to the neighbouring chip, or to the prompt if none remains.
 */
import type { Attachment } from "../../src/protocol/chat/attachments";
import { chipView } from "../view-model/tab/chip";
import { create } from "./dom";
import { icon } from "./icons";
import { texts } from "../view-model/text/chat-texts";

/** Icon and name, without a button. An image is shown as a thumbnail if its data is available. */
export function chipContent(attachment: Attachment): readonly Node[] {
  const { name } = chipView(attachment);
  const picture =
    attachment.kind === "image" && attachment.data !== ""
      ? create("img", {
          className: "symposium-thumbnail",
          attributes: { src: `data:${attachment.mimeType};base64,${attachment.data}`, alt: "" },
        })
      : icon(attachment.kind);
  return [picture, create("span", { className: "symposium-chip-name", text: name })];
}

export interface ChipHandlers {
  removed(attachment: Attachment): void;
  /** Opens an attachment that has a text. */
  opened(attachment: Attachment): void;
  focusPrompt(): void;
}

export class Chips {
  /** Insert before the prompt's text. */
  readonly element = create("div", {
    className: "symposium-chips",
    attributes: { role: "toolbar", "aria-label": texts.attached },
  });
  readonly #chips = new Map<Attachment, HTMLElement>();
  #shown: readonly Attachment[] = [];

  constructor(private readonly handlers: ChipHandlers) {
    this.element.hidden = true;
    this.element.addEventListener("keydown", event => this.#keyPressed(event));
    this.element.addEventListener("focusin", ({ target }) => {
      if (target instanceof HTMLButtonElement) this.#setTabStop(target);
    });
  }

  show(attachments: readonly Attachment[]): void {
    if (attachments === this.#shown) return;
    this.#shown = attachments;
    this.element.hidden = attachments.length === 0;
    const current = new Set(attachments);
    for (const [attachment, chip] of this.#chips)
      if (!current.has(attachment)) {
        chip.remove();
        this.#chips.delete(attachment);
      }
    attachments.forEach((attachment, i) => {
      const chip = this.#chips.get(attachment) ?? this.#create(attachment);
      this.#chips.set(attachment, chip);
      const present = this.element.children[i];
      if (present !== chip) this.element.insertBefore(chip, present ?? null);
    });
    const buttons = this.#buttons();
    this.#setTabStop(buttons.find(button => button === document.activeElement) ?? buttons.at(-1));
  }

  #create(attachment: Attachment): HTMLElement {
    const { name, about } = chipView(attachment);
    const remove = create(
      "button",
      {
        className: "symposium-chip-remove",
        attributes: { type: "button", tabindex: "-1", "aria-label": `${texts.remove} ${name}`, title: texts.remove },
      },
      icon("remove"),
    );
    remove.addEventListener("click", () => this.#remove(attachment, remove));
    const content = "text" in attachment ? [this.#opener(attachment, about)] : chipContent(attachment);
    return create("span", { className: "symposium-chip", attributes: { title: about } }, ...content, remove);
  }

  #opener(attachment: Attachment, about: string): HTMLElement {
    const opener = create(
      "button",
      { className: "symposium-chip-open", attributes: { type: "button", tabindex: "-1", title: about } },
      ...chipContent(attachment),
    );
    opener.addEventListener("click", () => this.handlers.opened(attachment));
    return opener;
  }

  #buttons(): readonly HTMLButtonElement[] {
    return [...this.element.querySelectorAll("button")];
  }

  #setTabStop(stop: HTMLButtonElement | undefined): void {
    for (const button of this.#buttons()) button.tabIndex = button === stop ? 0 : -1;
  }

  #remove(attachment: Attachment, button: HTMLButtonElement): void {
    const buttons = this.#buttons();
    const at = buttons.indexOf(button);
    const chip = button.parentElement,
      others = (each: HTMLButtonElement | undefined): boolean => each !== undefined && each.parentElement !== chip;
    const next = buttons.slice(at + 1).find(others) ?? buttons.slice(0, at).findLast(others);
    if (next) next.focus();
    else this.handlers.focusPrompt();
    this.handlers.removed(attachment);
  }

  #keyPressed(event: KeyboardEvent): void {
    const buttons = this.#buttons();
    const at = buttons.findIndex(button => button === event.target);
    const button = buttons[at];
    if (!button || event.ctrlKey || event.metaKey || event.altKey) return;
    switch (event.key) {
      case "ArrowRight":
      case "ArrowDown":
        buttons[at + 1]?.focus();
        break;
      case "ArrowLeft":
      case "ArrowUp":
        buttons[at - 1]?.focus();
        break;
      case "Home":
        buttons[0]?.focus();
        break;
      case "End":
        buttons.at(-1)?.focus();
        break;
      case "Delete":
      case "Backspace":
        button.parentElement?.querySelector<HTMLElement>(".symposium-chip-remove")?.click();
        break;
      case "Escape":
        this.handlers.focusPrompt();
        break;
      default:
        return;
    }
    event.preventDefault();
  }
}
