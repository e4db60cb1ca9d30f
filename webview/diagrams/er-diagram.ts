/** Parses entity relationship diagrams. Pure. */
import { DIRECTIONS, GraphBuilder } from "./graph-builder";
import type { EdgeEnd, Graph } from "./model";
import { IGNORED, labelOf, notSupported, type Line } from "./source";

const NAME = String.raw`("[^"]+"|[\p{L}_][\p{L}\p{N}_-]*)`;
const RELATION = new RegExp(
  String.raw`^${NAME}\s*(\|o|\|\||\}o|\}\|)(--|\.\.)(o\||\|\||o\{|\|\{)\s*${NAME}\s*(?::\s*(.*))?$`,
  "u",
);
const ENTITY = new RegExp(String.raw`^${NAME}\s*(?:\["?([^\]]*?)"?\])?\s*(\{\s*\}?)?$`, "u");
const ATTRIBUTE = /^(\S+)\s+(\S+)((?:\s*,?\s*(?:PK|FK|UK))*)\s*(?:"([^"]*)")?$/u;
const ENDS: Readonly<Record<string, EdgeEnd>> = {
  "||": "one",
  "|o": "zeroOrOne",
  "o|": "zeroOrOne",
  "}|": "many",
  "|{": "many",
  "}o": "zeroOrMany",
  "o{": "zeroOrMany",
};

export function parseErDiagram([, ...lines]: readonly Line[]): Graph {
  const builder = new GraphBuilder();
  let open: string | undefined;
  for (const line of lines) {
    const { text } = line;
    if (open !== undefined) {
      const attribute = ATTRIBUTE.exec(text);
      if (text === "}") open = undefined;
      else if (attribute) addAttribute(builder, open, attribute);
      else throw notSupported(line);
      continue;
    }
    const relation = RELATION.exec(text),
      entity = relation ? null : ENTITY.exec(text),
      direction = /^direction\s+(\w\w)$/.exec(text)?.[1];
    if (direction !== undefined) builder.direction = DIRECTIONS[direction] ?? "TB";
    else if (relation) {
      const [, from = "", start = "", body, end = "", to = "", label = ""] = relation;
      builder.edge({
        from: addEntity(builder, from),
        to: addEntity(builder, to),
        label: labelOf(label),
        line: body === ".." ? "dotted" : "solid",
        start: ENDS[start] ?? "none",
        end: ENDS[end] ?? "none",
      });
    } else if (entity) {
      const id = addEntity(builder, entity[1] ?? "", entity[2]);
      if (entity[3] === "{") open = id;
    } else if (!IGNORED.test(text)) throw notSupported(line);
  }
  return builder.graph();
}

function addEntity(builder: GraphBuilder, name: string, label?: string): string {
  const id = labelOf(name);
  builder.node(id, { outline: "table", ...(label === undefined ? {} : { label: labelOf(label) }) });
  return id;
}

function addAttribute(builder: GraphBuilder, id: string, attribute: RegExpExecArray): void {
  const [, type = "", name = "", keys = "", comment] = attribute,
    [rows = []] = builder.node(id).sections,
    row = [`${name}: ${type}`, keys.replaceAll(/[\s,]+/g, " ").trim(), comment].filter(Boolean).join("  ");
  builder.node(id, { sections: [[...rows, row]] });
}
