/**
 * Draws formulas. An element shows its source until the formula is drawn, or if it is invalid.
 *
 * Invariants: the converter is loaded with the first formula; new formulas are converted in short slices of frames, and
 * equal ones once.
 */
import * as l10n from "@vscode/l10n";
import { formulaOf, type Formula } from "../view-model/text/formulas";
import { FORMULA_CLASS } from "../view-model/text/markdown-safe";

type Convert = (tex: string, isBlock: boolean) => Element;
type Converter =
  | { readonly kind: "absent" | "loading" | "failed" }
  | { readonly kind: "loaded"; readonly convert: Convert };
type Converted = { readonly kind: "math"; readonly math: Element } | { readonly kind: "invalid" };

/** Milliseconds per frame. */
const SLICE_MS = 8;
const MAX_CACHED = 500;

/** Draws a change of the page's layout and keeps the scroll position. */
export type ChangeLayout = (change: () => void) => void;

interface Waiting {
  readonly element: HTMLElement;
  readonly formula: Formula;
  readonly changeLayout: ChangeLayout;
}

class FormulaQueue {
  #converter: Converter = { kind: "absent" };
  readonly #converted = new Map<string, Converted>();
  #waiting: Waiting[] = [];

  constructor(private readonly load: () => Promise<Convert>) {}

  draw(element: HTMLElement, source: string, changeLayout: ChangeLayout): void {
    const formula = formulaOf(source);
    element.textContent = source;
    element.removeAttribute("title");
    if (formula === undefined) return;
    element.dataset["shows"] = "source";
    element.classList.toggle("symposium-formula-block", formula.isBlock);
    const converted = this.#converted.get(source);
    if (converted !== undefined) return show(element, formula, converted);
    this.#waiting.push({ element, formula, changeLayout });
    if (this.#waiting.length === 1) this.#start();
  }

  #start(): void {
    switch (this.#converter.kind) {
      case "absent":
        this.#converter = { kind: "loading" };
        this.load().then(
          convert => {
            this.#converter = { kind: "loaded", convert };
            this.#continue();
          },
          () => {
            this.#converter = { kind: "failed" };
            this.#waiting = [];
          },
        );
        return;
      case "loaded":
        return this.#continue();
      case "failed":
        this.#waiting = [];
        return;
      case "loading":
        return;
    }
  }

  #continue(): void {
    requestAnimationFrame(() => {
      if (this.#converter.kind !== "loaded") return;
      const { convert } = this.#converter,
        end = performance.now() + SLICE_MS;
      while (this.#waiting.length > 0 && performance.now() < end) {
        const { element, formula, changeLayout } = this.#waiting.shift() ?? { element: undefined };
        if (element?.isConnected) changeLayout(() => show(element, formula, this.#convert(formula, convert)));
      }
      if (this.#waiting.length > 0) this.#continue();
    });
  }

  #convert({ source, tex, isBlock }: Formula, convert: Convert): Converted {
    const known = this.#converted.get(source);
    if (known !== undefined) return known;
    const converted = attempt(() => convert(tex, isBlock));
    this.#converted.set(source, converted);
    const [oldest] = this.#converted.keys();
    if (this.#converted.size > MAX_CACHED && oldest !== undefined) this.#converted.delete(oldest);
    return converted;
  }
}

function attempt(convert: () => Element): Converted {
  try {
    return { kind: "math", math: convert() };
  } catch {
    return { kind: "invalid" };
  }
}

function show(element: HTMLElement, { isBlock }: Formula, converted: Converted): void {
  if (converted.kind === "invalid") {
    element.dataset["shows"] = "invalid";
    element.title = l10n.t("This formula cannot be displayed.");
    return;
  }
  element.dataset["shows"] = "formula";
  element.replaceChildren(converted.math.cloneNode(true));
  if (!isBlock) return;
  // A wide formula scrolls.
  element.tabIndex = 0;
  element.setAttribute("role", "group");
  element.setAttribute("aria-label", l10n.t("Formula"));
}

const queue = new FormulaQueue(async () => (await import("./tex")).mathOf);

/** Draws the formulas in `root` that are not drawn yet. */
export function drawFormulas(root: Element, changeLayout: ChangeLayout): void {
  for (const element of root.querySelectorAll<HTMLElement>(`span.${FORMULA_CLASS}:empty`))
    queue.draw(element, element.title, changeLayout);
}
