/**
 * Live output of an agent's command in the card of its tool call.
 *
 * Invariants:
 * - Output is rendered as text.
 * - Only changed lines are recreated.
 * - Output that is scrolled to its end stays at the end; otherwise the scroll position is kept.
 */
import type { ShownTerminal } from "../view-model/cards/card";
import { freshId, create, setText } from "./dom";
import { readableText, visibleText } from "../../src/protocol/text/visible-text";
import { cssOf, terminalText } from "../view-model/cards/terminal-view";
import type { AnsiLine } from "../view-model/text/ansi";
import { texts } from "../view-model/text/chat-texts";

export class Terminal {
  readonly element: HTMLElement;
  readonly #command = create("code", { className: "symposium-terminal-command", attributes: { id: freshId() } });
  readonly #location = create("span", { className: "symposium-note" });
  readonly #state = create("span", { className: "symposium-terminal-state" });
  readonly #cut = create("span", { className: "symposium-note", text: texts.cut });
  readonly #output = create("pre", {
    className: "symposium-terminal-output",
    attributes: { tabindex: "0", role: "region", "aria-labelledby": this.#command.id },
  });
  #lines: readonly string[] = [];
  #shown: ShownTerminal | undefined;

  constructor(openInTerminal: () => void) {
    const open = create("button", {
      className: "symposium-link",
      text: texts.openTerminal,
      attributes: { type: "button" },
    });
    open.addEventListener("click", openInTerminal);
    this.element = create(
      "div",
      { className: "symposium-terminal" },
      create("div", { className: "symposium-terminal-head" }, this.#command, this.#state),
      this.#location,
      this.#cut,
      this.#output,
      open,
    );
  }

  show(shown: ShownTerminal): void {
    if (shown.terminal === this.#shown?.terminal && shown.where === this.#shown.where) return;
    this.#shown = shown;
    const { command, state, tone, lines, isCut } = terminalText(shown.terminal);
    setText(this.#command, command);
    setText(this.#state, state);
    this.#state.dataset["tone"] = tone;
    this.element.dataset["state"] = tone === "info" ? "running" : tone === "error" ? "failed" : "ended";
    setText(this.#location, shown.where === undefined ? "" : `in ${visibleText(shown.where)}`);
    this.#location.hidden = shown.where === undefined;
    this.#cut.hidden = !isCut;
    this.#output.hidden = lines.length === 0;
    this.#print(lines);
  }

  #print(lines: readonly AnsiLine[]): void {
    const { scrollHeight, scrollTop, clientHeight, children } = this.#output;
    const atEnd = scrollHeight - scrollTop - clientHeight < 10;
    const serialized = lines.map(line => JSON.stringify(line));
    while (children.length > lines.length) this.#output.lastElementChild?.remove();
    lines.forEach((line, i) => {
      if (serialized[i] === this.#lines[i]) return;
      const drawn = lineOf(line);
      const before = children[i];
      if (before) before.replaceWith(drawn);
      else this.#output.append(drawn);
    });
    this.#lines = serialized;
    if (atEnd) this.#output.scrollTop = this.#output.scrollHeight;
  }
}

function lineOf(line: AnsiLine): HTMLElement {
  return create(
    "span",
    { className: "symposium-terminal-line" },
    ...line.map(({ text, style }) => {
      const span = create("span", { text: readableText(text) });
      for (const [property, value] of Object.entries(cssOf(style))) span.style.setProperty(property, value);
      return span;
    }),
    document.createTextNode("\n"),
  );
}
