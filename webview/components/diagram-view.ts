/**
 * A diagram in place of the code block with its source. The code stays visible until the diagram is drawn, if it cannot
 * be drawn, and while the user wants the source.
 *
 * Invariant: the drawing program is loaded with the first diagram; one diagram is drawn per frame.
 */
import * as l10n from "@vscode/l10n";
import type { Drawing } from "../diagrams/svg";
import { create } from "./dom";
import type { ChangeLayout } from "./formula";

type State =
  | { readonly kind: "waiting" }
  | { readonly kind: "invalid"; readonly reason: string }
  | { readonly kind: "diagram" | "source"; readonly svg: SVGSVGElement; readonly zoom: number | "fit" };

const ZOOM = { step: 1.25, min: 0.25, max: 4 };

/** Resolves in a frame of the page after all earlier diagrams. */
let turn: Promise<void> = Promise.resolve();
function nextTurn(): Promise<void> {
  turn = turn.then(() => new Promise(resolve => requestAnimationFrame(() => resolve())));
  return turn;
}

export class DiagramView {
  readonly element = create("div", { className: "symposium-diagram" });
  #state: State = { kind: "waiting" };
  #source: string | undefined;
  #block: HTMLElement | undefined;

  constructor(private readonly changeLayout: ChangeLayout) {}

  /** `block`: the element of the code, which is replaced. */
  show(source: string, block: HTMLElement): void {
    this.#block = block;
    if (block.nextElementSibling !== this.element) block.after(this.element);
    if (source !== this.#source) {
      this.#source = source;
      this.#state = { kind: "waiting" };
      this.#load(source).catch(() => undefined); // the code stays visible
    }
    this.#draw();
  }

  async #load(source: string): Promise<void> {
    const { drawDiagram } = await import("../diagrams/svg");
    await nextTurn();
    if (source !== this.#source) return;
    const { fontFamily } = getComputedStyle(this.element),
      editorFont = getComputedStyle(document.documentElement).getPropertyValue("--vscode-editor-font-family"),
      drawing: Drawing = drawDiagram(source, { text: fontFamily, rows: editorFont || "monospace" });
    this.#change(
      drawing.kind === "drawn"
        ? { kind: "diagram", svg: drawing.svg, zoom: "fit" }
        : { kind: "invalid", reason: drawing.reason },
    );
  }

  #change(state: State): void {
    this.#state = state;
    this.changeLayout(() => this.#draw());
  }

  #draw(): void {
    const state = this.#state;
    this.#block?.toggleAttribute("data-replaced", state.kind === "diagram");
    this.element.dataset["state"] = state.kind;
    switch (state.kind) {
      case "waiting":
        return this.element.replaceChildren();
      case "invalid":
        return this.element.replaceChildren(create("p", { className: "symposium-note", text: state.reason }));
      case "source":
      case "diagram":
        return this.#drawKnown(state);
    }
  }

  #drawKnown(state: Extract<State, { readonly svg: SVGSVGElement }>): void {
    const { kind, svg, zoom } = state,
      focused = document.activeElement?.getAttribute("data-action"),
      hadFocus = this.element.contains(document.activeElement);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", l10n.t("Diagram"));
    svg.style.width = zoom === "fit" ? "" : `${Number(svg.getAttribute("width")) * zoom}px`;
    svg.dataset["zoom"] = zoom === "fit" ? "fit" : "fixed";
    const zoomBy = (factor: number) => (): void => {
      const { width } = svg.getBoundingClientRect(),
        shown = width / (Number(svg.getAttribute("width")) || 1);
      this.#change({ ...state, zoom: Math.min(ZOOM.max, Math.max(ZOOM.min, shown * factor)) });
    };
    const buttons =
      kind === "source"
        ? [button("show", l10n.t("Show Diagram"), () => this.#change({ ...state, kind: "diagram" }))]
        : [
            button("zoomOut", "−", zoomBy(1 / ZOOM.step), l10n.t("Zoom Out")),
            button("zoomIn", "+", zoomBy(ZOOM.step), l10n.t("Zoom In")),
            button("fit", l10n.t("Fit"), () => this.#change({ ...state, zoom: "fit" }), l10n.t("Fit to Width")),
            button("source", l10n.t("Source"), () => this.#change({ ...state, kind: "source" }), l10n.t("Show Source")),
            button("copy", l10n.t("Copy"), () => this.#copy(), l10n.t("Copy Source")),
          ];
    const canvas = create("div", {
      className: "symposium-diagram-canvas",
      attributes: { tabindex: "0", role: "group", "aria-label": l10n.t("Diagram") },
    });
    canvas.append(svg);
    this.element.replaceChildren(
      create("div", { className: "symposium-diagram-buttons" }, ...buttons),
      ...(kind === "diagram" ? [canvas] : []),
    );
    if (hadFocus) (buttons.find(each => each.dataset["action"] === focused) ?? buttons[0])?.focus();
  }

  #copy(): void {
    navigator.clipboard.writeText(this.#source ?? "").catch(() => undefined); // the page has no permission
  }
}

function button(action: string, text: string, pressed: () => void, name = text): HTMLButtonElement {
  const element = create("button", {
    className: "symposium-text-button",
    text,
    attributes: { type: "button", title: name, "aria-label": name },
  });
  element.dataset["action"] = action;
  element.addEventListener("click", pressed);
  return element;
}
