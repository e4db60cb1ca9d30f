/**
 * The list of commands above the prompt while one is typed. Ours, because mynah's takes names as HTML, sends a command
 * as soon as it is chosen, and empties the prompt on Escape.
 *
 * Invariants: the focus stays in the prompt, and what stands there is the draft; only the keys that the list needs while
 * it is open are taken from the prompt; a list that was closed opens again only when the text changes.
 */
import type { Command } from "../src/protocol/chat";
import { fitting, hintFor, isWhole, type CommandChoice } from "./commands";
import { freshId, make, setText } from "./dom";
import { texts } from "./texts";

export class CommandList {
  /** To be put just before the prompt. */
  readonly element = make("div", { className: "symposium-completion" });
  readonly #list = make("div", { className: "symposium-commands", attributes: { "id": freshId(), "role": "listbox", "aria-label": texts.commands } });
  readonly #hint = make("p", { className: "symposium-command-hint", attributes: { role: "status" } });
  #commands: readonly Command[] = [];
  #shown: readonly CommandChoice[] = [];
  #at = 0;
  /** What stood in the prompt when the user closed the list. */
  #closedAt: string | undefined;

  constructor(private readonly prompt: HTMLElement, private readonly chosen: (text: string) => void) {
    this.element.append(this.#list, this.#hint);
    prompt.setAttribute("aria-autocomplete", "list");
    prompt.setAttribute("aria-haspopup", "listbox");
    prompt.addEventListener("blur", () => this.#show([]));
    // Before the prompt itself sees the key.
    prompt.parentElement?.addEventListener("keydown", event => this.#pressed(event), { capture: true });
    this.#list.addEventListener("mousedown", event => event.preventDefault());
    this.#show([]);
  }

  set(commands: readonly Command[]): void {
    if (commands === this.#commands) return;
    this.#commands = commands;
    this.typed();
  }

  /** To be called whenever the text of the prompt may have changed. */
  typed(): void {
    const text = this.#text();
    if (text !== this.#closedAt) this.#closedAt = undefined;
    const open = document.activeElement === this.prompt && this.#closedAt === undefined;
    this.#show(open ? fitting(this.#commands, text) : []);
    const hint = hintFor(this.#commands, text);
    setText(this.#hint, hint === undefined ? "" : `${text.trim()} ${hint}`);
    this.#hint.hidden = hint === undefined || this.#shown.length > 0;
  }

  #text(): string { return this.prompt.textContent ?? ""; }

  #show(choices: readonly CommandChoice[]): void {
    const same = choices.length === this.#shown.length && choices.every(({ command }, i) => command === this.#shown[i]?.command);
    if (same && choices.length > 0) return;
    this.#shown = choices;
    this.#at = 0;
    this.#list.hidden = choices.length === 0;
    this.#list.replaceChildren(...choices.map(({ text, about }, i) => {
      const option = make("div", { className: "symposium-command", attributes: { "id": freshId(), "role": "option", "aria-selected": "false" } },
        make("span", { className: "symposium-command-name", text }), make("span", { className: "symposium-command-about", text: about }));
      option.addEventListener("click", () => this.#choose(i));
      return option;
    }));
    if (choices.length === 0) {
      this.prompt.removeAttribute("aria-activedescendant");
      this.prompt.removeAttribute("aria-controls");
    } else {
      this.prompt.setAttribute("aria-controls", this.#list.id);
      this.#point(0);
    }
  }

  #point(at: number): void {
    this.#at = at;
    [...this.#list.children].forEach((option, i) => option.setAttribute("aria-selected", String(i === at)));
    const option = this.#list.children[at];
    if (!option) return;
    this.prompt.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  }

  #choose(i: number): void {
    const choice = this.#shown[i];
    if (choice === undefined) return;
    this.prompt.focus();
    this.chosen(`${choice.text} `);
  }

  #pressed(event: KeyboardEvent): void {
    if (this.#shown.length === 0 || event.target !== this.prompt || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!this.#takes(event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  #takes({ key, shiftKey }: KeyboardEvent): boolean {
    const { length } = this.#shown;
    switch (key) {
      case "ArrowDown": this.#point((this.#at + 1) % length); return true;
      case "ArrowUp": this.#point((this.#at + length - 1) % length); return true;
      case "Escape": this.#closedAt = this.#text(); this.typed(); return true;
      case "Tab": if (shiftKey) return false; this.#choose(this.#at); return true;
      // Typed whole, it is sent.
      case "Enter": if (shiftKey || isWhole(this.#commands, this.#text())) return false; this.#choose(this.#at); return true;
      default: return false;
    }
  }
}
