/** Converts ACP's tool calls and permission options to the chat model. Pure, lenient, and never throws. */
import * as l10n from "@vscode/l10n";
import {
  TOOL_JSON_LIMIT,
  type Conversation,
  type PermissionOption,
  type PermissionOptionKind,
  type ToolCall,
  type ToolContent,
  type ToolLocation,
  type ToolStatus,
} from "../../../src/protocol/chat/chat";
import { withPlaces } from "../../../src/protocol/chat/diff-places";
import { arrayOr, isObject, objectOr, readable, stringOr, type JsonObject } from "../../rpc/json";
import { blockContent, limited } from "./content";

/**
 * Applies a `tool_call`, a `tool_call_update` or the `toolCall` of a permission request. All three are patches by
 * `toolCallId`, in any order, with or without an announcement. Omitted members are kept; arrays are replaced. Entries
 * before index `since` are ignored, because a call that is announced again in a later turn is a new one.
 */
export function toolFrom(
  conversation: Conversation,
  raw: unknown,
  newId: string,
  since = 0,
): { readonly entry: ToolCall; readonly wasKnown: boolean } {
  const patch = objectOr(raw);
  const toolCallId = stringOr(patch.toolCallId, newId).slice(0, ID_LIMIT);
  const known = callIn(conversation, toolCallId, since);
  const input = isGiven(patch.rawInput) ? readable(patch.rawInput, TOOL_JSON_LIMIT) : known?.input;
  const output = isGiven(patch.rawOutput) ? readable(patch.rawOutput, TOOL_JSON_LIMIT) : known?.output;
  const entry: ToolCall = {
    kind: "tool",
    id: known?.id ?? newId,
    toolCallId,
    title: (stringOr(patch.title, undefined) ?? known?.title ?? stringOr(patch.name, l10n.t("Tool call"))).slice(
      0,
      TITLE_LIMIT,
    ),
    toolKind: stringOr(patch.kind, undefined)?.slice(0, KIND_LIMIT) ?? known?.toolKind ?? "other",
    status: toolStatus(patch.status) ?? known?.status ?? "pending",
    content: Array.isArray(patch.content)
      ? withPlaces(patch.content.map(toolContent), known?.content ?? [])
      : (known?.content ?? []),
    locations: Array.isArray(patch.locations)
      ? patch.locations.slice(0, MAX_LOCATIONS).flatMap(toolLocation)
      : (known?.locations ?? []),
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output }),
  };
  return { entry, wasKnown: known !== undefined };
}

/** A plain loop for speed: a flooding agent causes thousands of searches through thousands of entries. */
function callIn({ entries }: Conversation, toolCallId: string, since: number): ToolCall | undefined {
  for (let i = entries.length - 1; i >= since; i--) {
    const entry = entries[i];
    if (entry?.kind === "tool" && entry.toolCallId === toolCallId) return entry;
  }
  return undefined;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Maximum characters. Some titles contain a whole script, which the input also contains. */
const TITLE_LIMIT = 10_000;
/** Limits of values that are sent with every event and displayed in lists. */
const ID_LIMIT = 1_000,
  KIND_LIMIT = 100,
  MAX_LOCATIONS = 100,
  PATH_LIMIT = 4_096;

/** The index after the newest prompt. */
export function lastTurn(conversation: Conversation): number {
  return conversation.entries.findLastIndex(entry => entry.kind === "user") + 1;
}

function toolStatus(raw: unknown): ToolStatus | undefined {
  return raw === "pending" || raw === "in_progress" || raw === "completed" || raw === "failed" || raw === "cancelled"
    ? raw
    : undefined;
}

function toolContent(raw: unknown): ToolContent {
  const item = objectOr(raw);
  switch (item.type) {
    case "content":
      return blockContent(item.content);
    case "diff":
      return {
        kind: "diff",
        path: stringOr(item.path, ""),
        newText: limited(item.newText),
        ...(typeof item.oldText === "string" ? { oldText: limited(item.oldText) } : {}),
      };
    case "terminal":
      return terminal(item);
    default:
      return { kind: "other", what: stringOr(item.type, "(no kind)"), json: readable(raw, TOOL_JSON_LIMIT) };
  }
}

/** Some agents send the output of their own terminals in `_meta` (reference/real-agents, point 4). */
function terminal(item: JsonObject): ToolContent {
  const meta = objectOr(item._meta);
  const output = stringOr(objectOr(meta.terminal_output).data, undefined) ?? stringOr(meta.output, undefined);
  return {
    kind: "terminal",
    terminalId: stringOr(item.terminalId, ""),
    ...(output === undefined ? {} : { output: limited(output) }),
  };
}

function toolLocation(raw: unknown): readonly ToolLocation[] {
  const { path, line } = objectOr(raw);
  return typeof path !== "string"
    ? []
    : [{ path: path.slice(0, PATH_LIMIT), ...(typeof line === "number" ? { line } : {}) }];
}

const OPTION_KINDS: readonly PermissionOptionKind[] = ["allow_once", "allow_always", "reject_once", "reject_always"];

/**
 * The agent's options, in its order. An option of an unknown kind counts as a rejection, so that it cannot allow by
 * mistake.
 */
export function permissionOptions(raw: unknown): readonly PermissionOption[] {
  return arrayOr(raw)
    .filter(isObject)
    .filter(option => typeof option.optionId === "string")
    .map(option => ({
      optionId: String(option.optionId),
      name: stringOr(option.name, String(option.optionId)),
      kind: OPTION_KINDS.find(kind => kind === option.kind) ?? "reject_once",
    }));
}
