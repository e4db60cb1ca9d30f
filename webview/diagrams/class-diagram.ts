/** Parses class diagrams. Pure. */
import { DIRECTIONS, GraphBuilder } from "./graph-builder";
import type { EdgeEnd, Graph } from "./model";
import { IGNORED, labelOf, notSupported, type Line } from "./source";

const NAME = "(`[^`]+`|[\\p{L}_][\\p{L}\\p{N}_]*)(?:~([^\\s]*)~)?";
const RELATION = new RegExp(
  String.raw`^${NAME}\s*(?:"([^"]*)")?\s*(<\||[*o<]|\(\))?(--|\.\.)(\|>|[*o>]|\(\))?\s*(?:"([^"]*)")?\s*${NAME}\s*(?::\s*(.*))?$`,
  "u",
);
const CLASS = new RegExp(
  String.raw`^class\s+${NAME}\s*(?:\["?([^\]]*?)"?\])?\s*(?::::[\w-]+)?\s*(?:<<(\w+)>>)?\s*(\{\s*\}?|\{.*\})?$`,
  "u",
);
const MEMBER = new RegExp(String.raw`^${NAME}\s*:\s*(.+)$`, "u");
const ANNOTATION = new RegExp(String.raw`^<<(\w+)>>\s*${NAME}$`, "u");
const NOTE = new RegExp(String.raw`^note\s+(?:for\s+${NAME}\s+)?"([^"]*)"$`, "u");
const ENDS: Readonly<Record<string, EdgeEnd>> = {
  "<|": "triangle",
  "|>": "triangle",
  "*": "filledDiamond",
  o: "diamond",
  "<": "arrow",
  ">": "arrow",
  "()": "circle",
};

export function parseClassDiagram([, ...lines]: readonly Line[]): Graph {
  const builder = new GraphBuilder();
  let open: string | undefined,
    notes = 0;
  for (const line of lines) {
    const { text } = line;
    if (open !== undefined) {
      if (text === "}") open = undefined;
      else addMember(builder, open, text);
      continue;
    }
    const direction = /^direction\s+(\w\w)$/.exec(text)?.[1],
      namespace = /^namespace\s+(\S+)\s*\{$/.exec(text)?.[1],
      declared = CLASS.exec(text),
      note = NOTE.exec(text);
    if (direction !== undefined) builder.direction = DIRECTIONS[direction] ?? "TB";
    else if (namespace !== undefined) builder.openGroup(namespace, namespace);
    else if (text === "}") {
      if (!builder.closeGroup()) throw notSupported(line);
    } else if (declared) {
      const [, name = "", generic, label, annotation, body] = declared,
        id = addClass(builder, name, generic, label);
      if (annotation !== undefined) addMember(builder, id, `<<${annotation}>>`);
      if (body === undefined) continue;
      if (!body.endsWith("}")) open = id;
      else for (const member of body.slice(1, -1).split(";")) addMember(builder, id, member.trim());
    } else if (note) {
      const noteId = `note ${++notes}`;
      builder.node(noteId, { outline: "note", label: labelOf(note[3] ?? "") });
      if (note[1] !== undefined)
        builder.edge({ from: noteId, to: addClass(builder, note[1], note[2]), line: "dotted" });
    } else if (!IGNORED.test(text) && !readStatement(text, builder)) throw notSupported(line);
  }
  return builder.graph();
}

function readStatement(text: string, builder: GraphBuilder): boolean {
  const relation = RELATION.exec(text);
  if (relation) {
    const [, from = "", fromGeneric, startLabel = "", start, body, end, endLabel = "", to = "", toGeneric, label = ""] =
      relation;
    builder.edge({
      from: addClass(builder, from, fromGeneric),
      to: addClass(builder, to, toGeneric),
      label: labelOf(label),
      line: body === ".." ? "dotted" : "solid",
      start: ENDS[start ?? ""] ?? "none",
      end: ENDS[end ?? ""] ?? "none",
      startLabel,
      endLabel,
    });
    return true;
  }
  const annotation = ANNOTATION.exec(text);
  if (annotation) {
    addMember(builder, addClass(builder, annotation[2] ?? "", annotation[3]), `<<${annotation[1] ?? ""}>>`);
    return true;
  }
  const member = MEMBER.exec(text);
  if (member) {
    addMember(builder, addClass(builder, member[1] ?? "", member[2]), member[3] ?? "");
    return true;
  }
  return false;
}

function addClass(builder: GraphBuilder, name: string, generic?: string, label?: string): string {
  const id = name.replaceAll("`", ""),
    { outline, sections } = builder.node(id);
  builder.node(id, {
    outline: "table",
    ...(outline === "table" ? {} : { sections: [[], []] }),
    ...(label !== undefined ? { label: labelOf(label) } : generic !== undefined ? { label: `${id}<${generic}>` } : {}),
  });
  if (outline === "table") builder.node(id, { sections });
  return id;
}

/** Attributes and methods have separate sections. An annotation is a line of the label. */
function addMember(builder: GraphBuilder, id: string, text: string): void {
  if (text === "") return;
  const { label, sections } = builder.node(id),
    [attributes = [], methods = []] = sections,
    annotation = /^<<(\w+)>>$/.exec(text)?.[1],
    member = text.replace(/~([^~]+)~/g, "<$1>").replace(/[$*]$/, "");
  if (annotation !== undefined) builder.node(id, { label: `«${annotation}»\n${label}` });
  else if (text.includes("(")) builder.node(id, { sections: [attributes, [...methods, member]] });
  else builder.node(id, { sections: [[...attributes, member], methods] });
}
