/**
 * Draws a diagram as SVG. Loaded when the first diagram is drawn.
 *
 * Invariant: the elements are `svg`, `rect`, `path`, `text` and `tspan`. Texts are set as text, and colors are classes
 * (`diagram.css`), so a source cannot add links, scripts, styles or resources.
 */
import * as l10n from "@vscode/l10n";
import { graphScene } from "./graph-scene";
import { parseDiagram } from "./parse";
import { LINE_HEIGHT, type Measure, type Scene, type SceneItem } from "./scene";
import { sequenceScene } from "./sequence-scene";
import { DiagramError } from "./source";

const SVG = "http://www.w3.org/2000/svg";

export type Drawing =
  | { readonly kind: "drawn"; readonly svg: SVGSVGElement }
  | { readonly kind: "invalid"; readonly reason: string };

/** `fonts`: the font families of texts, and of rows in tables. */
export function drawDiagram(source: string, fonts: Fonts): Drawing {
  try {
    const diagram = parseDiagram(source),
      measure = measureWith(fonts);
    return {
      kind: "drawn",
      svg: svgOf(diagram.kind === "graph" ? graphScene(diagram, measure) : sequenceScene(diagram, measure)),
    };
  } catch (error) {
    return {
      kind: "invalid",
      reason: error instanceof DiagramError ? error.message : l10n.t("This diagram cannot be drawn."),
    };
  }
}

interface Fonts {
  readonly text: string;
  readonly rows: string;
}

function measureWith({ text: textFamily, rows }: Fonts): Measure {
  const context = document.createElement("canvas").getContext("2d");
  return (text, font) => {
    if (context === null) return text.length * 8;
    context.font = font === "rows" ? `12px ${rows}` : `13px ${textFamily}`;
    return context.measureText(text).width;
  };
}

function svgOf({ minX, minY, width, height, items }: Scene): SVGSVGElement {
  const svg = element("svg", { viewBox: [minX, minY, width, height].map(Math.round).join(" ") });
  svg.setAttribute("width", String(Math.round(width)));
  svg.setAttribute("height", String(Math.round(height)));
  svg.append(...items.flatMap(elementsOf));
  return svg;
}

function elementsOf(item: SceneItem): readonly Element[] {
  switch (item.kind) {
    case "box": {
      const { x, y, width, height } = item.box;
      return [
        element("rect", {
          class: item.role,
          x: String(x - width / 2),
          y: String(y - height / 2),
          width: String(width),
          height: String(height),
          rx: String(item.radius),
        }),
      ];
    }
    case "path":
      return [element("path", { class: item.role, d: item.d })];
    case "text": {
      const text = element("text", { class: item.role, "text-anchor": item.anchor });
      text.append(
        ...item.lines.map((line, i) => {
          const span = element("tspan", { x: String(item.at.x), y: String(item.at.y + i * LINE_HEIGHT) });
          span.textContent = line;
          return span;
        }),
      );
      return [text];
    }
  }
}

function element<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string>>,
): SVGElementTagNameMap[K] {
  const created = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, value);
  return created;
}
