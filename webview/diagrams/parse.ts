/** Parses a diagram in Mermaid's syntax. Pure. A line that cannot be drawn is an error, and never omitted. */
import * as l10n from "@vscode/l10n";
import { parseClassDiagram } from "./class-diagram";
import { parseErDiagram } from "./er-diagram";
import { FLOWCHART, parseFlowchart } from "./flowchart";
import type { Diagram } from "./model";
import { parseSequenceDiagram } from "./sequence-diagram";
import { DiagramError, linesOf, type Line } from "./source";
import { parseStateDiagram } from "./state-diagram";

const PARSERS: readonly (readonly [header: RegExp, parse: (lines: readonly Line[]) => Diagram])[] = [
  [FLOWCHART, parseFlowchart],
  [/^sequenceDiagram\s*;?$/, parseSequenceDiagram],
  [/^stateDiagram(?:-v2)?\s*;?$/, parseStateDiagram],
  [/^classDiagram(?:-v2)?\s*;?$/, parseClassDiagram],
  [/^erDiagram\s*;?$/, parseErDiagram],
];

/** Characters, and parts of a diagram. The layout of more parts would block the page. */
export const LIMITS = { characters: 20_000, line: 1_000, nodes: 60, edges: 90, steps: 300, participants: 30 } as const;

/** Throws `DiagramError`. */
export function parseDiagram(source: string): Diagram {
  if (source.length > LIMITS.characters || source.split("\n").some(line => line.length > LIMITS.line)) throw tooLarge();
  const lines = linesOf(source),
    header = lines[0]?.text ?? "",
    parse = PARSERS.find(([pattern]) => pattern.test(header))?.[1];
  if (parse === undefined)
    throw new DiagramError(l10n.t`Diagrams of this type cannot be drawn: ${header.split(/\s/)[0]?.slice(0, 40) ?? ""}`);
  const diagram = parse(lines);
  if (isEmpty(diagram)) throw new DiagramError(l10n.t("The diagram is empty."));
  if (isTooLarge(diagram)) throw tooLarge();
  return diagram;
}

const tooLarge = (): DiagramError => new DiagramError(l10n.t("The diagram is too large to be drawn."));

function isEmpty(diagram: Diagram): boolean {
  return diagram.kind === "graph" ? diagram.nodes.length === 0 : diagram.participants.length === 0;
}

function isTooLarge(diagram: Diagram): boolean {
  return diagram.kind === "graph"
    ? diagram.nodes.length + diagram.groups.length > LIMITS.nodes || diagram.edges.length > LIMITS.edges
    : diagram.steps.length > LIMITS.steps || diagram.participants.length > LIMITS.participants;
}
