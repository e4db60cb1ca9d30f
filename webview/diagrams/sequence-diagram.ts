/** Parses sequence diagrams. Pure. */
import type { EdgeEnd, Participant, Sequence, SequenceStep } from "./model";
import { IGNORED, labelOf, notSupported, type Line } from "./source";

const ID = String.raw`([\p{L}\p{N}_](?:[\p{L}\p{N}_ .]|-(?![->x)]))*?)`;
const MESSAGE = new RegExp(String.raw`^${ID}\s*(<<)?(-?-)(>>|>|x|\))\s*([+-])?\s*${ID}\s*(?::\s*(.*))?$`, "u");
const PARTICIPANT = /^(?:create\s+)?(participant|actor)\s+(.+?)(?:\s+as\s+(.+))?$/;
const NOTE = /^note\s+(left of|right of|over)\s+([^:]+):\s*(.*)$/i;
const BLOCK = /^(loop|alt|opt|par|critical|break|rect|box)\b\s*(.*)$/;
const DIVIDER = /^(?:else|and|option)\b\s*(.*)$/;
const ENDS: Readonly<Record<string, EdgeEnd>> = { ">>": "arrow", ">": "none", x: "cross", ")": "arrow" };
/** Blocks that only set a color. */
const COLORED = new Set(["rect", "box"]);

export function parseSequenceDiagram([, ...lines]: readonly Line[]): Sequence {
  const participants = new Map<string, Participant>(),
    steps: SequenceStep[] = [],
    blocks: string[] = [];
  let title = "",
    number: number | undefined;
  const known = (id: string): string => {
    if (!participants.has(id)) participants.set(id, { id, label: labelOf(id), isPerson: false });
    return id;
  };
  const readMessage = (message: RegExpExecArray): void => {
    const [, from = "", twoWay, body, end = "", mark, to = "", text = ""] = message,
      label = labelOf(text);
    steps.push({
      kind: "message",
      from: known(from),
      to: known(to),
      text: number === undefined ? label : `${number++}. ${label}`,
      isDashed: body === "--",
      end: ENDS[end] ?? "none",
      isTwoWay: twoWay !== undefined,
    });
    if (mark === "+") steps.push({ kind: "activate", id: to });
    if (mark === "-") steps.push({ kind: "deactivate", id: from });
  };
  for (const line of lines) {
    const text = line.text.replace(/;$/, ""),
      participant = PARTICIPANT.exec(text),
      note = NOTE.exec(text),
      block = BLOCK.exec(text),
      divider = DIVIDER.exec(text),
      activation = /^(activate|deactivate)\s+(.+)$/.exec(text),
      message = MESSAGE.exec(text);
    if (participant) {
      const [, kind, id = "", label = id] = participant;
      participants.set(id, { id, label: labelOf(label), isPerson: kind === "actor" });
    } else if (message) readMessage(message);
    else if (note) {
      const place = note[1]?.toLowerCase() === "over" ? "over" : note[1]?.startsWith("l") ? "left" : "right";
      const ids = (note[2] ?? "").split(",").map(id => known(id.trim()));
      steps.push({ kind: "note", place, ids, text: labelOf(note[3] ?? "") });
    } else if (activation) {
      const kind = activation[1] === "activate" ? "activate" : "deactivate";
      steps.push({ kind, id: known(activation[2] ?? "") });
    } else if (block) {
      const [, name = "", label = ""] = block;
      blocks.push(name);
      if (!COLORED.has(name)) steps.push({ kind: "open", name, text: labelOf(label) });
    } else if (text === "end") {
      const name = blocks.pop();
      if (name === undefined) throw notSupported(line);
      if (!COLORED.has(name)) steps.push({ kind: "close" });
    } else if (divider && blocks.length > 0) steps.push({ kind: "divide", text: labelOf(divider[1] ?? "") });
    else if (/^autonumber\b/.test(text)) number = Number(/\d+/.exec(text)?.[0] ?? 1);
    else if (/^title\b/.test(text)) title = labelOf(text.replace(/^title:?\s*/, ""));
    else if (!IGNORED.test(text) && !/^destroy\s/.test(text)) throw notSupported(line);
  }
  if (blocks.length > 0) throw notSupported(lines.at(-1) ?? { number: 1, text: "" });
  return { kind: "sequence", title, participants: [...participants.values()], steps };
}
