/** Lays out a graph and draws its items. Pure. */
import { Graph as LayoutGraph, layout } from "@dagrejs/dagre";
import type { Graph, GraphEdge } from "./model";
import { nodeShapes, outlinePoint, sized, type SizedNode } from "./node-shapes";
import {
  curve,
  LINE_HEIGHT,
  markedStart,
  textAround,
  widthOf,
  wrapped,
  type Box,
  type Measure,
  type Point,
  type Scene,
  type SceneItem,
} from "./scene";

const MARGIN = 8;
const GROUP_HEAD = 24;
const SPACING = { nodesep: 32, ranksep: 44, edgesep: 16 };

interface PlacedEdge {
  readonly edge: GraphEdge;
  readonly label: readonly string[];
  readonly points: readonly Point[];
  readonly at: Point;
}

export function graphScene(graph: Graph, measure: Measure): Scene {
  const isHorizontal = graph.direction === "LR" || graph.direction === "RL",
    nodes = new Map(graph.nodes.map(node => [node.id, sized(node, isHorizontal, measure)])),
    members = membersOf(graph),
    isGroup = (id: string): boolean => (members.get(id)?.length ?? 0) > 0;
  // A group without nodes is drawn as a node.
  for (const { id, label, parent } of graph.groups)
    if (!isGroup(id))
      nodes.set(id, sized({ id, label, outline: "rect", sections: [], group: parent }, isHorizontal, measure));
  const placed = new LayoutGraph({ multigraph: true, compound: true });
  placed.setGraph({ rankdir: graph.direction, ...SPACING, marginx: MARGIN, marginy: MARGIN });
  for (const { id } of graph.groups) if (isGroup(id)) placed.setNode(id, { width: 0, height: 0 });
  for (const [id, { width, height, node }] of nodes) {
    placed.setNode(id, { width, height });
    if (node.group !== undefined) placed.setParent(id, node.group);
  }
  for (const { id, parent } of graph.groups) if (isGroup(id) && parent !== undefined) placed.setParent(id, parent);
  const labels = graph.edges.map(({ label }) => wrapped(label, measure));
  graph.edges.forEach(({ from, to, startLabel, endLabel }, i) => {
    const lines = labels[i] ?? [];
    placed.setEdge(
      members.get(from)?.[0] ?? from,
      members.get(to)?.[0] ?? to,
      {
        width: lines.length === 0 ? 0 : widthOf(lines, measure) + 8,
        height: lines.length * LINE_HEIGHT,
        labelpos: "c",
        minlen: startLabel + endLabel === "" ? 1 : 2,
      },
      String(i),
    );
  });
  layout(placed);
  const groupBoxes = new Map(
      graph.groups
        .filter(({ id }) => isGroup(id))
        .map(({ id, label }) => [
          id,
          withHead(placed.node(id), depthBelow(id, graph), widthOf(wrapped(label, measure), measure)),
        ]),
    ),
    edges = graph.edges.map((edge, i): PlacedEdge => {
      const {
        points = [],
        x = 0,
        y = 0,
      } = placed.edge(members.get(edge.from)?.[0] ?? edge.from, members.get(edge.to)?.[0] ?? edge.to, String(i));
      return {
        edge,
        label: labels[i] ?? [],
        at: { x, y },
        points: clipped(points, edge, nodes, id => placed.node(id), groupBoxes),
      };
    });
  return framed(
    [
      ...graph.groups.flatMap(({ id, label }) => groupShapes(groupBoxes.get(id), wrapped(label, measure))),
      ...edges.flatMap(lineShapes),
      ...[...nodes.values()].flatMap(node => nodeShapes(node, placed.node(node.node.id))),
      ...edges.flatMap(labelShapes),
    ],
    [
      ...groupBoxes.values(),
      ...[...nodes.keys()].map(id => placed.node(id)),
      ...edges.map(({ at, label }) => ({ ...at, width: widthOf(label, measure), height: label.length * LINE_HEIGHT })),
      ...edges.flatMap(({ points }) => points.map(point => ({ ...point, width: 8, height: 8 }))),
    ],
  );
}

/** All nodes of each group, including those of its groups. */
function membersOf({ nodes, groups }: Graph): ReadonlyMap<string, readonly string[]> {
  const parents = new Map(groups.map(({ id, parent }) => [id, parent])),
    members = new Map<string, string[]>(groups.map(({ id }) => [id, []]));
  for (const { id, group } of nodes) {
    const seen = new Set<string>();
    for (let each = group; each !== undefined && !seen.has(each); each = parents.get(each)) {
      seen.add(each);
      members.get(each)?.push(id);
    }
  }
  return members;
}

