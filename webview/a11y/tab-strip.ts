/**
 * Turns the widget's tabs into an ARIA tab list: arrow keys move between tabs, and the selection follows the focus. The
 * widget's own radio buttons are inaccessible to keyboards and screen readers.
 *
 * Invariants:
 * - Only the selected tab is a Tab stop.
 * - A tab controls its conversation, which is labelled by the tab.
 * - Delete closes a tab, like the mouse button.
 * - The selected tab is in view after its selection, and after a change of its width or of the view's.
 * - A menu lists all tabs with their status while the strip is too narrow for them.
 */
import { create, freshId } from "../components/dom";
import { icon } from "../components/icons";
import { menuButton, type MenuItem } from "../components/menu";
import { chatOf } from "../mynah/elements";
import { selectors } from "../mynah/selectors";
import { texts } from "../view-model/text/chat-texts";

export class TabStrip {
  /** The selected tab and the row of tabs. */
  #observed: readonly Element[] = [];
  readonly #resized = new ResizeObserver(() => {
    this.#showMenu();
    this.#observed[0]?.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
  readonly #menu = menuButton(
    { label: texts.allTabs, content: [icon("down")] },
    () => this.#items(),
    id => this.#tab(id)?.querySelector<HTMLElement>(selectors.tabInput)?.click(),
  );

  /** `toPrompt` focuses the prompt of the selected tab. */
  constructor(
    private readonly root: HTMLElement,
    private readonly toPrompt: () => void,
  ) {
    root.addEventListener("change", () => this.show());
    root.addEventListener("keydown", event => {
      const tab =
        event.target instanceof Element && event.target.getAttribute("role") === "tab" ? event.target : undefined;
      if (!(tab instanceof HTMLElement) || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (this.#keyPressed(event.key, tab)) event.preventDefault();
    });
  }

  /** Call after tabs were added, removed or renamed. */
  show(): void {
    let selected: Element | undefined;
    for (const part of this.root.querySelectorAll<HTMLElement>(selectors.tab)) {
      const input = part.querySelector<HTMLInputElement>(selectors.tabInput);
      const tab = part.querySelector<HTMLElement>(selectors.tabTitle);
      if (!input || !tab) continue;
      if (input.checked) selected = part;
      set(part, "role", "none");
      set(tab, "role", "tab");
      set(tab, "aria-selected", String(input.checked));
      set(tab, "tabindex", input.checked ? "0" : "-1");
      part.title = tab.textContent;
      for (const close of part.querySelectorAll("button")) {
        set(close, "tabindex", "-1");
        set(close, "aria-hidden", "true");
      }
      this.#link(tab, input.value);
    }
    this.#keepInView(selected);
    this.#showMenu();
  }

  /** Measures the strip without the menu, whose width would otherwise change the result. */
  #showMenu(): void {
    const strip = this.root.querySelector(selectors.tabStrip);
    if (!strip?.parentElement || this.#menu.querySelector(":popover-open") !== null) return;
    if (this.#menu.parentElement !== strip.parentElement) strip.after(this.#menu);
    this.#menu.hidden = true;
    this.#menu.hidden = strip.scrollWidth <= strip.clientWidth;
  }

  #items(): readonly MenuItem[] {
    return this.#tabs().flatMap(tab => {
      const input = tab.querySelector<HTMLInputElement>(selectors.tabInput),
        title = tab.querySelector(selectors.tabTitle);
      if (!input || !title) return [];
      const content = create("span", { className: "symposium-tab-name" });
      content.append(...[...title.childNodes].map(node => node.cloneNode(true)));
      return [{ id: input.value, label: title.textContent, content: [content], isChecked: input.checked }];
    });
  }

  #tabs(): readonly Element[] {
    return [...this.root.querySelectorAll(selectors.tab)];
  }

  #tab(id: string): Element | undefined {
    return this.#tabs().find(tab => tab.querySelector<HTMLInputElement>(selectors.tabInput)?.value === id);
  }

  /** The observer also reports each element once after `observe`. */
  #keepInView(selected: Element | undefined): void {
    if (selected === this.#observed[0]) return;
    this.#resized.disconnect();
    this.#observed = [selected, selected?.parentElement].filter(each => each instanceof Element);
    for (const element of this.#observed) this.#resized.observe(element);
  }

  #link(tab: HTMLElement, value: string): void {
    const panel = chatOf(this.root, value);
    if (!panel) return;
    if (tab.id === "") tab.id = freshId();
    if (panel.id === "") panel.id = freshId();
    set(tab, "aria-controls", panel.id);
    set(panel, "role", "tabpanel");
    set(panel, "aria-labelledby", tab.id);
  }

  #keyPressed(key: string, tab: HTMLElement): boolean {
    const tabs = [...this.root.querySelectorAll<HTMLElement>(`${selectors.tabStrip} [role=tab]`)];
    const at = tabs.indexOf(tab);
    switch (key) {
      case "ArrowRight":
      case "ArrowDown":
        return this.#select(tabs[(at + 1) % tabs.length]);
      case "ArrowLeft":
      case "ArrowUp":
        return this.#select(tabs.at(at - 1));
      case "Home":
        return this.#select(tabs[0]);
      case "End":
        return this.#select(tabs.at(-1));
      case "Enter":
      case " ":
        this.toPrompt();
        return true;
      case "Delete":
        return this.#close(tab);
      default:
        return false;
    }
  }

  /**
   * Moves the focus before the selection, because a selection from outside the tab strip moves the focus to the prompt.
   */
  #select(tab: HTMLElement | undefined): boolean {
    tab?.focus();
    inputOf(tab)?.click();
    return true;
  }

  #close(tab: HTMLElement): boolean {
    tab.closest("label")?.querySelector("button")?.click();
    const confirmation = this.root.querySelector<HTMLElement>(selectors.closeConfirmation);
    if (!confirmation) this.#focusSelected();
    else requestAnimationFrame(() => this.#confirm(confirmation));
    return true;
  }

  /** Focuses the confirmation that closing a tab with a running turn requires. */
  #confirm(confirmation: HTMLElement): void {
    const [keep] = confirmation.querySelectorAll("button");
    confirmation.addEventListener("keydown", event => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      keep?.click();
    });
    // The widget stops the propagation of clicks.
    confirmation.addEventListener("click", () => requestAnimationFrame(() => this.#focusSelected()), { capture: true });
    keep?.focus();
  }

  #focusSelected(): void {
    this.show();
    this.root.querySelector<HTMLElement>(`${selectors.tabStrip} [role=tab][aria-selected=true]`)?.focus();
  }
}

function inputOf(tab: HTMLElement | undefined): HTMLInputElement | null | undefined {
  return tab?.closest(selectors.tab)?.querySelector<HTMLInputElement>(selectors.tabInput);
}

function set(element: Element, attribute: string, value: string): void {
  if (element.getAttribute(attribute) !== value) element.setAttribute(attribute, value);
}
