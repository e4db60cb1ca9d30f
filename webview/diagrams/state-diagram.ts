/** Parses state diagrams. Pure. */
import { DIRECTIONS, GraphBuilder } from "./graph-builder";
import type { Graph, NodeShape } from "./model";
import { IGNORED, labelOf, notSupported, type Line } from "./source";

const ID = String.raw`(\[\*\]|[\p{L}\p{N}_.-]*[\p{L}\p{N}_])(?::::[\w-]+)?`;
const TRANSITION = new RegExp(String.raw`^${ID}\s*-->\s*${ID}\s*(?::\s*(.*))?$`, "u");
const DESCRIPTION = new RegExp(String.raw`^${ID}\s*:\s*(.+)$`, "u");
const STATE = /^state\s+(?:("[^"]*")\s+as\s+)?([\p{L}\p{N}_.-]+)\s*(?:<<(\w+)>>|(\{))?$/u;
const NOTE = /^note\s+(?:left|right)\s+of\s+([\p{L}\p{N}_.-]+)\s*(?::\s*(.*))?$/u;
const SHAPES: Readonly<Record<string, NodeShape>> = { fork: "bar", join: "bar", choice: "diamond" };

export function parseStateDiagram([, ...lines]: readonly Line[]): Graph {
  const builder = new GraphBuilder();
  let note: { readonly id: string; readonly lines: string[] } | undefined,
    notes = 0;
  const addNote = (id: string, text: string): void => {
    const noteId = `note ${++notes}`;
    builder.node(noteId, { outline: "note", label: labelOf(text) });
    builder.edge({ from: noteId, to: state(builder, id, "start"), line: "dotted" });
  };
  for (const line of lines) {
    const text = line.text.replace(/;$/, "");
    if (note !== undefined) {
      if (text === "end note") {
        addNote(note.id, note.lines.join("\n"));
        note = undefined;
      } else note.lines.push(text);
      continue;
    }
    const noteStart = NOTE.exec(text);
    if (noteStart) {
      if (noteStart[2] === undefined) note = { id: noteStart[1] ?? "", lines: [] };
      else addNote(noteStart[1] ?? "", noteStart[2]);
      continue;
    }
    if (!readStatement(text, builder)) throw notSupported(line);
  }
  return builder.graph();
}

function readStatement(text: string, builder: GraphBuilder): boolean {
  const direction = /^direction\s+(\w\w)$/.exec(text)?.[1];
  if (direction !== undefined) {
    if (builder.group === undefined) builder.direction = DIRECTIONS[direction] ?? "TB";
    return true;
  }
  // Concurrent regions are drawn in one group.
  if (IGNORED.test(text) || text === "--" || text === "hide empty description") return true;
  if (text === "}") return builder.closeGroup();
  const transition = TRANSITION.exec(text);
  if (transition) {
    const [, from = "", to = "", label = ""] = transition;
    builder.edge({
      from: state(builder, from, "start"),
      to: state(builder, to, "end"),
      label: labelOf(label),
      end: "arrow",
    });
    return true;
  }
  const declared = STATE.exec(text);
  if (declared) {
    const [, label, id = "", kind, brace] = declared;
    if (brace !== undefined) builder.openGroup(id, labelOf(label ?? id));
    else
      builder.node(id, {
        outline: SHAPES[kind ?? ""] ?? "round",
        label: kind === undefined ? labelOf(label ?? id) : "",
      });
    return true;
  }
  const described = DESCRIPTION.exec(text);
  if (described) {
    builder.node(described[1] ?? "", { outline: "round", label: labelOf(described[2] ?? "") });
    return true;
  }
  if (/^[\p{L}\p{N}_]+$/u.test(text)) {
    state(builder, text, "start");
    return true;
  }
  return false;
}

/** Adds a state if necessary. Each group has its own start and end. */
function state(builder: GraphBuilder, id: string, pseudo: "start" | "end"): string {
  if (id === "[*]") return builder.node(`${pseudo}:${builder.group ?? ""}`, { outline: pseudo, label: "" }).id;
  const node = builder.node(id);
  if (node.outline === "rect") builder.node(id, { outline: "round" });
  return id;
}