/** The number of heads above the nodes of a group. */
function depthBelow(id: string, graph: Graph, seen: ReadonlySet<string> = new Set()): number {
  if (seen.has(id)) return 0;
  return (
    1 +
    graph.groups
      .filter(({ parent }) => parent === id)
      .reduce((most, group) => Math.max(most, depthBelow(group.id, graph, new Set([...seen, id]))), 0)
  );
}

/** Room for the titles of a group and of its groups. */
function withHead({ x, y, width, height }: Box, heads: number, titleWidth: number): Box {
  return {
    x,
    y: y - (heads * GROUP_HEAD) / 2 + 4,
    width: Math.max(width + 8, titleWidth + 16),
    height: height + heads * GROUP_HEAD,
  };
}

function clipped(
  points: readonly Point[],
  { from, to }: GraphEdge,
  nodes: ReadonlyMap<string, SizedNode>,
  boxOf: (id: string) => Box,
  groups: ReadonlyMap<string, Box>,
): readonly Point[] {
  const clipStart = (id: string, path: readonly Point[]): readonly Point[] => {
    const group = groups.get(id),
      node = nodes.get(id);
    if (group) return outside(path, group);
    const [, next] = path;
    return node && next ? [outlinePoint(node, boxOf(id), next), ...path.slice(1)] : path;
  };
  return clipStart(to, [...clipStart(from, points)].reverse()).toReversed();
}

/** The part of a line after it has left a box. */
function outside(path: readonly Point[], box: Box): readonly Point[] {
  const isInside = ({ x, y }: Point): boolean =>
      Math.abs(x - box.x) <= box.width / 2 && Math.abs(y - box.y) <= box.height / 2,
    first = path.findIndex(point => !isInside(point)),
    [before, after] = [path[first - 1], path[first]];
  if (before === undefined || after === undefined) return path;
  const share = Math.min(
    ...(["x", "y"] as const).map(axis => {
      const half = axis === "x" ? box.width / 2 : box.height / 2,
        distance = after[axis] - before[axis];
      return distance === 0 ? 1 : (box[axis] + Math.sign(distance) * half - before[axis]) / distance;
    }),
  );
  const border = {
    x: before.x + (after.x - before.x) * Math.max(0, share),
    y: before.y + (after.y - before.y) * Math.max(0, share),
  };
  return [border, ...path.slice(first)];
}

function groupShapes(box: Box | undefined, lines: readonly string[]): readonly SceneItem[] {
  return box === undefined
    ? []
    : [
        { kind: "box", box, radius: 4, role: "group" },
        textAround(
          { x: box.x - box.width / 2 + 8, y: box.y - box.height / 2 + GROUP_HEAD / 2 + 1 },
          lines,
          "dim",
          "start",
        ),
      ];
}

function lineShapes({ edge, points }: PlacedEdge): readonly SceneItem[] {
  if (edge.line === "hidden") return [];
  const start = markedStart(points, edge.start),
    end = markedStart(start.points.toReversed(), edge.end);
  return [
    { kind: "path", d: curve(end.points.toReversed()), role: edge.line === "solid" ? "edge" : edge.line },
    ...start.marks,
    ...end.marks,
  ];
}

function labelShapes({ edge, label, points, at }: PlacedEdge): readonly SceneItem[] {
  const beside = (text: string, path: readonly Point[]): readonly SceneItem[] => {
    const [tip, next] = path;
    if (text === "" || tip === undefined || next === undefined) return [];
    const distance = Math.hypot(next.x - tip.x, next.y - tip.y) || 1;
    return [
      textAround(
        { x: tip.x + ((next.x - tip.x) * 18) / distance + 8, y: tip.y + ((next.y - tip.y) * 18) / distance },
        [text],
        "label",
        "start",
      ),
    ];
  };
  return [
    ...(label.length === 0 ? [] : [textAround(at, label, "label")]),
    ...beside(edge.startLabel, points),
    ...beside(edge.endLabel, points.toReversed()),
  ];
}

/** The items with the frame around their boxes. */
function framed(items: readonly SceneItem[], boxes: readonly Box[]): Scene {
  const left = Math.min(...boxes.map(({ x, width }) => x - width / 2)) - MARGIN,
    top = Math.min(...boxes.map(({ y, height }) => y - height / 2)) - MARGIN,
    right = Math.max(...boxes.map(({ x, width }) => x + width / 2)) + MARGIN,
    bottom = Math.max(...boxes.map(({ y, height }) => y + height / 2)) + MARGIN;
  return { minX: left, minY: top, width: right - left, height: bottom - top, items };
}
