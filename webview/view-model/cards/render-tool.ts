/** Card of a tool call. Pure. */
import * as l10n from "@vscode/l10n";
import type { ToolCall, ToolStatus } from "../../../src/protocol/chat/chat";
import { changesOf } from "./buttons";
import { card, type Card, type CardHeader, type CardIcon, type RenderContext } from "./card";
import { literal } from "../text/markdown-safe";
import { contentPart, fileLink, languageOf, parameterBlock, textBlock } from "./tool-content";

function iconOf(toolKind: string): CardIcon {
  switch (toolKind) {
    case "read":
    case "edit":
    case "delete":
    case "execute":
    case "search":
    case "fetch":
    case "think":
      return toolKind;
    case "move":
      return "edit";
    default:
      return "tool";
  }
}

export const TOOL_STATUS: Readonly<Record<ToolStatus, NonNullable<CardHeader["status"]>>> = {
  pending: { text: l10n.t("waiting"), tone: "plain" },
  in_progress: { text: l10n.t("running"), tone: "info" },
  completed: { text: l10n.t("done"), tone: "success" },
  failed: { text: l10n.t("failed"), tone: "error" },
  cancelled: { text: l10n.t("cancelled"), tone: "warning" },
};

export function toolCard(tool: ToolCall, { terminals }: Pick<RenderContext, "terminals">): Card {
  const kind = tool.toolKind === "other" || tool.toolKind === "" ? "" : ` · ${literal(tool.toolKind)}`;
  return card(tool.id, "tool", {
    header: {
      icon: iconOf(tool.toolKind),
      text: `${literal(tool.title) || l10n.t("Tool call")}${kind}`,
      tone: "plain",
      status: TOOL_STATUS[tool.status],
    },
    folded: [
      ...(tool.locations.length > 0 ? [tool.locations.map(fileLink).join("\n\n")] : []),
      ...(tool.input === undefined ? [] : [`**Input**\n\n${parameterBlock(tool.input)}`]),
      ...tool.content
        .filter(
          content =>
            content.kind !== "terminal" ||
            !terminals.some(({ terminal }) => terminal.terminalId === content.terminalId),
        )
        .map(content => contentPart(content)),
      ...(tool.output === undefined ? [] : [`**Output**\n\n${textBlock(tool.output, languageOf(tool.output))}`]),
    ],
    startsUnfolded: tool.content.some(({ kind }) => kind === "diff" || kind === "image"),
    terminals,
    ...changesOf(tool.content),
  });
}
