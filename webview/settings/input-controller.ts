/**
 * Converts mouse, touch and keyboard input to events. Listeners are delegated to the root, because elements are
 * recreated.
 *
 * Invariants:
 * - However a drag ends, the item is dropped or put back.
 * - The click that ends a drag is ignored.
 */
import type { UserAction } from "./settings-actions";
import { DragScroll } from "./drag-scroll";
import type { Happened } from "./model";
import type { Reorder, ReorderEvent } from "./reorder";

export interface InputControllerDeps {
  readonly root: HTMLElement;
  actAt(element: Element): UserAction | undefined;
  reorder(): Reorder;
  happen(happened: Happened): void;
}

/** Pixels that a pointer moves before a drag starts. */
const SLACK = 4;

export class InputController {
  /** The pointer pressed on a grip. */
  #down: { readonly pointer: number; readonly id: string; readonly y: number } | undefined;
  #hasDragged = false;
  readonly #scroll = new DragScroll(y => this.#over(y));

  constructor(private readonly deps: InputControllerDeps) {
    const { root } = deps;
    root.addEventListener("click", event => this.#clicked(event));
    root.addEventListener("change", event => this.#changed(event));
    root.addEventListener("keydown", event => this.#pressed(event));
    root.addEventListener("focusout", ({ relatedTarget }) => this.#onPointerLeave(relatedTarget));
    root.addEventListener("pointerdown", event => this.#grasped(event));
    root.addEventListener("pointermove", event => this.#moved(event));
    root.addEventListener("pointerup", event => this.#released(event, "drop"));
    root.addEventListener("pointercancel", event => this.#released(event, "back"));
    root.addEventListener("lostpointercapture", event => this.#released(event, "back"));
  }

  #clicked({ target }: MouseEvent): void {
    const action = this.#actOf(target);
    switch (action?.kind) {
      case "send":
        return this.deps.happen({ kind: "pressed", message: action.message });
      case "fold":
        return this.deps.happen({ kind: "folded", fold: action.fold });
      case "move":
        return this.#reorder({ kind: "step", by: action.by });
      case "grip":
        if (!this.#hasDragged)
          this.#reorder(this.deps.reorder().kind === "grabbed" ? { kind: "drop" } : { kind: "grab", id: action.id });
        return;
      case "switch":
      case "mode":
      case undefined:
        return; // handled as change events
    }
  }

  #changed({ target }: Event): void {
    if (!(target instanceof HTMLInputElement)) return;
    const action = this.#actOf(target);
    if (action?.kind === "switch") this.deps.happen({ kind: "switched", of: action.of, isOn: target.checked });
    else if (action?.kind === "mode" && target.checked) this.deps.happen({ kind: "chose", mode: action.mode });
  }

  // --- keys

  #pressed(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.isComposing) return;
    if (event.altKey ? this.#nudges(event) : this.#holds(event) || this.#walks(event)) event.preventDefault();
  }

  /** Alt and an arrow key move the extension whose row has the focus. */
  #nudges({ key, target }: KeyboardEvent): boolean {
    const by = ARROWS[key],
      row = rowOf(target);
    if (by === undefined || row?.dataset["of"] !== "extension" || row.querySelector(".grip:disabled")) return false;
    this.#reorder({ kind: "nudge", id: row.dataset["id"] ?? "", by });
    return true;
  }

  #holds({ key }: KeyboardEvent): boolean {
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

  /** Up and down arrows move between rows where the keys have no other meaning. */
  #walks({ key, target }: KeyboardEvent): boolean {
    const by = ARROWS[key],
      row = rowOf(target);
    if (by === undefined || !row || !(target instanceof Element) || target.matches("pre")) return false;
    const rows = [...this.deps.root.querySelectorAll<HTMLElement>(".row")];
    const next = rows[rows.indexOf(row) + (by === "up" ? -1 : 1)];
    next?.focus();
    return next !== undefined;
  }

  /** An extension grabbed by keyboard is dropped at its current position when the focus leaves its row. */
  #onPointerLeave(to: EventTarget | null): void {
    const held = this.deps.reorder();
    if (held.kind === "grabbed" && rowOf(to)?.dataset["id"] !== held.id) this.#reorder({ kind: "drop" });
  }

  // --- the pointer

  #grasped({ target, pointerId, clientY, button }: PointerEvent): void {
    this.#hasDragged = false;
    const action = this.#actOf(target);
    if (button !== 0 || action?.kind !== "grip" || !(target instanceof Element) || target.closest(":disabled")) return;
    target.closest("button")?.setPointerCapture(pointerId);
    this.#down = { pointer: pointerId, id: action.id, y: clientY };
  }

  #moved({ pointerId, clientY }: PointerEvent): void {
    const down = this.#down;
    if (down?.pointer !== pointerId) return;
    if (!this.#hasDragged) {
      if (Math.abs(clientY - down.y) < SLACK) return;
      this.#hasDragged = true;
      this.#reorder({ kind: "drag", id: down.id });
    }
    this.#over(clientY);
    this.#scroll.at(clientY);
  }

  /** Computes the drop position: the number of other rows whose centre is above the pointer. */
  #over(y: number): void {
    const held = this.deps.reorder();
    if (held.kind !== "dragged") return;
    const others = [...this.deps.root.querySelectorAll<HTMLElement>(".row[data-of=extension]")].filter(
      row => row.dataset["id"] !== held.id,
    );
    const to = others.filter(row => {
      const { top, height } = row.getBoundingClientRect();
      return top + height / 2 < y;
    }).length;
    if (to !== held.to) this.#reorder({ kind: "over", to });
  }

  #released({ pointerId }: PointerEvent, event: "drop" | "back"): void {
    if (this.#down?.pointer !== pointerId) return;
    this.#end();
    if (this.#hasDragged) this.#reorder({ kind: event });
  }

  #end(): void {
    this.#down = undefined;
    this.#scroll.end();
  }

  #reorder(event: ReorderEvent): void {
    this.deps.happen({ kind: "reordered", event });
  }

  #actOf(target: EventTarget | null): UserAction | undefined {
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

const rowOf = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>(".row") : null;
