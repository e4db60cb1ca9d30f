/** Draws the parts of a line. Untrusted text is set as text; the host opens the links. */
import type { LinePart } from "../view-model/cards/card";
import { create } from "./dom";

/** Replaces the content by the parts, with blanks between them. */
export function drawParts(element: HTMLElement, parts: readonly LinePart[]): void {
  element.replaceChildren(...parts.flatMap((part, i) => [...(i === 0 ? [] : [new Text(" ")]), linePart(part)]));
}

function linePart(part: LinePart): HTMLElement {
  switch (part.kind) {
    case "link":
      return fileLink(part.text, part.href);
    case "code":
      return create("code", { text: part.text, attributes: { title: part.text } });
    case "text":
      return create("span", { text: part.text });
    case "added":
    case "removed":
      return create("span", { className: `symposium-${part.kind}`, text: part.text });
  }
}

/** Without space for the whole path, its start is omitted. The inner element keeps the path left to right. */
export function fileLink(path: string, href: string): HTMLElement {
  return create(
    "a",
    { className: "symposium-line-path", attributes: { href, title: path } },
    create("bdi", { text: path, attributes: { dir: "ltr" } }),
  );
}
