/**
 * What VS Code's tools returned, as results of MCP. Pure.
 *
 * VS Code marks no result as failed: that a tool threw, was skipped, or is switched off stands in the text (VS Code
 * 1.139). An agent is to know it, because its own tools tell it in that way.
 */
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/sdk/types.js";
import { isObject } from "../../rpc/json";

/** Whole results: a tool whose output merely holds such a sentence has not failed. */
const FAILURES: readonly RegExp[] = [
  /^ERROR(?: while calling tool)?: [^]*\nPlease check your input and try again\.$/,
  /^The user chose to skip the tool call, they want to proceed without running it\.?$/,
  /^The user cancelled the tool call\.?$/,
];
const NOTHING = "(The tool returned nothing.)";

/** `result` as in a `tool_result` part: a text, parts of text and data, or whatever a tool returned. */
export function toMcp(result: unknown, isError = false): CallToolResult {
  const content = blocksOf(result).filter(block => block.type !== "text" || block.text !== "");
  const text = content.every(block => block.type === "text") ? content.map(({ text }) => text).join("") : undefined;
  return {
    content: content.length > 0 ? content : [textBlock(NOTHING)],
    ...(isError || isFailure(text) ? { isError: true } : {}),
  };
}

/** A result that says why there is none; the sentence is for the agent's model. */
export function refusal(sentence: string): CallToolResult {
  return { content: [textBlock(sentence)], isError: true };
}

/** VS Code's own words for a call that did not run or threw. */
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
  return textBlock(`(${bytes.length} bytes of type ${mimeType}, left out.)`);
}

function textBlock(text: string): TextBlock {
  return { type: "text", text };
}
