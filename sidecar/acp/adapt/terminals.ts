/**
 * Terminals that belong to the agent (schema v2, `TerminalUpdate`). Their output is displayed in the tool call that
 * references them, or otherwise in a separate call. Output is base64 of UTF-8; a character that is split between two
 * chunks is displayed as a replacement character.
 */
import * as l10n from "@vscode/l10n";
import { TOOL_JSON_LIMIT, type Conversation, type ToolCall, type ToolContent } from "../../../src/protocol/chat/chat";
import { objectOr, stringOr, type JsonObject } from "../../rpc/json";
import type { Adapted, MakeId } from "./common";

type Terminal = Extract<ToolContent, { readonly kind: "terminal" }>;

/** Applies a patch. Its output replaces the previous output. */
export function terminalUpdate(conversation: Conversation, update: JsonObject, makeId: MakeId): Adapted {
  const { output, exitStatus, command } = update;
  const data = output === null ? "" : stringOr(objectOr(output).data, undefined);
  return updateCalls(conversation, update, makeId, before => (data === undefined ? before : text(data)), {
    ...(typeof command === "string" ? { title: command } : {}),
    ...(typeof exitStatus !== "object" || exitStatus === null
      ? {}
      : { status: objectOr(exitStatus).exitCode === 0 ? "completed" : "failed" }),
  });
}

export function terminalChunk(conversation: Conversation, update: JsonObject, makeId: MakeId): Adapted {
  return updateCalls(conversation, update, makeId, before => before + text(stringOr(update.data, "")), {});
}

/** Adds the stored output to a reference to a terminal. */
export function withOutput(conversation: Conversation, terminal: Terminal): Terminal {
  if (terminal.output !== undefined) return terminal;
  const known = toolsWith(conversation, terminal.terminalId)
    .flatMap(({ content }) => content)
    .find(
      (content): content is Terminal =>
        content.kind === "terminal" && content.terminalId === terminal.terminalId && content.output !== undefined,
    );
  return known?.output === undefined ? terminal : { ...terminal, output: known.output };
}

/**
 * Prefix of the `toolCallId` of a terminal's separate call, which contains only the command, the output and the exit.
 */
const SEPARATE_CALL = "terminal:";

function updateCalls(
  conversation: Conversation,
  { terminalId }: JsonObject,
  makeId: MakeId,
  change: (output: string) => string,
  own: Partial<Pick<ToolCall, "title" | "status">>,
): Adapted {
  const id = stringOr(terminalId, ""),
    tools = toolsWith(conversation, id);
  const changed = (content: ToolContent): ToolContent =>
    content.kind === "terminal" && content.terminalId === id
      ? { ...content, output: end(change(content.output ?? "")) }
      : content;
  if (tools.length > 0)
    return {
      events: tools.map(tool => ({
        type: "upsert",
        entry: {
          ...tool,
          ...(tool.toolCallId === `${SEPARATE_CALL}${id}` ? own : {}),
          content: tool.content.map(changed),
        },
      })),
      made: 0,
    };
  const entry: ToolCall = {
    kind: "tool",
    id: makeId(0),
    toolCallId: `${SEPARATE_CALL}${id}`,
    title: l10n.t("Terminal"),
    toolKind: "execute",
    status: "in_progress",
    locations: [],
    ...own,
    content: [changed({ kind: "terminal", terminalId: id })],
  };
  return { events: [{ type: "upsert", entry }], made: 1 };
}

function toolsWith({ entries }: Conversation, terminalId: string): readonly ToolCall[] {
  return entries.filter(
    (entry): entry is ToolCall =>
      entry.kind === "tool" &&
      entry.content.some(content => content.kind === "terminal" && content.terminalId === terminalId),
  );
}

function text(base64: string): string {
  return Buffer.from(base64, "base64").toString("utf8");
}

/** Keeps the newest output, cut between characters. */
function end(output: string): string {
  if (output.length <= TOOL_JSON_LIMIT) return output;
  const cut = output.slice(-TOOL_JSON_LIMIT);
  return /^[\uDC00-\uDFFF]/.test(cut) ? cut.slice(1) : cut;
}
