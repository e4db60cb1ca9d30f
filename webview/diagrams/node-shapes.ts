/** Size, outline and texts of the nodes of a graph. Pure. */
import type { GraphNode } from "./model";
import {
  circle,
  LINE_HEIGHT,
  polygon,
  textAround,
  widthOf,
  wrapped,
  type Box,
  type Measure,
  type Point,
  type Role,
  type SceneItem,
} from "./scene";

export interface SizedNode {
  readonly node: GraphNode;
  readonly lines: readonly string[];
  readonly width: number;
  readonly height: number;
}

const PADDING = { x: 24, y: 16 };
const SECTION_PADDING = 8;

export function sized(node: GraphNode, isHorizontal: boolean, measure: Measure): SizedNode {
  const lines = wrapped(node.label, measure),
    text = { width: widthOf(lines, measure), height: Math.max(1, lines.length) * LINE_HEIGHT },
    plain = { width: text.width + PADDING.x, height: text.height + PADDING.y };
  const size = (): { width: number; height: number } => {
    switch (node.outline) {
      case "diamond":
        return node.label === ""
          ? { width: 28, height: 28 }
          : { width: text.width * 1.5 + 24, height: text.height * 3 + 8 };
      case "circle":
      case "doubleCircle": {
        const diameter = Math.hypot(text.width, text.height) + (node.outline === "circle" ? 14 : 24);
        return { width: diameter, height: diameter };
      }
      case "hexagon":
      case "slanted":
      case "subroutine":
      case "flag":
        return { ...plain, width: plain.width + 20 };
      case "cylinder":
        return { ...plain, height: plain.height + 16 };
      case "start":
      case "end":
        return { width: 18, height: 18 };
      case "bar":
        return isHorizontal ? { width: 6, height: 60 } : { width: 60, height: 6 };
      case "table": {
        const rows = node.sections.flat();
        return {
          width: Math.max(90, plain.width, widthOf(rows, measure, "rows") + PADDING.x),
          height: headHeight(lines) + node.sections.reduce((sum, section) => sum + sectionHeight(section), 0),
        };
      }
      default:
        return { width: Math.max(44, plain.width), height: plain.height };
    }
  };
  return { node, lines, ...size() };
}

const headHeight = (lines: readonly string[]): number => Math.max(1, lines.length) * LINE_HEIGHT + 12;
const sectionHeight = (rows: readonly string[]): number => rows.length * LINE_HEIGHT + SECTION_PADDING;

/** Outlines by corners, in fractions of the half width and half height, and in pixels. */
function corners({ x, y, width, height }: Box, list: readonly (readonly [number, number, number?])[]): string {
  return polygon(
    list.map(([right, down, inset = 0]) => ({ x: x + (right * width) / 2 + inset, y: y + (down * height) / 2 })),
  );
}

export function nodeShapes({ node, lines }: SizedNode, box: Box): readonly SceneItem[] {
  const text = textAround(box, lines, "text");
  const outline = (d: string, role: Role = "node"): SceneItem => ({ kind: "path", d, role });
  const rounded = (radius: number): SceneItem => ({ kind: "box", box, radius, role: "node" });
  const { x, y, width, height } = box,
    [left, right, top, bottom] = [x - width / 2, x + width / 2, y - height / 2, y + height / 2];
  switch (node.outline) {
    case "rect":
      return [rounded(3), text];
    case "round":
      return [rounded(8), text];
    case "stadium":
      return [rounded(height / 2), text];
    case "circle":
      return [outline(circle(box, width / 2)), text];
    case "doubleCircle":
      return [outline(circle(box, width / 2)), outline(circle(box, width / 2 - 4)), text];
    case "diamond":
      return [
        outline(
          corners(box, [
            [0, -1],
            [1, 0],
            [0, 1],
            [-1, 0],
          ]),
        ),
        text,
      ];
    case "hexagon":
      return [
        outline(
          corners(box, [
            [-1, -1, 12],
            [1, -1, -12],
            [1, 0],
            [1, 1, -12],
            [-1, 1, 12],
            [-1, 0],
          ]),
        ),
        text,
      ];
    case "slanted":
      return [
        outline(
          corners(box, [
            [-1, -1, 12],
            [1, -1],
            [1, 1, -12],
            [-1, 1],
          ]),
        ),
        text,
      ];
    case "flag":
      return [
        outline(
          corners(box, [
            [-1, -1],
            [1, -1],
            [1, 1],
            [-1, 1],
            [-1, 0, 10],
          ]),
        ),
        text,
      ];
    case "subroutine":
      return [
        rounded(0),
        outline(
          polygon(
            [
              { x: left + 7, y: top },
              { x: left + 7, y: bottom },
            ],
            false,
          ),
        ),
        outline(
          polygon(
            [
              { x: right - 7, y: top },
              { x: right - 7, y: bottom },
            ],
            false,
          ),
        ),
        text,
      ];
    case "cylinder": {
      const rim = `a${width / 2},7 0 0 0 ${width},0`;
      return [
        outline(`M${left},${top + 7}a${width / 2},7 0 0 1 ${width},0V${bottom - 7}a${width / 2},7 0 0 1 ${-width},0Z`),
        outline(`M${left},${top + 7}${rim}`),
        textAround({ x, y: y + 5 }, lines, "text"),
      ];
    }
    case "start":
      return [outline(circle(box, 8), "mark")];
    case "end":
      return [outline(circle(box, 8), "openMark"), outline(circle(box, 4.5), "mark")];
    case "bar":
      return [{ kind: "box", box, radius: 2, role: "mark" }];
    case "note":
      return [{ kind: "box", box, radius: 0, role: "note" }, text];
    case "table":
      return tableShapes(node, lines, box);
  }
}

function tableShapes({ sections }: GraphNode, lines: readonly string[], box: Box): readonly SceneItem[] {
  const { x, y, width, height } = box,
    left = x - width / 2;
  let top = y - height / 2 + headHeight(lines);
  const items: SceneItem[] = [
    { kind: "box", box, radius: 3, role: "node" },
    textAround({ x, y: y - height / 2 + headHeight(lines) / 2 }, lines, "title"),
  ];
  for (const rows of sections) {
    items.push({
      kind: "path",
      d: polygon(
        [
          { x: left, y: top },
          { x: left + width, y: top },
        ],
        false,
      ),
      role: "node",
    });
    if (rows.length > 0)
      items.push({
        kind: "text",
        at: { x: left + PADDING.x / 2, y: top + (SECTION_PADDING + LINE_HEIGHT) / 2 },
        lines: rows,
        anchor: "start",
        role: "rows",
      });
    top += sectionHeight(rows);
  }
  return items;
}

/** The point of a node's outline on the line from its center to `toward`. */
export function outlinePoint({ node }: SizedNode, box: Box, toward: Point): Point {
  const dx = toward.x - box.x,
    dy = toward.y - box.y,
    [halfWidth, halfHeight] = [box.width / 2, box.height / 2];
  if (dx === 0 && dy === 0) return { x: box.x, y: box.y + halfHeight };
  const scale = ((): number => {
    switch (node.outline) {
      case "circle":
      case "doubleCircle":
      case "start":
      case "end":
        return halfWidth / Math.hypot(dx, dy);
      case "diamond":
        return 1 / (Math.abs(dx) / halfWidth + Math.abs(dy) / halfHeight);
      default:
        return Math.min(halfWidth / Math.abs(dx), halfHeight / Math.abs(dy));
    }
  })();
  return { x: box.x + dx * scale, y: box.y + dy * scale };
}
