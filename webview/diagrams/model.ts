/** Content of diagrams, independent of layout and drawing. */

export type Direction = "TB" | "BT" | "LR" | "RL";
export type NodeShape =
  | "rect"
  | "round"
  | "stadium"
  | "circle"
  | "doubleCircle"
  | "diamond"
  | "hexagon"
  | "cylinder"
  | "subroutine"
  | "flag"
  | "slanted"
  | "table"
  | "start"
  | "end"
  | "bar"
  | "note";
export type EdgeEnd =
  | "none"
  | "arrow"
  | "circle"
  | "cross"
  | "triangle"
  | "filledDiamond"
  | "diamond"
  | "one"
  | "zeroOrOne"
  | "many"
  | "zeroOrMany";

export interface GraphNode {
  readonly id: string;
  readonly outline: NodeShape;
  /** Lines are separated by newlines. */
  readonly label: string;
  /** Rows below the label, in compartments. */
  readonly sections: readonly (readonly string[])[];
  /** Id of the innermost group. */
  readonly group: string | undefined;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly line: "solid" | "dotted" | "thick" | "hidden";
  readonly start: EdgeEnd;
  readonly end: EdgeEnd;
  /** Texts at both ends. */
  readonly startLabel: string;
  readonly endLabel: string;
}

export interface Group {
  readonly id: string;
  readonly label: string;
  readonly parent: string | undefined;
}

export interface Graph {
  readonly kind: "graph";
  readonly direction: Direction;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly groups: readonly Group[];
}

export interface Participant {
  readonly id: string;
  readonly label: string;
  readonly isPerson: boolean;
}

export type SequenceStep =
  | {
      readonly kind: "message";
      readonly from: string;
      readonly to: string;
      readonly text: string;
      readonly isDashed: boolean;
      readonly end: EdgeEnd;
      readonly isTwoWay: boolean;
    }
  | {
      readonly kind: "note";
      readonly place: "left" | "right" | "over";
      readonly ids: readonly string[];
      readonly text: string;
    }
  | { readonly kind: "activate" | "deactivate"; readonly id: string }
  | { readonly kind: "open"; readonly name: string; readonly text: string }
  | { readonly kind: "divide"; readonly text: string }
  | { readonly kind: "close" };

export interface Sequence {
  readonly kind: "sequence";
  readonly title: string;
  readonly participants: readonly Participant[];
  readonly steps: readonly SequenceStep[];
}

export type Diagram = Graph | Sequence;
