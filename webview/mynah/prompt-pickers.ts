/**
 * Shows the select elements at one tab's prompt and detects the user's changes.
 *
 * Invariants:
 * - The user's choice stays on screen until the agent reports its controls.
 * - Only the user's changes are reported. mynah recreates all select elements at once, so they are redrawn only after a
 *   change, and the focus is restored.
 */
import type { Control } from "../../src/protocol/chat/controls";
import { picked, type Picked, type Picker } from "../view-model/tab/controls";
import { create } from "../components/dom";
import { spoken } from "../view-model/text/sentences";

export class PromptPickers {
  #shown: readonly Picker[] = [];

  constructor(
    /** Recreates all select elements. */
    private readonly draw: (pickers: readonly Picker[]) => void,
    /** The created select elements, in order. */
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

  /** Returns the user's choice. `values`: the values of all pickers after the change. */
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

/** Groups the options in `optgroup` elements, which mynah does not support. */
function group(select: HTMLSelectElement, { value, choices }: Picker): void {
  const options = [...select.options];
  const groups = new Map<string, HTMLOptGroupElement>();
  choices.forEach(({ group: name, about }, i) => {
    const option = options[i];
    if (option === undefined) return;
    if (about !== undefined) option.title = about;
    if (name === undefined) return select.append(option);
    const parent = groups.get(name) ?? create("optgroup", { attributes: { label: name } });
    groups.set(name, parent);
    parent.append(option);
    select.append(parent);
  });
  select.value = value;
}
