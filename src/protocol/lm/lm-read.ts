/**
 * Validates untrusted `lm/*` params. A request is accepted as a whole, or rejected with a sentence that names the
 * invalid member. Unknown kinds of parts, unknown fields and invalid tools are omitted and listed in `leftOut`. Pure.
 */
import { readDistribution } from "../agents/distribution";
import { isObject, type Fields } from "../wire/json";
import { TOOL_GROUPS } from "./permission-tools";
import type { AgentDefinition, ChatMessage, ChatOptions, ChatPart, ChatRequest, ChatTool, RequestId } from "./lm";

export interface Wrong {
  readonly wrong: string;
}

/** `leftOut`: paths of omitted members, for the log. */
export interface ReadRequest {
  readonly request: ChatRequest;
  readonly leftOut: readonly string[];
}

/** Params of `lm/provideLanguageModelChatResponse`. */
export function readChatRequest(value: unknown): ReadRequest | Wrong {
  return reading(() => {
    const leftOut: string[] = [],
      fields = object(value, "params");
    const { requestId, agentId, permissionGroup, cwd, options, distribution } = fields;
    return {
      request: {
        modelId: text(fields["modelId"], "modelId"),
        messages: list(fields["messages"], "messages").map((message, i) =>
          readMessage(message, `messages[${i}]`, leftOut),
        ),
        agent: readAgent(fields["agent"]),
        ...(options === undefined || options === null ? {} : { options: readOptions(options, leftOut) }),
        ...(requestId === undefined ? {} : { requestId: readId(requestId) }),
        ...(agentId === undefined ? {} : { agentId: text(agentId, "agentId") }),
        ...(permissionGroup === undefined
          ? {}
          : { permissionGroup: oneOf(TOOL_GROUPS, permissionGroup, "permissionGroup") }),
        ...(distribution === undefined
          ? {}
          : { distribution: readDistribution(distribution) ?? mismatch("distribution", "a distribution of an agent") }),
        ...(cwd === undefined ? {} : { cwd: text(cwd, "cwd") }),
      },
      leftOut,
    };
  });
}

/** Params of `lm/cancel`. */
export function readCancel(value: unknown): { readonly requestId: RequestId } | Wrong {
  return reading(() => ({ requestId: readId(object(value, "params")["requestId"]) }));
}

/** Params of `lm/provideTokenCount`. */
export function readTokenCount(value: unknown): { readonly modelId: string; readonly text: string } | Wrong {
  return reading(() => {
    const fields = object(value, "params");
    return { modelId: text(fields["modelId"], "modelId"), text: anyText(fields["text"], "text") };
  });
}

/**
 * A part of a message or of a tool's result; `undefined` for an unknown kind. `where`: path of the part, for error
 * sentences.
 */
function readPart(value: unknown, where: string): ChatPart | undefined {
  const fields = object(value, where),
    at = (member: string): string => `${where}.${member}`;
  switch (fields["type"]) {
    case "text":
      return { type: "text", value: anyText(fields["value"], at("value")) };
    case "tool_call":
      return {
        type: "tool_call",
        toolCallId: anyText(fields["toolCallId"], at("toolCallId")),
        toolName: text(fields["toolName"], at("toolName")),
        parameters: fields["parameters"] ?? {},
      };
    case "tool_result":
      return {
        type: "tool_result",
        toolCallId: anyText(fields["toolCallId"], at("toolCallId")),
        result: fields["result"] ?? "",
        ...(fields["isError"] === true ? { isError: true } : {}),
      };
    case "data":
      return {
        type: "data",
        mimeType: text(fields["mimeType"], at("mimeType")),
        data: anyText(fields["data"], at("data")),
      };
    case "thinking": {
      const { id, metadata } = fields;
      return {
        type: "thinking",
        value: anyText(fields["value"], at("value")),
        ...(typeof id === "string" ? { id } : {}),
        ...(metadata === undefined ? {} : { metadata }),
      };
    }
    default:
      return undefined;
  }
}

