/** Converts ACP's content blocks to the chat model. The same in v1 and v2. Pure, lenient, and never throws. */
import { TOOL_JSON_LIMIT, type Resource, type ToolContent } from "../../../src/protocol/chat/chat";
import { cut, numberOr, objectOr, readable, stringOr, type JsonObject } from "../../rpc/json";

/** Maximum characters of base64 data. */
const IMAGE_LIMIT = 2_000_000;

/** A content block (schema v1, `ContentBlock`). */
export function blockContent(raw: unknown): ToolContent {
  const block = objectOr(raw);
  const mimeType = stringOr(block.mimeType, "");
  switch (block.type) {
    case "text":
      return { kind: "text", text: limited(block.text) };
    case "image":
      return stringOr(block.data, "").length > IMAGE_LIMIT
        ? { kind: "other", what: "image", json: "(an image that is too large to display)" }
        : { kind: "image", mimeType, data: stringOr(block.data, "") };
    case "audio":
      return { kind: "audio", mimeType, bytes: bytesOf(block.data) };
    case "resource_link":
      return link(block);
    case "resource":
      return embedded(objectOr(block.resource));
    default:
      return { kind: "other", what: stringOr(block.type, "(no kind)"), json: readable(raw, TOOL_JSON_LIMIT) };
  }
}

/** Text blocks and links as Markdown; `undefined` for content that is displayed separately. */
export function wordsOf(raw: unknown): string | undefined {
  const block = objectOr(raw);
  switch (block.type) {
    case "text":
      return stringOr(block.text, "");
    case "resource_link":
      return `[${stringOr(block.title, undefined) ?? stringOr(block.name, "resource")}](${stringOr(block.uri, "")})`;
    case undefined:
      return "";
    default:
      return undefined;
  }
}

/** Truncates text to the amount that a card displays; the agent keeps the full text. */
export function limited(text: unknown): string {
  return cut(stringOr(text, ""), TOOL_JSON_LIMIT);
}

function link(block: JsonObject): Resource {
  const name = stringOr(block.title, undefined) ?? stringOr(block.name, undefined),
    description = stringOr(block.description, undefined);
  const mimeType = stringOr(block.mimeType, undefined),
    bytes = numberOr(block.size, undefined);
  return {
    kind: "resource",
    uri: stringOr(block.uri, ""),
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(bytes === undefined ? {} : { bytes }),
  };
}

function embedded({ uri, text, blob, mimeType }: JsonObject): Resource {
  return {
    kind: "resource",
    uri: stringOr(uri, ""),
    ...(typeof mimeType === "string" ? { mimeType } : {}),
    ...(typeof text === "string" ? { text: limited(text) } : typeof blob === "string" ? { bytes: bytesOf(blob) } : {}),
  };
}

/** Approximate size in bytes of base64 data. */
function bytesOf(data: unknown): number {
  return Math.floor((stringOr(data, "").length * 3) / 4);
}
