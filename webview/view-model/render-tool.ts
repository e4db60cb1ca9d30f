/** Card of a tool call. Pure. */
import type { ToolCall, ToolStatus } from "../../src/protocol/chat";
import { changesOf } from "./buttons";
import { card, type Card, type CardHeader, type CardIcon, type Circumstances } from "./card";
import { literal } from "./markdown-safe";
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
  pending: { text: "waiting", tone: "plain" },
  in_progress: { text: "running", tone: "info" },
  completed: { text: "done", tone: "success" },
  failed: { text: "failed", tone: "error" },
  cancelled: { text: "cancelled", tone: "warning" },
};

export function toolCard(tool: ToolCall, { terminals }: Pick<Circumstances, "terminals">): Card {
  const kind = tool.toolKind === "other" || tool.toolKind === "" ? "" : ` · ${literal(tool.toolKind)}`;
  return card(tool.id, "tool", {
    header: {
      icon: iconOf(tool.toolKind),
      text: `${literal(tool.title) || "Tool call"}${kind}`,
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
