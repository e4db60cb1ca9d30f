/**
 * The selects at one tab's prompt: what is on screen, and what the user changed of it.
 *
 * Invariants: what the user chose stays on screen until the agent says what there is; the renderer makes all of them
 * anew and tells nobody, so they are drawn only when they differ, keep the focus, and are told by the user's changes
 * alone.
 */
import type { Control } from "../../src/protocol/controls";
import { picked, type Picked, type Picker } from "../view-model/controls";
import { make } from "../components/dom";
import { spoken } from "../view-model/sentences";

export class PromptPickers {
  #shown: readonly Picker[] = [];

  constructor(
    /** Has all of them made anew. */
    private readonly draw: (pickers: readonly Picker[]) => void,
    /** Those that were made, in their order. */
    private readonly selects: () => readonly HTMLSelectElement[],
  ) {}

  show(pickers: readonly Picker[]): void {
    if (JSON.stringify(pickers) === JSON.stringify(this.#shown)) return;
    this.#shown = pickers;
    const focused =
      document.activeElement instanceof HTMLElement ? document.activeElement.dataset["picker"] : undefined;
    this.draw(pickers);
    this.selects().forEach((select, i) => {
      const picker = pickers[i];
      if (picker === undefined) return;
      select.setAttribute("aria-label", picker.name);
      select.dataset["picker"] = picker.id;
      select.dataset["about"] = spoken(picker.tooltip);
      group(select, picker);
      if (picker.id === focused) select.focus();
    });
  }

  /** To be told the values of all of them when one was changed. */
  changed(controls: readonly Control[], values: Readonly<Record<string, unknown>>): Picked | undefined {
    const choice = picked(this.#shown, controls, values);
    if (choice === undefined) return undefined;
    this.#shown = this.#shown.map(picker => {
      const value = values[picker.id];
      return typeof value === "string" ? { ...picker, value } : picker;
    });
    return choice;
  }
}

/** Choices of one group under its name: the renderer knows no groups, the browser does. */
function group(select: HTMLSelectElement, { value, choices }: Picker): void {
  const options = [...select.options];
  const groups = new Map<string, HTMLOptGroupElement>();
  choices.forEach(({ group: name, about }, i) => {
    const option = options[i];
    if (option === undefined) return;
    if (about !== undefined) option.title = about;
    if (name === undefined) return select.append(option);
    const of = groups.get(name) ?? make("optgroup", { attributes: { label: name } });
    groups.set(name, of);
    of.append(option);
    select.append(of);
  });
  select.value = value;
}
