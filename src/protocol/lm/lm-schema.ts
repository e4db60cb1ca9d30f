/**
 * Untrusted messages of the language-model provider; see `lm.ts`. Unknown kinds of parts, unknown fields and tools
 * without a name are omitted. Everything else must match, or the request is rejected as a whole.
 */
import * as v from "valibot";
import { distribution } from "../agents/distribution";
import { arrayOr, isObject, objectOr, type Fields } from "../wire/json";
import {
  compact,
  finite,
  ifValid,
  known,
  list,
  validated,
  type Infer,
  type Schema,
  type Validation,
} from "../wire/schema";
import { TOOL_GROUPS } from "./permission-tools";

const filledText = v.pipe(v.string(), v.nonEmpty());
const object = v.custom<Fields>(isObject, "an object");
/** Any value; `replacement` for `null` or an absent value. */
const anyOr = (replacement: unknown) =>
  v.pipe(
    v.optional(v.unknown(), null),
    v.transform((value): unknown => value ?? replacement),
  );

/** A list; empty for `null` or an absent value. */
const listOrNone = <T>(item: Schema<T>) => v.nullish(v.array(item), []);

const requestId = v.union([v.string(), finite]);
export type RequestId = Infer<typeof requestId>;

const parts = [
  v.object({ type: v.literal("text"), value: v.string() }),
  v.object({ type: v.literal("tool_call"), toolCallId: v.string(), toolName: filledText, parameters: anyOr({}) }),
  /** `result`: a text, parts (`text` and `data`), or any other result of a tool. */
  compact({
    type: v.literal("tool_result"),
    toolCallId: v.string(),
    result: anyOr(""),
    isError: ifValid(v.literal(true)),
  }),
  /** Addition. `data` is base64. */
  v.object({ type: v.literal("data"), mimeType: filledText, data: v.string() }),
  /** Addition. */
  compact({
    type: v.literal("thinking"),
    value: v.string(),
    id: ifValid(v.string()),
    metadata: v.exactOptional(v.unknown()),
  }),
] as const;
export type ChatPart = Infer<(typeof parts)[number]>;
const PART_TYPES: ReadonlySet<unknown> = new Set<ChatPart["type"]>([
  "text",
  "tool_call",
  "tool_result",
  "data",
  "thinking",
]);
const isKnownPart = (part: unknown): boolean => !isObject(part) || PART_TYPES.has(part["type"]);

/** `system`: VS Code sends such messages, although its types lack them. */
const chatMessage = v.object({
  role: v.picklist(["user", "assistant", "system"]),
  content: known(v.variant("type", parts), isKnownPart),
});
export type ChatMessage = Infer<typeof chatMessage>;

/** Some tools have no schema, or an empty one. */
const chatTool = compact({
  name: filledText,
  description: v.fallback(v.string(), ""),
  inputSchema: v.optional(
    v.pipe(
      v.unknown(),
      v.transform((value): unknown => value ?? undefined),
    ),
  ),
});
export type ChatTool = Infer<typeof chatTool>;
const isTool = (tool: unknown): boolean => isObject(tool) && typeof tool["name"] === "string" && tool["name"] !== "";

const chatOptions = v.object({
  tools: v.exactOptional(known(chatTool, isTool)),
  /** Default: `auto`. */
  toolMode: v.exactOptional(v.picklist(["auto", "required"])),
  modelOptions: v.exactOptional(object),
  /**
   * Addition. Id of the requesting extension, as reported by VS Code; `core` is VS Code itself. Unlike `modelOptions`,
   * a caller cannot set it.
   */
  requestInitiator: v.exactOptional(filledText),
});
export type ChatOptions = Infer<typeof chatOptions>;

/** An ACP agent as documented: a command with a stdio connection. `name` is for display. */
const mcpServer = v.object({
  name: filledText,
  command: filledText,
  args: listOrNone(v.string()),
  env: listOrNone(v.object({ name: filledText, value: v.string() })),
});
export type McpServerStdio = Infer<typeof mcpServer>;

const eliza = v.object({ eliza: compact({ deterministic: ifValid(v.boolean()) }) });
const server = v.object({ mcp_server: mcpServer });
export type AgentDefinition = Infer<typeof eliza> | Infer<typeof server>;
const agent = v.lazy((value): Schema<AgentDefinition> => (isObject(objectOr(value)["eliza"]) ? eliza : server));

const chatRequest = compact({
  modelId: filledText,
  messages: v.array(chatMessage),
  agent,
  options: v.optional(
    v.pipe(
      v.nullable(chatOptions),
      v.transform(options => options ?? undefined),
    ),
  ),
  /** Addition, for callers that cannot access the JSON-RPC id of their request; unique among the open requests. */
  requestId: v.exactOptional(requestId),
  /** Addition. Id of the agent in the settings; if absent, no agent settings apply. */
  agentId: v.exactOptional(filledText),
  /**
   * Addition. Distribution of the agent in the settings: its installation is started instead of the command in
   * `agent`.
   */
  distribution: v.exactOptional(distribution),
  /**
   * Addition. The agent's group of permission tools (`permission-tools.ts`). Absent: the agent has no group, and each
   * question uses `ASK_EACH_TIME`.
   */
  permissionGroup: v.exactOptional(v.picklist(TOOL_GROUPS)),
  /** Addition. Working directory of the agent, absolute. Default: the sidecar's own. */
  cwd: v.exactOptional(filledText),
  /** Addition. Folders of the workspace, absolute, whose changes are recorded. Default: `cwd` alone. */
  folders: v.exactOptional(list(filledText, 1_000)),
});
export type ChatRequest = Infer<typeof chatRequest>;

/** Params of `lm/cancel`. */
export const cancelRequest = v.object({ requestId });

/** Params of `lm/provideTokenCount`. */
export const tokenCountRequest = v.object({ modelId: filledText, text: v.string() });

/** Params of `lm/decide`, and of `lm/question` with the id alone. */
export const decision = compact({
  questionId: v.string(),
  callId: ifValid(v.string()),
  toolName: ifValid(v.string()),
});
export type Decision = Infer<typeof decision>;

/** `leftOut`: paths of omitted members, for the log. */
export interface ReadRequest {
  readonly request: ChatRequest;
  readonly leftOut: readonly string[];
}

/** Params of `lm/provideLanguageModelChatResponse`. */
export function readChatRequest(value: unknown): Validation<ReadRequest> {
  const read = validated(chatRequest, value);
  return read.ok ? { ok: true, message: { request: read.message, leftOut: leftOutOf(objectOr(value)) } } : read;
}

function leftOutOf({ messages, options }: Fields): readonly string[] {
  const unknownParts = arrayOr(messages).flatMap((message, i) =>
    unknownItems(objectOr(message)["content"], isKnownPart).map(at => `messages[${i}].content[${at}]`),
  );
  return [...unknownParts, ...unknownItems(objectOr(options)["tools"], isTool).map(at => `options.tools[${at}]`)];
}

/** Indexes of the unknown items. */
function unknownItems(items: unknown, isKnown: (value: unknown) => boolean): readonly number[] {
  return arrayOr(items).flatMap((item, i) => (isKnown(item) ? [] : [i]));
}
