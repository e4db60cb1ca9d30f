/** Draws the parts of a line. Untrusted text is set as text; the host opens the links. */
import type { LinePart } from "../view-model/cards/card";
import { create } from "./dom";

export function linePart(part: LinePart): HTMLElement {
  switch (part.kind) {
    case "link":
      return create("a", { text: part.text, attributes: { href: part.href, title: part.text } });
    case "code":
      return create("code", { text: part.text, attributes: { title: part.text } });
    case "text":
      return create("span", { text: part.text });
    case "added":
    case "removed":
      return create("span", { className: `symposium-${part.kind}`, text: part.text });
  }
}