function readMessage(value: unknown, where: string, leftOut: string[]): ChatMessage {
  const { role, content } = object(value, where);
  if (role !== "user" && role !== "assistant" && role !== "system")
    return mismatch(`${where}.role`, "“user”, “assistant” or “system”");
  return {
    role,
    content: list(content, `${where}.content`).flatMap((part, i): readonly ChatPart[] => {
      const read = readPart(part, `${where}.content[${i}]`);
      if (read === undefined) leftOut.push(`${where}.content[${i}]`);
      return read === undefined ? [] : [read];
    }),
  };
}

function readOptions(value: unknown, leftOut: string[]): ChatOptions {
  const { tools, toolMode, modelOptions, requestInitiator } = object(value, "options");
  if (toolMode !== undefined && toolMode !== "auto" && toolMode !== "required")
    return mismatch("options.toolMode", "“auto” or “required”");
  return {
    ...(tools === undefined
      ? {}
      : { tools: list(tools, "options.tools").flatMap((tool, i) => readTool(tool, `options.tools[${i}]`, leftOut)) }),
    ...(toolMode === undefined ? {} : { toolMode }),
    ...(modelOptions === undefined ? {} : { modelOptions: object(modelOptions, "options.modelOptions") }),
    ...(requestInitiator === undefined ? {} : { requestInitiator: text(requestInitiator, "options.requestInitiator") }),
  };
}

/** An invalid tool is omitted, so that the others remain available. */
function readTool(value: unknown, where: string, leftOut: string[]): readonly ChatTool[] {
  if (!isObject(value) || typeof value["name"] !== "string" || value["name"] === "") {
    leftOut.push(where);
    return [];
  }
  const { name, description, inputSchema } = value;
  return [
    {
      name,
      description: typeof description === "string" ? description : "",
      ...(inputSchema === undefined || inputSchema === null ? {} : { inputSchema }),
    },
  ];
}

function readAgent(value: unknown): AgentDefinition {
  const { eliza, mcp_server: server } = object(value, "agent");
  if (isObject(eliza)) return { eliza: eliza["deterministic"] === true ? { deterministic: true } : {} };
  if (!isObject(server)) return mismatch("agent", "{“eliza”: {…}} or {“mcp_server”: {…}}");
  const { args, env } = server,
    where = "agent.mcp_server";
  return {
    mcp_server: {
      name: text(server["name"], `${where}.name`),
      command: text(server["command"], `${where}.command`),
      args: list(args ?? [], `${where}.args`).map((arg, i) => anyText(arg, `${where}.args[${i}]`)),
      env: list(env ?? [], `${where}.env`).map((pair, i) => {
        const { name, value: given } = object(pair, `${where}.env[${i}]`);
        return { name: text(name, `${where}.env[${i}].name`), value: anyText(given, `${where}.env[${i}].value`) };
      }),
    },
  };
}

function oneOf(known: readonly string[], value: unknown, where: string): string {
  return typeof value === "string" && known.includes(value) ? value : mismatch(where, "a known name");
}

function readId(value: unknown): RequestId {
  return typeof value === "string" || (typeof value === "number" && Number.isFinite(value))
    ? value
    : mismatch("requestId", "a number or a text");
}

class Mismatch extends Error {
  override readonly name = "Mismatch";
}

/** Values are not quoted, because they may be secrets. */
function mismatch(where: string, what: string): never {
  throw new Mismatch(`${where} must be ${what}.`);
}

function reading<T>(read: () => T): T | Wrong {
  try {
    return read();
  } catch (error) {
    if (error instanceof Mismatch) return { wrong: error.message };
    throw error;
  }
}

function object(value: unknown, where: string): Fields {
  return isObject(value) ? value : mismatch(where, "an object");
}
function list(value: unknown, where: string): readonly unknown[] {
  return Array.isArray(value) ? value : mismatch(where, "a list");
}
function anyText(value: unknown, where: string): string {
  return typeof value === "string" ? value : mismatch(where, "a text");
}
function text(value: unknown, where: string): string {
  return value === "" ? mismatch(where, "a non-empty text") : anyText(value, where);
}
