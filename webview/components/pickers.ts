/**
 * The select elements below one tab's prompt: agent, mode, model and further options of the agent. Those that do not
 * fit into the row are in the popover of its last button.
 *
 * Invariants:
 * - The user's choice stays on screen until the agent reports its controls.
 * - Only the user's changes are reported.
 * - An unchanged select element is not recreated, so that it keeps the focus.
 */
import { AGENT, type Picker, type PickerChoice } from "../view-model/tab/controls";
import type { PictureView } from "../view-model/tab/first-screen";
import { spoken } from "../view-model/text/sentences";
import { texts } from "../view-model/text/chat-texts";
import { AgentPicture } from "./agent-picture";
import { create, freshId, setText } from "./dom";
import { fitRow } from "./fit-row";
import { icon } from "./icons";
import { placeAt, popoverButton } from "./popover";

interface Drawn {
  picker: Picker;
  readonly element: HTMLElement;
  readonly select: HTMLSelectElement;
  readonly options: readonly { readonly element: HTMLOptionElement; readonly choice: PickerChoice }[];
}

export class Pickers {
  readonly element = create("div", { className: "symposium-pickers" });
  readonly #popover = create("div", {
    className: "symposium-menu symposium-picker-menu",
    attributes: { id: freshId(), role: "group", popover: "auto", "aria-label": texts.moreOptions },
  });
  readonly #menuButton = popoverButton({ label: texts.moreOptions, content: [icon("more")] }, this.#popover, "dialog");
  readonly #picture = new AgentPicture();
  #drawn: readonly Drawn[] = [];
  /** Number of pickers in the popover. */
  #hidden = 0;

  constructor(private readonly chosen: (pickerId: string, value: string) => void) {
    this.#menuButton.dataset["part"] = "more-pickers";
    this.element.append(this.#menuButton, this.#popover);
    this.#popover.addEventListener("toggle", event => {
      if (event.newState !== "open") return this.#fit();
      placeAt(this.#popover, this.#menuButton);
      this.#popover.querySelector("select")?.focus();
    });
    this.#popover.addEventListener("keydown", event => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      this.#popover.hidePopover();
      this.#menuButton.focus();
    });
    new ResizeObserver(() => this.#fit()).observe(this.element);
  }

  /** `agent`: the picture beside the agent's picker; `undefined` while it is unknown. */
  show(pickers: readonly Picker[], agent: PictureView | undefined): void {
    if (agent !== undefined) this.#picture.show(agent);
    const before = this.#drawn;
    if (JSON.stringify(pickers) === JSON.stringify(before.map(({ picker }) => picker))) return;
    const focused = before.find(({ select }) => select === document.activeElement)?.picker.id;
    this.#drawn = pickers.map(
      picker => before.find(each => JSON.stringify(each.picker) === JSON.stringify(picker)) ?? this.#create(picker),
    );
    for (const { element } of before) element.remove();
    this.#place(Math.min(this.#hidden, Math.max(0, pickers.length - 1)));
    this.#fit();
    this.#drawn.find(({ picker }) => picker.id === focused)?.select.focus();
  }

  /** An open popover keeps its pickers. */
  #fit(): void {
    if (this.#popover.matches(":popover-open")) return;
    const focused = document.activeElement;
    fitRow(this.element, Math.max(0, this.#drawn.length - 1), hidden => this.#place(hidden));
    if (focused instanceof HTMLElement && this.element.contains(focused)) focused.focus();
  }

  /** Moves the last pickers into the popover. The first one is always in the row. */
  #place(hidden: number): void {
    const inRow = this.#drawn.length - hidden;
    this.#hidden = hidden;
    this.#menuButton.hidden = hidden === 0;
    this.#drawn.forEach((drawn, i) => {
      labelChoices(drawn, i >= inRow ? "menu" : "row");
      if (i >= inRow) this.#popover.append(drawn.element);
      else this.element.insertBefore(drawn.element, this.#menuButton);
    });
  }

  #create(picker: Picker): Drawn {
    const { id, name, tooltip, value, choices, disabled } = picker;
    const select = create("select", {
      attributes: { "aria-label": name, "data-picker": id, "data-about": spoken(tooltip), title: spoken(tooltip) },
    });
    select.disabled = disabled;
    const groups = new Map<string, HTMLOptGroupElement>();
    const options = choices.map(choice => {
      const { value, about } = choice;
      return { choice, element: create("option", { attributes: { value, ...(about ? { title: about } : {}) } }) };
    });
    for (const {
      choice: { group },
      element: option,
    } of options) {
      if (group === undefined) {
        select.append(option);
        continue;
      }
      const parent = groups.get(group) ?? create("optgroup", { attributes: { label: group } });
      groups.set(group, parent);
      parent.append(option);
      select.append(parent);
    }
    select.value = value;
    const label = create("span", {
      className: "symposium-picker-name",
      text: name,
      attributes: { "aria-hidden": "true" },
    });
    const drawn: Drawn = {
      picker,
      select,
      options,
      element: create(
        "span",
        { className: "symposium-picker" },
        label,
        ...(id === AGENT ? [this.#picture.element] : []),
        select,
        icon("down"),
      ),
    };
    select.addEventListener("change", () => {
      drawn.picker = { ...drawn.picker, value: select.value };
      this.chosen(drawn.picker.id, select.value);
    });
    return drawn;
  }
}

/** In the menu, the name of the control is beside the picker. */
function labelChoices({ options }: Drawn, place: "row" | "menu"): void {
  for (const { element, choice } of options) setText(element, place === "row" ? choice.rowLabel : choice.label);
}
