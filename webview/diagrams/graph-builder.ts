/** Collects nodes, edges and groups of a graph while its source is parsed. */
import type { Direction, Graph, GraphEdge, GraphNode, Group } from "./model";

export const DIRECTIONS: Readonly<Record<string, Direction>> = {
  TB: "TB",
  TD: "TB",
  BT: "BT",
  LR: "LR",
  RL: "RL",
  v: "TB",
  "^": "BT",
  ">": "LR",
  "<": "RL",
};

type NodeContent = Partial<Pick<GraphNode, "outline" | "label" | "sections">>;

export class GraphBuilder {
  direction: Direction = "TB";
  readonly #nodes = new Map<string, GraphNode>();
  readonly #edges: GraphEdge[] = [];
  readonly #groups = new Map<string, Group>();
  readonly #open: string[] = [];

  get group(): string | undefined {
    return this.#open.at(-1);
  }

  /** Adds a node with its id as label, or changes the given parts. */
  node(id: string, content: NodeContent = {}): GraphNode {
    const before = this.#nodes.get(id),
      node: GraphNode = {
        id,
        outline: "rect",
        label: id,
        sections: [],
        ...before,
        ...content,
        // A node belongs to the first group that mentions it.
        group: before?.group ?? this.group,
      };
    if (!this.#groups.has(id)) this.#nodes.set(id, node);
    return node;
  }

  edge(edge: Partial<GraphEdge> & Pick<GraphEdge, "from" | "to">): void {
    this.#edges.push({
      label: "",
      line: "solid",
      start: "none",
      end: "none",
      startLabel: "",
      endLabel: "",
      ...edge,
    });
  }

  openGroup(id: string, label: string): void {
    this.#groups.set(id, { id, label, parent: this.group });
    this.#nodes.delete(id);
    this.#open.push(id);
  }

  /** Returns `false` without an open group. */
  closeGroup(): boolean {
    return this.#open.pop() !== undefined;
  }

  graph(): Graph {
    return {
      kind: "graph",
      direction: this.direction,
      nodes: [...this.#nodes.values()],
      edges: this.#edges,
      groups: [...this.#groups.values()],
    };
  }
}
