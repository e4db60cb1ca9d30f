/**
 * Converts message parts between VS Code and the protocol. Pure: VS Code's classes are injected, because the typings of
 * the minimum version lack some (thinking, data). A part may have an unknown class.
 *
 * Invariants:
 * - An unreadable part is dropped without affecting others.
 * - Bytes are base64 on the wire.
 * - Text is never changed.
 */
import { isObject } from "../protocol/wire/json";
import type { ChatMessage, ChatPart, ChatTool } from "../protocol/lm/lm";

type TextPart = object;

/** VS Code's classes; this version may lack the optional ones. */
export interface PartClasses {
  readonly LanguageModelTextPart: new (value: string) => TextPart;
  readonly LanguageModelToolCallPart: new (callId: string, name: string, input: object) => object;
  readonly LanguageModelDataPart?: new (data: Uint8Array, mimeType: string) => object;
  readonly LanguageModelThinkingPart?: new (value: string, id?: string, metadata?: unknown) => object;
}

/** Compatible with `vscode.LanguageModelChatRequestMessage`. */
export interface VscodeMessage {
  readonly role: number;
  readonly content: readonly unknown[];
}

/** 3 is `System`, which VS Code sends although the typings lack it. */
const ROLES: Readonly<Record<number, ChatMessage["role"]>> = { 1: "user", 2: "assistant", 3: "system" };

export function chatMessages(messages: readonly VscodeMessage[], classes: PartClasses): readonly ChatMessage[] {
  return messages.map(({ role, content }) => ({
    role: ROLES[role] ?? "user",
    content: content.flatMap(part => chatPart(part, classes) ?? []),
  }));
}

/** `undefined`: unknown part. */
export function chatPart(part: unknown, { LanguageModelThinkingPart: Thinking }: PartClasses): ChatPart | undefined {
  if (!isObject(part)) return undefined;
  const { callId, name, input, content, mimeType, data, value, id, metadata } = part;
  if (typeof callId === "string" && typeof name === "string")
    return { type: "tool_call", toolCallId: callId, toolName: name, parameters: input ?? {} };
  if (typeof callId === "string" && Array.isArray(content))
    return {
      type: "tool_result",
      toolCallId: callId,
      result: resultOf(content),
      ...(part["isError"] === true ? { isError: true } : {}),
    };
  if (typeof mimeType === "string" && data instanceof Uint8Array)
    return { type: "data", mimeType, data: Buffer.from(data).toString("base64") };
  const isThinking = Thinking ? part instanceof Thinking : id !== undefined || metadata !== undefined;
  const text = Array.isArray(value) ? value.filter(each => typeof each === "string").join("") : value;
  if (typeof text !== "string") return value === undefined ? undefined : { type: "text", value: JSON.stringify(value) };
  return isThinking
    ? {
        type: "thinking",
        value: text,
        ...(typeof id === "string" ? { id } : {}),
        ...(metadata === undefined ? {} : { metadata }),
      }
    : { type: "text", value: text };
}

/** Returns a single text unchanged. Converts unknown content to JSON, so that an agent can detect it. */
function resultOf(content: readonly unknown[]): string | readonly ChatPart[] {
  const parts = content.map((part): ChatPart => {
    if (!isObject(part)) return { type: "text", value: typeof part === "string" ? part : (JSON.stringify(part) ?? "") };
    const { mimeType, data, value } = part;
    if (typeof mimeType === "string" && data instanceof Uint8Array)
      return { type: "data", mimeType, data: Buffer.from(data).toString("base64") };
    return { type: "text", value: typeof value === "string" ? value : JSON.stringify(value ?? part) };
  });
  const [first] = parts;
  return parts.length === 0 ? "" : parts.length === 1 && first?.type === "text" ? first.value : parts;
}

/** `undefined`: this version of VS Code lacks such parts or drops them. */
export function responsePart(part: ChatPart, classes: PartClasses): object | undefined {
  switch (part.type) {
    case "text":
      return new classes.LanguageModelTextPart(part.value);
    case "tool_call":
      return new classes.LanguageModelToolCallPart(
        part.toolCallId,
        part.toolName,
        isObject(part.parameters) ? part.parameters : {},
      );
    case "data":
      return (
        classes.LanguageModelDataPart &&
        new classes.LanguageModelDataPart(Buffer.from(part.data, "base64"), part.mimeType)
      );
    case "thinking":
      return (
        classes.LanguageModelThinkingPart && new classes.LanguageModelThinkingPart(part.value, part.id, part.metadata)
      );
    case "tool_result":
      return undefined;
  }
}

/** Compatible with `vscode.LanguageModelChatTool`. */
export interface VscodeTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: object | undefined;
}

export function chatTools(tools: readonly VscodeTool[]): readonly ChatTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    name,
    description: typeof description === "string" ? description : "",
    ...(inputSchema === undefined ? {} : { inputSchema }),
  }));
}
