/** Card of a tool call. Pure. */
import * as l10n from "@vscode/l10n";
import type { Permission, ToolCall, ToolStatus } from "../../../src/protocol/chat/chat";
import { placedDiffs } from "../../../src/protocol/chat/diff-places";
import { changesOf } from "./buttons";
import { card, type Card, type CardHeader, type Part, type Picture, type RenderContext, type ShownDiff } from "./card";
import { relative, toolLine } from "./tool-line";
import { contentPart, fileLink, languageOf, parameterBlock, textBlock } from "./tool-content";
import { permissionBody } from "./permission-content";
import { permissionOutcome } from "./permission-outcome";

export const TOOL_STATUS: Readonly<Record<ToolStatus, NonNullable<CardHeader["status"]>>> = {
  pending: { text: l10n.t("waiting"), tone: "plain" },
  in_progress: { text: l10n.t("running"), tone: "info" },
  completed: { text: l10n.t("done"), tone: "success" },
  failed: { text: l10n.t("failed"), tone: "error" },
  cancelled: { text: l10n.t("cancelled"), tone: "warning" },
};

export function toolCard(tool: ToolCall, { terminals, cwd, place }: RenderContext): Card {
  const { question } = place,
    verdict = question?.answered,
    line = toolLine(tool, { cwd, terminals, ...(verdict && { verdict }) }),
    isNamed = line.parts.some(({ kind }) => kind === "link"),
    parts = [
      ...(question === undefined ? [] : questionParts(question, tool, cwd)),
      ...detailsOf(tool, { terminals, isNamed }),
    ];
  return card(tool.id, "tool", {
    line,
    body: parts.filter(part => typeof part === "string").join("\n\n"),
    pictures: parts.filter((part): part is Picture => typeof part !== "string"),
    diffs: shownDiffs(tool, cwd, isNamed),
    startsUnfolded: tool.content.some(({ kind }) => kind === "diff" || kind === "image"),
    terminals,
    changes: changesOf(tool.content),
  });
}

/** The answer, and the parts of the question that the call does not repeat. */
function questionParts(question: Permission, { input, content }: ToolCall, cwd: string): readonly Part[] {
  const { answered } = question;
  return [
    ...(answered === undefined ? [] : [permissionOutcome(answered)]),
    ...(input === undefined && question.input !== undefined ? permissionBody(question, cwd) : []),
    ...(content.length === 0 ? question.content : [])
      .filter(({ kind }) => kind !== "diff")
      .map(each => contentPart(each, "whole")),
  ];
}

function detailsOf(
  tool: ToolCall,
  { terminals, isNamed }: Pick<RenderContext, "terminals"> & { readonly isNamed: boolean },
): readonly Part[] {
  const hasDiff = tool.content.some(({ kind }) => kind === "diff");
  return [
    ...(tool.locations.length > 0 && !isNamed ? [tool.locations.map(fileLink).join("\n\n")] : []),
    // The diff shows the parameters and the result of an edit.
    ...(tool.input === undefined || (hasDiff && tool.status !== "failed")
      ? []
      : [`**${l10n.t("Input")}**\n\n${parameterBlock(tool.input)}`]),
    ...tool.content
      .filter(({ kind }) => kind !== "diff")
      .filter(
        content =>
          content.kind !== "terminal" || !terminals.some(({ terminal }) => terminal.terminalId === content.terminalId),
      )
      .map(content => contentPart(content)),
    ...(tool.output === undefined || (hasDiff && tool.status !== "failed")
      ? []
      : [`**${l10n.t("Output")}**\n\n${textBlock(tool.output, languageOf(tool.output))}`]),
  ];
}

/** The diffs of a call with their places. `isNamed`: the card's line has the path. */
export function shownDiffs(
  call: Pick<ToolCall, "content" | "locations">,
  cwd: string,
  isNamed: boolean,
  extent: ShownDiff["extent"] = "start",
): readonly ShownDiff[] {
  return placedDiffs(call).map(({ diff, line }) => ({
    diff,
    name: relative(diff.path, cwd),
    isNamed,
    extent,
    ...(line === undefined ? {} : { line }),
  }));
}
