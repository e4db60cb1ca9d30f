/**
 * Command completion in the prompt, and the argument hint of a complete command.
 *
 * Invariant: a closed list opens again only when the text changes.
 */
import type { Command } from "../../src/protocol/chat/chat";
import { fitting, hintFor, isWhole } from "../view-model/tab/commands";
import { create, setText } from "./dom";
import { OptionList } from "./suggestion-list";
import { texts } from "../view-model/text/chat-texts";

export class CommandList {
  /** Insert directly before the prompt. */
  readonly elements: readonly HTMLElement[];
  readonly #list: OptionList;
  readonly #hint = create("p", { className: "symposium-command-hint", attributes: { role: "status" } });
  #commands: readonly Command[] = [];
  /** Text of the prompt when the user closed the list. */
  #closedAt: string | undefined;

  constructor(
    private readonly prompt: HTMLElement,
    chosen: (text: string) => void,
  ) {
    this.#list = new OptionList(prompt, texts.commands, {
      chosen: key => chosen(`${key} `),
      closed: () => {
        this.#closedAt = this.#text();
        this.typed();
      },
      // Enter sends a complete command.
      acceptsEnter: () => !isWhole(this.#commands, this.#text()),
    });
    this.elements = [this.#list.element, this.#hint];
    prompt.addEventListener("blur", () => this.#list.show([], "first"));
    this.typed();
  }

  set(commands: readonly Command[]): void {
    if (commands === this.#commands) return;
    this.#commands = commands;
    this.typed();
  }

  /** Call after any possible change of the prompt's text. */
  typed(): void {
    const text = this.#text();
    if (text !== this.#closedAt) this.#closedAt = undefined;
    const open = document.activeElement === this.prompt && this.#closedAt === undefined;
    this.#list.show(
      open ? fitting(this.#commands, text).map(({ text, about }) => ({ key: text, text, about })) : [],
      "first",
    );
    const hint = hintFor(this.#commands, text);
    setText(this.#hint, hint === undefined ? "" : `${text.trim()} ${hint}`);
    this.#hint.hidden = hint === undefined || this.#list.isOpen;
  }

  #text(): string {
    return this.prompt.textContent ?? "";
  }
}
