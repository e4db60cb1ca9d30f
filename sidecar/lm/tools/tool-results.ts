/**
 * Converts results of VS Code's tools to MCP results. Pure.
 *
 * VS Code does not mark results as failed. Only the text shows that a tool threw, was skipped or is disabled (VS Code
 * 1.139). Such a result has `isError`, like failures of the agent's own tools.
 */
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/sdk/types.js";
import { isObject } from "../../rpc/json";

/** Patterns of whole results: a tool whose output merely contains such a sentence has not failed. */
const FAILURES: readonly RegExp[] = [
  /^ERROR(?: while calling tool)?: [^]*\nPlease check your input and try again\.$/,
  /^The user chose to skip the tool call, they want to proceed without running it\.?$/,
  /^The user cancelled the tool call\.?$/,
];
const EMPTY_RESULT = "(The tool returned nothing.)";

/** `result` as in a `tool_result` part: a text, parts of text and data, or any other value that a tool returned. */
export function toMcp(result: unknown, isError = false): CallToolResult {
  const content = blocksOf(result).filter(block => block.type !== "text" || block.text !== "");
  const text = content.every(block => block.type === "text") ? content.map(({ text }) => text).join("") : undefined;
  return {
    content: content.length > 0 ? content : [textBlock(EMPTY_RESULT)],
    ...(isError || isFailure(text) ? { isError: true } : {}),
  };
}

/** A result that explains why the call was not run. The sentence is for the agent's model. */
export function refusal(sentence: string): CallToolResult {
  return { content: [textBlock(sentence)], isError: true };
}

/** Whether the text is VS Code's wording for a call that threw or did not run. */
export function isFailure(text: string | undefined): boolean {
  return text !== undefined && FAILURES.some(failure => failure.test(text));
}

type TextBlock = ContentBlock & { readonly type: "text" };

function blocksOf(result: unknown): ContentBlock[] {
  if (result === undefined || result === null) return [];
  if (typeof result === "string") return [textBlock(result)];
  if (Array.isArray(result) && result.every(isPart)) return result.map(blockOf);
  if (isPart(result)) return [blockOf(result)];
  return [textBlock(JSON.stringify(result) ?? "")];
}

type Part =
  | { readonly type: "text"; readonly value: string }
  | { readonly type: "data"; readonly mimeType: string; readonly data: string };

function isPart(value: unknown): value is Part {
  return (
    isObject(value) &&
    ((value.type === "text" && typeof value.value === "string") ||
      (value.type === "data" && typeof value.mimeType === "string" && typeof value.data === "string"))
  );
}

function blockOf(part: Part): ContentBlock {
  if (part.type === "text") return textBlock(part.value);
  const { mimeType, data } = part,
    [kind] = mimeType.split("/");
  const bytes = Buffer.from(data, "base64");
  if (bytes.toString("base64") !== data) return textBlock(`(Data of type ${mimeType} that cannot be read.)`);
  if (kind === "image" || kind === "audio") return { type: kind, mimeType, data };
  if (kind === "text" || /^application\/(?:.*\+)?(?:json|xml)(?:;|$)/.test(mimeType))
    return textBlock(bytes.toString());
  return textBlock(`(${bytes.length} bytes of type ${mimeType}, omitted.)`);
}

function textBlock(text: string): TextBlock {
  return { type: "text", text };
}
