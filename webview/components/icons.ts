/**
 * SVG icons in the colour of the surrounding text, so that they are readable in every theme, including forced colors.
 */
import type { Attachment } from "../../src/protocol/chat/attachments";

const SVG = "http://www.w3.org/2000/svg";

export type ActionIcon =
  | "remove"
  | "previous"
  | "next"
  | "down"
  | "more"
  | "mention"
  | "edit"
  | "fork"
  | "retry"
  | "plan"
  | "queue"
  | "review"
  | "follow"
  | "details"
  | "warning"
  | "copy"
  | "done"
  | "insert"
  | "apply"
  | "wrap";

const WARNING = "M8 2l6.5 11.5h-13z M8 6.5v3.5 M8 11.5v.5";
const PATHS: Readonly<Record<Attachment["kind"] | ActionIcon, string>> = {
  file: "M3.5 1.5h5.5l3.5 3.5v9.5h-9z M9 1.5v3.5h3.5",
  folder: "M1.5 3h4.5l1.5 2h7v8h-13z",
  symbol:
    "M6 2c-2 0-2 1-2 2.5s0 3-2 3.5c2 .5 2 2 2 3.5s0 2.5 2 2.5 M10 2c2 0 2 1 2 2.5s0 3 2 3.5c-2 .5-2 2-2 3.5s0 2.5-2 2.5",
  selection: "M2 3.5h12 M2 8h7 M2 12.5h7 M11 6h3 M12.5 6v8 M11 14h3",
  problems: WARNING,
  terminal: "M1.5 2.5h13v11h-13z M4 6l2.5 2l-2.5 2 M8 10.5h4",
  transcript: "M1.5 2.5h13v9h-7l-3 3v-3h-3z M4.5 5.5h7 M4.5 8.5h5",
  image: "M1.5 2.5h13v11h-13z M2 12l4-4.5l3 3.5l2-2l3 3 M10.5 5.5h.5",
  remove: "M4 4l8 8 M12 4l-8 8",
  copy: "M5.5 5.5h8v8h-8z M10.5 5.5v-3h-8v8h3",
  done: "M3 8.5l3.5 3.5l7-8",
  insert: "M2 3h12 M2 13h12 M2 8h4.5 M9.5 8h4.5 M8 5.5v5",
  apply: "M3.5 1.5h5.5l3.5 3.5v2 M9 1.5v3.5h3.5 M3.5 1.5v13h3.5 M8.5 12l2 2l4-4.5",
  wrap: "M2 3.5h12 M2 8h9.5a2.2 2.2 0 0 1 0 4.5h-3 M10 10.8l-1.7 1.7l1.7 1.7 M2 12.5h3.5",
  previous: "M8 13v-10 M3.5 7.5l4.5-4.5l4.5 4.5",
  next: "M8 3v10 M3.5 8.5l4.5 4.5l4.5-4.5",
  down: "M4 6.5l4 4l4-4",
  more: "M3 8h.5 M8 8h.5 M13 8h.5",
  mention: "M8 5.3a2.7 2.7 0 1 0 0 5.4a2.7 2.7 0 1 0 0-5.4z M10.7 5.2v3.6c0 2.6 3.8 2.4 3.8-.8a6.5 6.5 0 1 0-3.3 5.6",
  edit: "M2.5 13.5l.8-3.3l7.7-7.7l2.5 2.5l-7.7 7.7z M9.3 4.2l2.5 2.5",
  fork: "M4.5 5.5a1.75 1.75 0 1 0 0-3.5a1.75 1.75 0 1 0 0 3.5z M11.5 5.5a1.75 1.75 0 1 0 0-3.5a1.75 1.75 0 1 0 0 3.5z M8 14a1.75 1.75 0 1 0 0-3.5a1.75 1.75 0 1 0 0 3.5z M4.5 5.5c0 2.5 3.5 2 3.5 5c0-3 3.5-2.5 3.5-5",
  retry: "M12.9 5.5a5.5 5.5 0 1 0 .6 2.7 M13.2 2.2v3.4h-3.4",
  plan: "M1.5 3.5l1.2 1.2l2-2.2 M1.5 8.5l1.2 1.2l2-2.2 M2.2 13.2h1.6 M7 3.7h7.5 M7 8.7h7.5 M7 13.2h7.5",
  queue: "M2 3.5h12 M2 7h12 M2 10.5h6 M12 9v5 M9.8 11.8l2.2 2.2l2.2-2.2",
  review: "M8 2v8 M4 6h8 M4 13.5h8",
  follow: "M1 8c3-5.3 11-5.3 14 0c-3 5.3-11 5.3-14 0z M8 6a2 2 0 1 0 0 4a2 2 0 1 0 0-4z",
  details: "M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13z M8 7.3v4 M8 4.7v.3",
  warning: WARNING,
};

export function icon(name: keyof typeof PATHS): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  for (const [key, value] of Object.entries({
    class: "symposium-icon",
    viewBox: "0 0 16 16",
    "aria-hidden": "true",
    fill: "none",
    stroke: "currentColor",
    "stroke-width": "1.2",
    "stroke-linejoin": "round",
    "stroke-linecap": "round",
  }))
    svg.setAttribute(key, value);
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}
