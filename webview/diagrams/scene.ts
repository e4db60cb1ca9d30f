/** Shapes of a laid out diagram. Pure: `svg.ts` converts them to elements. */
import type { EdgeEnd } from "./model";

export interface Point {
  readonly x: number;
  readonly y: number;
}
/** `x`, `y`: the center. */
export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** Determines the colors. */
export type Role =
  | "node"
  | "group"
  | "note"
  | "edge"
  | "dotted"
  | "thick"
  | "lifeline"
  | "mark"
  | "openMark"
  | "text"
  | "title"
  | "rows"
  | "dim"
  | "label";

export type SceneItem =
  | { readonly kind: "box"; readonly box: Box; readonly radius: number; readonly role: Role }
  | { readonly kind: "path"; readonly d: string; readonly role: Role }
  | {
      readonly kind: "text";
      /** The center of the first line. */
      readonly at: Point;
      readonly lines: readonly string[];
      readonly anchor: "start" | "middle" | "end";
      readonly role: Role;
    };

export interface Scene {
  readonly minX: number;
  readonly minY: number;
  readonly width: number;
  readonly height: number;
  readonly items: readonly SceneItem[];
}

/** Width of a text in pixels. */
export type Measure = (text: string, font: "text" | "rows") => number;

export const LINE_HEIGHT = 18;
const MAX_TEXT_WIDTH = 220;

/** Lines of a label, wrapped between words. */
export function wrapped(text: string, measure: Measure): readonly string[] {
  if (text === "") return [];
  return text.split("\n").flatMap(paragraph => {
    const lines: string[] = [];
    let line = "";
    for (const word of paragraph.split(" ")) {
      const longer = line === "" ? word : `${line} ${word}`;
      if (line !== "" && measure(longer, "text") > MAX_TEXT_WIDTH) {
        lines.push(line);
        line = word;
      } else line = longer;
    }
    return [...lines, line];
  });
}

export function widthOf(lines: readonly string[], measure: Measure, font: "text" | "rows" = "text"): number {
  return lines.reduce((widest, line) => Math.max(widest, measure(line, font)), 0);
}

/** A text whose lines are centered around a point. */
export function textAround(
  at: Point,
  lines: readonly string[],
  role: Role,
  anchor: "start" | "middle" | "end" = "middle",
): SceneItem {
  return { kind: "text", at: { x: at.x, y: at.y - ((lines.length - 1) * LINE_HEIGHT) / 2 }, lines, anchor, role };
}

const round = (value: number): number => Math.round(value * 10) / 10;
const at = ({ x, y }: Point): string => `${round(x)},${round(y)}`;

export function polygon(points: readonly Point[], isClosed = true): string {
  return `M${points.map(at).join("L")}${isClosed ? "Z" : ""}`;
}

export function circle({ x, y }: Point, radius: number): string {
  return `M${at({ x: x - radius, y })}a${radius},${radius} 0 1 0 ${2 * radius},0a${radius},${radius} 0 1 0 ${-2 * radius},0Z`;
}

/** A uniform B-spline, which starts at the first point and ends at the last. */
export function curve(points: readonly Point[]): string {
  const [first, second, ...others] = points;
  if (first === undefined || second === undefined) return "";
  if (others.length === 0) return polygon(points, false);
  const mix = (a: Point, b: Point, c: Point, weights: readonly [number, number, number], sum: number): string =>
    at({
      x: (a.x * weights[0] + b.x * weights[1] + c.x * weights[2]) / sum,
      y: (a.y * weights[0] + b.y * weights[1] + c.y * weights[2]) / sum,
    });
  let path = `M${at(first)}L${mix(first, second, second, [5, 1, 0], 6)}`,
    a = first,
    b = second;
  for (const c of [...others, undefined]) {
    const next = c ?? b;
    path += `C${mix(a, b, b, [2, 1, 0], 3)} ${mix(a, b, b, [1, 2, 0], 3)} ${mix(a, b, next, [1, 4, 1], 6)}`;
    a = b;
    b = next;
  }
  return `${path}L${at(b)}`;
}

/** Shortens a line at its start by the length of the mark there, and adds the mark. */
export function markedStart(points: readonly Point[], end: EdgeEnd): { points: readonly Point[]; marks: SceneItem[] } {
  const [tip, next, ...others] = points;
  if (tip === undefined || next === undefined || end === "none") return { points, marks: [] };
  const distance = Math.hypot(next.x - tip.x, next.y - tip.y) || 1,
    along = { x: (next.x - tip.x) / distance, y: (next.y - tip.y) / distance },
    point = (back: number, side: number): Point => ({
      x: tip.x + along.x * back - along.y * side,
      y: tip.y + along.y * back + along.x * side,
    }),
    { length, items } = MARKS[end](point);
  const start = point(Math.min(length, distance * 0.9), 0);
  return { points: [start, next, ...others], marks: items };
}

type PointAt = (back: number, side: number) => Point;
interface Mark {
  readonly length: number;
  readonly items: SceneItem[];
}

const path = (d: string, role: Role): SceneItem => ({ kind: "path", d, role });
const bar = (point: PointAt, back: number): SceneItem =>
  path(polygon([point(back, -6), point(back, 6)], false), "edge");
const foot = (point: PointAt): SceneItem =>
  path(
    `${polygon([point(0, -6), point(11, 0), point(0, 6)], false)}${polygon([point(0, 0), point(11, 0)], false)}`,
    "edge",
  );
const ring = (point: PointAt, back: number): SceneItem => path(circle(point(back, 0), 4), "openMark");
const diamond = (point: PointAt): string => polygon([point(0, 0), point(7, -5), point(14, 0), point(7, 5)]);

const MARKS: Readonly<Record<Exclude<EdgeEnd, "none">, (point: PointAt) => Mark>> = {
  arrow: point => ({ length: 8, items: [path(polygon([point(0, 0), point(9, -4.5), point(9, 4.5)]), "mark")] }),
  circle: point => ({ length: 8, items: [ring(point, 4)] }),
  cross: point => ({
    length: 0,
    items: [
      path(polygon([point(3, -4), point(11, 4)], false), "edge"),
      path(polygon([point(3, 4), point(11, -4)], false), "edge"),
    ],
  }),
  triangle: point => ({ length: 12, items: [path(polygon([point(0, 0), point(12, -7), point(12, 7)]), "openMark")] }),
  filledDiamond: point => ({ length: 14, items: [path(diamond(point), "mark")] }),
  diamond: point => ({ length: 14, items: [path(diamond(point), "openMark")] }),
  one: point => ({ length: 0, items: [bar(point, 6), bar(point, 10)] }),
  zeroOrOne: point => ({ length: 0, items: [bar(point, 6), ring(point, 13)] }),
  many: point => ({ length: 0, items: [foot(point), bar(point, 13)] }),
  zeroOrMany: point => ({ length: 0, items: [foot(point), ring(point, 15)] }),
};
