/**
 * Converts mouse, touch and keyboard input to events. Listeners are delegated to the root, because elements are
 * recreated.
 *
 * Invariants:
 * - At the end of each drag, the item is dropped or put back.
 * - The click that ends a drag is ignored.
 */
import { isFindKey } from "../components/find-keys";
import { SEARCH_ID, type UserAction } from "./settings-actions";
import { DragScroll } from "./drag-scroll";
import type { SettingsEvent } from "./model";
import type { Input } from "./setting-input";
import type { Reorder, ReorderEvent } from "./reorder";

export interface InputControllerDeps {
  readonly root: HTMLElement;
  actAt(element: Element): UserAction | undefined;
  reorder(): Reorder;
  happen(happened: SettingsEvent): void;
}

/** Pixels that a pointer moves before a drag starts. */
const DRAG_THRESHOLD = 4;

export class InputController {
  /** The pointer pressed on a grip. */
  #pressedGrip: { readonly pointer: number; readonly id: string; readonly y: number } | undefined;
  #hasDragged = false;
  readonly #scroll = new DragScroll(y => this.#updateDropPosition(y));

  constructor(private readonly deps: InputControllerDeps) {
    const { root } = deps;
    root.addEventListener("click", event => this.#clicked(event));
    root.addEventListener("change", event => this.#changed(event));
    root.addEventListener("input", event => this.#typed(event));
    root.addEventListener("keydown", event => this.#keyPressed(event));
    document.addEventListener("keydown", event => this.#focusSearch(event));
    root.addEventListener("focusout", ({ relatedTarget }) => this.#onFocusLeave(relatedTarget));
    root.addEventListener("pointerdown", event => this.#pointerPressed(event));
    root.addEventListener("pointermove", event => this.#pointerMoved(event));
    root.addEventListener("pointerup", event => this.#pointerReleased(event, "drop"));
    root.addEventListener("pointercancel", event => this.#pointerReleased(event, "back"));
    root.addEventListener("lostpointercapture", event => this.#pointerReleased(event, "back"));
  }

  #clicked({ target }: MouseEvent): void {
    const action = this.#actionOf(target);
    switch (action?.kind) {
      case "send":
        return this.deps.happen({ kind: "pressed", message: action.message });
      case "fold":
        return this.deps.happen({ kind: "folded", fold: action.fold });
      case "move":
        return this.#reorder({ kind: "step", by: action.by });
      case "reset":
        return this.deps.happen({ kind: "reset", of: action.of });
      case "clearSearch":
        return this.deps.happen({ kind: "searchCleared" });
      case "grip":
        if (!this.#hasDragged)
          this.#reorder(this.deps.reorder().kind === "grabbed" ? { kind: "drop" } : { kind: "grab", id: action.id });
        return;
      case "switch":
      case "mode":
      case "agent":
      case "setting":
      case "search":
      case undefined:
        return; // handled as change or input events
    }
  }

  #changed({ target }: Event): void {
    const action = this.#actionOf(target);
    if (action?.kind === "setting") {
      const input = inputOf(target, action.option);
      if (input) this.deps.happen({ kind: "entered", of: action.of, input });
      return;
    }
    if (!(target instanceof HTMLInputElement)) return;
    if (action?.kind === "switch") this.deps.happen({ kind: "switched", of: action.of, isOn: target.checked });
    else if (action?.kind === "mode" && target.checked) this.deps.happen({ kind: "chose", mode: action.mode });
    else if (action?.kind === "agent" && target.checked) this.deps.happen({ kind: "selected", id: action.id });
  }

  #typed({ target }: Event): void {
    if (target instanceof HTMLInputElement && this.#actionOf(target)?.kind === "search")
      this.deps.happen({ kind: "searched", query: target.value });
  }

  // --- keys

  #keyPressed(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.isComposing) return;
    if (
      event.altKey
        ? this.#handleNudge(event)
        : this.#handleGrabbed(event) || this.#clearSearch(event) || this.#moveFocus(event)
    )
      event.preventDefault();
  }

  /** Alt+Up and Alt+Down move the extension whose row has the focus. */
  #handleNudge({ key, target }: KeyboardEvent): boolean {
    const by = ARROWS[key],
      row = rowOf(target);
    if (
      by === undefined ||
      row?.dataset["of"] !== "extension" ||
      row.querySelector(".grip:disabled") ||
      isField(target)
    )
      return false;
    this.#reorder({ kind: "nudge", id: row.dataset["id"] ?? "", by });
    return true;
  }

  #handleGrabbed({ key }: KeyboardEvent): boolean {
    const { kind } = this.deps.reorder();
    if (kind === "still") return false;
    if (key === "Escape") {
      this.#end();
      this.#reorder({ kind: "back" });
      return true;
    }
    const by = kind === "grabbed" ? (ARROWS[key] ?? ENDS[key]) : undefined;
    if (by !== undefined) this.#reorder({ kind: "step", by });
    return by !== undefined;
  }

  #clearSearch({ key, target }: KeyboardEvent): boolean {
    const isFilled = target instanceof HTMLInputElement && target.value !== "";
    if (key !== "Escape" || !isFilled || this.#actionOf(target)?.kind !== "search") return false;
    this.deps.happen({ kind: "searchCleared" });
    return true;
  }

  /** A page without a search box leaves the key to VS Code, whose own find opens otherwise as well. */
  #focusSearch(event: KeyboardEvent): void {
    const field = this.deps.root.querySelector<HTMLInputElement>(`#${SEARCH_ID}`);
    if (!field || !isFindKey(event)) return;
    field.focus();
    field.select();
    event.preventDefault();
    event.stopPropagation();
  }

  /** Arrow keys move the focus between rows, unless the focused element handles them itself. */
  #moveFocus({ key, target }: KeyboardEvent): boolean {
    const by = ARROWS[key],
      row = rowOf(target);
    if (by === undefined || !row || !(target instanceof Element) || target.matches("pre") || isField(target))
      return false;
    const rows = [...this.deps.root.querySelectorAll<HTMLElement>(".row")];
    const next = rows[rows.indexOf(row) + (by === "up" ? -1 : 1)];
    next?.focus();
    return next !== undefined;
  }

  /** An extension grabbed by keyboard is dropped at its current position when the focus leaves its row. */
  #onFocusLeave(to: EventTarget | null): void {
    const state = this.deps.reorder();
    if (state.kind === "grabbed" && rowOf(to)?.dataset["id"] !== state.id) this.#reorder({ kind: "drop" });
  }

  // --- the pointer

  #pointerPressed({ target, pointerId, clientY, button }: PointerEvent): void {
    this.#hasDragged = false;
    const action = this.#actionOf(target);
    if (button !== 0 || action?.kind !== "grip" || !(target instanceof Element) || target.closest(":disabled")) return;
    target.closest("button")?.setPointerCapture(pointerId);
    this.#pressedGrip = { pointer: pointerId, id: action.id, y: clientY };
  }

  #pointerMoved({ pointerId, clientY }: PointerEvent): void {
    const pressed = this.#pressedGrip;
    if (pressed?.pointer !== pointerId) return;
    if (!this.#hasDragged) {
      if (Math.abs(clientY - pressed.y) < DRAG_THRESHOLD) return;
      this.#hasDragged = true;
      this.#reorder({ kind: "drag", id: pressed.id });
    }
    this.#updateDropPosition(clientY);
    this.#scroll.at(clientY);
  }

  /** Computes the drop position: the number of other rows whose centre is above the pointer. */
  #updateDropPosition(y: number): void {
    const state = this.deps.reorder();
    if (state.kind !== "dragged") return;
    const others = [...this.deps.root.querySelectorAll<HTMLElement>(".row[data-of=extension]")].filter(
      row => row.dataset["id"] !== state.id,
    );
    const to = others.filter(row => {
      const { top, height } = row.getBoundingClientRect();
      return top + height / 2 < y;
    }).length;
    if (to !== state.to) this.#reorder({ kind: "over", to });
  }

  #pointerReleased({ pointerId }: PointerEvent, event: "drop" | "back"): void {
    if (this.#pressedGrip?.pointer !== pointerId) return;
    this.#end();
    if (this.#hasDragged) this.#reorder({ kind: event });
  }

  #end(): void {
    this.#pressedGrip = undefined;
    this.#scroll.end();
  }

  #reorder(event: ReorderEvent): void {
    this.deps.happen({ kind: "reordered", event });
  }

  #actionOf(target: EventTarget | null): UserAction | undefined {
    for (
      let element = target instanceof Element ? target : null;
      element && element !== this.deps.root;
      element = element.parentElement
    ) {
      const action = this.deps.actAt(element);
      if (action) return action;
    }
    return undefined;
  }
}

const ARROWS: Readonly<Record<string, "up" | "down">> = { ArrowUp: "up", ArrowDown: "down" };
const ENDS: Readonly<Record<string, "first" | "last">> = { Home: "first", End: "last" };

/** An element that handles arrow keys itself. */
const isField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.matches("select, textarea, input:not([type=checkbox])");

function inputOf(target: EventTarget | null, option: string | undefined): Input | undefined {
  if (target instanceof HTMLInputElement && target.type === "checkbox") return { isOn: target.checked, option };
  return target instanceof HTMLInputElement ||
    target instanceof HTMLSelectElement ||
    target instanceof HTMLTextAreaElement
    ? { text: target.value }
    : undefined;
}

const rowOf = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>(".row") : null;
