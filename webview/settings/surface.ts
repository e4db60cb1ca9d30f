/** DOM implementation of `Surface` for `reconciler.ts`. Text is set as text, never parsed as HTML. */
import type { Surface } from "./reconciler";

const SVG = "http://www.w3.org/2000/svg";

export const surface: Surface<Element> = {
  create: tag => (tag === "svg" || tag === "path" ? document.createElementNS(SVG, tag) : document.createElement(tag)),
  setText: (element, text) => {
    element.textContent = text;
  },
  setAttribute(element, name, value) {
    if (value === undefined) element.removeAttribute(name);
    else element.setAttribute(name, value);
  },
  setChecked(element, isChecked) {
    if (element instanceof HTMLInputElement && element.checked !== isChecked) element.checked = isChecked;
  },
  setValue(element, value, isSame) {
    if (element instanceof HTMLSelectElement) {
      if (element.value !== value) element.value = value;
      return;
    }
    if (!(element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement)) return;
    const isEdited = isSame && element === document.activeElement;
    if (element.value !== value && !isEdited) element.value = value;
  },
  place: (parent, child, before) => {
    parent.insertBefore(child, before ?? null);
  },
  remove: element => element.remove(),
  focused: () => document.activeElement ?? undefined,
  focus: element => {
    if (element instanceof HTMLElement) element.focus();
  },
};
