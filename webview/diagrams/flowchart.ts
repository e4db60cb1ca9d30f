/** Parses flowcharts. Pure. */
import { DIRECTIONS, GraphBuilder } from "./graph-builder";
import type { EdgeEnd, Graph, GraphEdge, NodeShape } from "./model";
import { IGNORED, labelOf, notSupported, type Line } from "./source";

export const FLOWCHART = /^(?:graph|flowchart(?:-elk)?)(?:\s+(TB|TD|BT|LR|RL|[v<>^]))?\s*;?$/;

/** Longer delimiters first. */
const SHAPES: readonly (readonly [open: string, close: string, outline: NodeShape])[] = [
  ["(((", ")))", "doubleCircle"],
  ["([", "])", "stadium"],
  ["[[", "]]", "subroutine"],
  ["[(", ")]", "cylinder"],
  ["((", "))", "circle"],
  ["{{", "}}", "hexagon"],
  ["[/", "/]", "slanted"],
  ["[/", "\\]", "slanted"],
  ["[\\", "\\]", "slanted"],
  ["[\\", "/]", "slanted"],
  ["[", "]", "rect"],
  ["(", ")", "round"],
  ["{", "}", "diamond"],
  [">", "]", "flag"],
];
const NAMED_SHAPES: Readonly<Record<string, NodeShape>> = {
  rounded: "round",
  event: "round",
  stadium: "stadium",
  pill: "stadium",
  terminal: "stadium",
  circle: "circle",
  circ: "circle",
  diam: "diamond",
  decision: "diamond",
  diamond: "diamond",
  hex: "hexagon",
  hexagon: "hexagon",
  cyl: "cylinder",
  db: "cylinder",
  database: "cylinder",
  cylinder: "cylinder",
  subproc: "subroutine",
  "fr-rect": "subroutine",
};

const ID = /^[\p{L}\p{N}_$]+(?:[-.:/][\p{L}\p{N}_]+)*/u;
const LINK = /^(?:\w+@)?([<xo](?=-|=))?(-{2,}[->xo]|={2,}[=>xo]|-\.+-[>xo]?|~{3,})(?:\s*\|([^|]*)\|)?/;
const LINK_AROUND_TEXT = /^(?:\w+@)?([<xo](?=-|=))?(--|==|-\.)\s*(.+?)\s*(-{2,}[->xo]|={2,}[=>xo]|\.+-[>xo]?)/;
const ENDS: Readonly<Record<string, EdgeEnd>> = { "<": "arrow", ">": "arrow", x: "cross", o: "circle" };

export function parseFlowchart([header, ...lines]: readonly Line[]): Graph {
  const builder = new GraphBuilder();
  builder.direction = DIRECTIONS[FLOWCHART.exec(header?.text ?? "")?.[1] ?? "TB"] ?? "TB";
  for (const line of lines) new FlowchartLine(line, builder).read();
  return builder.graph();
}

class FlowchartLine {
  #rest: string;

  constructor(
    private readonly line: Line,
    private readonly builder: GraphBuilder,
  ) {
    this.#rest = line.text;
  }

  read(): void {
    while (this.#rest !== "") {
      this.#statement();
      this.#rest = this.#rest.replace(/^[\s;]+/, "");
    }
  }

  #statement(): void {
    if (IGNORED.test(this.#rest) || /^direction\s+\w\w;?$/.test(this.#rest)) {
      this.#rest = "";
      return;
    }
    const subgraph = /^subgraph(?:\s+(.*?))?;?$/.exec(this.#rest);
    if (subgraph) return this.#subgraph(subgraph[1] ?? "");
    if (this.#take(/^end(?=\s*(?:;|$))/)) {
      if (!this.builder.closeGroup()) throw notSupported(this.line);
      return;
    }
    this.#chain();
  }

  #subgraph(rest: string): void {
    const [, id = labelOf(rest) || `group ${this.line.number}`, label = rest] =
      /^([\p{L}\p{N}_.-]+)\s*(?:\[(.*)\])?$/u.exec(rest) ?? [];
    this.builder.openGroup(id, labelOf(label === rest ? id : label));
    this.#rest = "";
  }

  #chain(): void {
    let from = this.#nodes();
    for (let link = this.#link(); link !== undefined; link = this.#link()) {
      const to = this.#nodes();
      for (const start of from) for (const end of to) this.builder.edge({ ...link, from: start, to: end });
      from = to;
    }
    if (this.#rest !== "" && !/^\s*;/.test(this.#rest)) throw notSupported(this.line);
  }

  #nodes(): readonly string[] {
    const ids = [this.#node()];
    while (this.#take(/^\s*&\s*/)) ids.push(this.#node());
    this.#take(/^\s+/);
    return ids;
  }

  #node(): string {
    const id = this.#take(ID)?.[0];
    if (id === undefined) throw notSupported(this.line);
    const named = this.#take(/^@\{([^}]*)\}/)?.[1];
    if (named !== undefined) {
      const outline = NAMED_SHAPES[/shape\s*:\s*"?([\w-]+)/.exec(named)?.[1] ?? ""] ?? "rect",
        label = /label\s*:\s*("[^"]*"|[^,]+)/.exec(named)?.[1];
      this.builder.node(id, { outline, ...(label === undefined ? {} : { label: labelOf(label) }) });
    } else this.builder.node(id, this.#outline());
    this.#take(/^:::[\w-]+/);
    return id;
  }

  #outline(): { outline: NodeShape; label: string } | undefined {
    for (const [open, close, outline] of SHAPES) {
      if (!this.#rest.startsWith(open)) continue;
      const inner = this.#rest.slice(open.length),
        quoted = /^\s*"[^"]*"\s*/.exec(inner)?.[0],
        end = quoted === undefined ? inner.indexOf(close) : inner.startsWith(close, quoted.length) ? quoted.length : -1;
      if (end === -1) continue;
      this.#rest = inner.slice(end + close.length);
      return { outline, label: labelOf(inner.slice(0, end)) };
    }
    return undefined;
  }

  #link(): Omit<GraphEdge, "from" | "to"> | undefined {
    const link = this.#take(LINK),
      around = link ? null : this.#take(LINK_AROUND_TEXT),
      [start, body, label, tail] = link
        ? [link[1], link[2] ?? "", link[3], link[2] ?? ""]
        : [around?.[1], around?.[2] ?? "", around?.[3], around?.[4] ?? ""];
    if (!link && !around) return undefined;
    this.#take(/^\s+/);
    return {
      label: labelOf(label ?? ""),
      line: body.startsWith("~")
        ? "hidden"
        : body.startsWith("=")
          ? "thick"
          : body.startsWith("-.")
            ? "dotted"
            : "solid",
      start: ENDS[start ?? ""] ?? "none",
      end: ENDS[tail.at(-1) ?? ""] ?? "none",
      startLabel: "",
      endLabel: "",
    };
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    const found = pattern.exec(this.#rest);
    if (found) this.#rest = this.#rest.slice(found[0].length);
    return found;
  }
}
