/**
 * The row of the dock: one button for each part, which opens the panel of the part or switches it on and off.
 *
 * Invariants:
 * - Nothing is rendered as HTML.
 * - The row has one line at any width. Parts are shortened until they fit.
 * - Unchanged elements are not touched.
 */
import { ELLIPSIS_FROM, formOf, MAX_STEPS, type DockPart, type DockPartId } from "../view-model/tab/dock-parts";
import { create, setText } from "./dom";
import { fitRow } from "./fit-row";
import { icon } from "./icons";
import { drawParts } from "./line-parts";

const IDS: readonly DockPartId[] = ["status", "bypass", "usage", "plan", "queue", "review", "follow", "details"];

interface Drawn {
  readonly element: HTMLElement;
  readonly full: HTMLElement;
  readonly short: HTMLElement;
}

export class DockRow {
  readonly element = create("div", { className: "symposium-dock-row" });
  readonly #drawn = new Map<DockPartId, Drawn>();
  #parts: readonly DockPart[] = [];

  /** `panelIds`: ids of the panels that the buttons open. */
  constructor(panelIds: ReadonlyMap<DockPartId, string>, pressed: (id: DockPartId) => void) {
    for (const id of IDS) {
      const drawn = drawnPart(id, panelIds.get(id));
      if (id !== "status") drawn.element.addEventListener("click", () => pressed(id));
      this.#drawn.set(id, drawn);
      this.element.append(drawn.element);
    }
    this.element.hidden = true;
    new ResizeObserver(() => this.#fit()).observe(this.element);
  }

  show(parts: readonly DockPart[]): void {
    if (JSON.stringify(parts) === JSON.stringify(this.#parts)) return;
    this.#parts = parts;
    this.element.hidden = parts.length === 0;
    for (const [id, drawn] of this.#drawn)
      update(
        drawn,
        parts.find(part => part.id === id),
      );
    // After the drawing, which computes the layout of the page once.
    queueMicrotask(() => this.#fit());
  }

  /** Marks the button whose panel is open. */
  showOpen(open: DockPartId | undefined): void {
    for (const [id, { element }] of this.#drawn)
      if (element.hasAttribute("aria-controls")) element.setAttribute("aria-expanded", String(id === open));
  }

  focus(id: DockPartId): void {
    this.#drawn.get(id)?.element.focus();
  }

  #fit(): void {
    fitRow(this.element, MAX_STEPS, steps => {
      this.element.dataset["texts"] = steps < ELLIPSIS_FROM ? "whole" : "cut";
      for (const { id, short } of this.#parts) {
        const form = formOf(id, steps),
          element = this.#drawn.get(id)?.element;
        if (element) element.dataset["form"] = form === "short" && short === "" ? "icon" : form;
      }
    });
  }
}

function drawnPart(id: DockPartId, panelId: string | undefined): Drawn {
  const full = create("span", { className: "symposium-dock-full" }),
    short = create("span", { className: "symposium-dock-short" }),
    mark = iconOf(id);
  const element =
    id === "status"
      ? create("span", { attributes: { role: "status", "data-part": "status" } }, mark, full, short)
      : create(
          "button",
          {
            attributes: {
              type: "button",
              "data-part": `dock-${id}`,
              ...(panelId === undefined ? {} : { "aria-controls": panelId }),
            },
          },
          mark,
          full,
          short,
        );
  element.className = "symposium-dock-part";
  element.hidden = true;
  return { element, full, short };
}

function iconOf(id: DockPartId): Element {
  switch (id) {
    case "status":
      return create("span", { className: "symposium-pulse", attributes: { "aria-hidden": "true" } });
    case "usage":
      return create("span", { className: "symposium-ring", attributes: { "aria-hidden": "true" } });
    case "bypass":
      return icon("warning");
    default:
      return icon(id);
  }
}

function update({ element, full, short }: Drawn, part: DockPart | undefined): void {
  element.hidden = part === undefined;
  if (part?.parts === undefined) setText(full, part?.full ?? "");
  else drawParts(full, part.parts);
  setText(short, part?.short ?? "");
  if (part === undefined) return;
  element.title = part.tooltip;
  element.dataset["tone"] = part.tone;
  if (part.id !== "status") element.setAttribute("aria-label", part.name);
  if (part.isPressed !== undefined) element.setAttribute("aria-pressed", String(part.isPressed));
  if (part.id === "usage") showFraction(element, part.fraction);
}

function showFraction(element: HTMLElement, fraction: number | undefined): void {
  const ring = element.querySelector<HTMLElement>(".symposium-ring");
  ring?.style.setProperty("--part", String(fraction ?? 0));
  ring?.toggleAttribute("hidden", fraction === undefined);
}
