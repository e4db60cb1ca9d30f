/**
 * Renders turns as text for an agent: speakers, tool calls and their results. Keeps the newest turns that fit the
 * limit. Pure.
 */
import type { ChatMessage, ChatPart } from "../../../src/protocol/lm/lm";
import { isObject } from "../../rpc/json";
import { partsOf } from "./parse-message";
import { textOf } from "./parse-history";

/** Maximum characters of the transcript, of a text, of a result, and of the parameters of a call. */
const LIMIT = 60_000,
  TEXT_LIMIT = 12_000,
  RESULT_LIMIT = 2_000,
  PARAMETERS_LIMIT = 500;

/** Empty if the turns have no text. */
export function transcript(turns: readonly (readonly ChatMessage[])[]): string {
  const texts = turns
    .map(turn =>
      turn
        .map(lineOf)
        .filter(line => line !== "")
        .join("\n\n"),
    )
    .filter(text => text !== "");
  const lines: string[] = [];
  let available = LIMIT;
  for (const text of texts.toReversed()) {
    if (lines.length > 0 && text.length > available) break;
    lines.unshift(text);
    available -= text.length;
  }
  const remaining = texts.length - lines.length;
  return [
    ...(remaining > 0 ? [`(${remaining} earlier ${remaining === 1 ? "turn is" : "turns are"} omitted.)`] : []),
    ...lines,
  ].join("\n\n");
}

function lineOf(message: ChatMessage): string {
  const { role, content } = message;
  if (role === "assistant") {
    const text = cut(textOf(content).trim(), TEXT_LIMIT),
      calls = content.flatMap(part =>
        part.type === "tool_call"
          ? [`(Called ${part.toolName} with ${cut(json(part.parameters), PARAMETERS_LIMIT)}.)`]
          : [],
      );
    return [...(text === "" ? [] : [`Assistant: ${text}`]), ...calls].join("\n");
  }
  const results = content.flatMap(part =>
    part.type === "tool_result" ? [`(It returned: ${cut(resultText(part.result), RESULT_LIMIT)})`] : [],
  );
  const { userText: words, attached, images } = partsOf([message]),
    attachments = [...attached.map(({ name }) => name), ...images.map(() => "an image")];
  return [
    ...results,
    ...(words === "" ? [] : [`User: ${cut(words, TEXT_LIMIT)}`]),
    ...(attachments.length === 0 ? [] : [`(With ${attachments.join(", ")}.)`]),
  ].join("\n");
}

function resultText(result: unknown): string {
  if (typeof result === "string") return result;
  if (!Array.isArray(result)) return json(result);
  return result
    .map((part: unknown) =>
      isPart(part) && part.type === "text"
        ? part.value
        : isPart(part) && part.type === "data"
          ? `(${part.mimeType})`
          : json(part),
    )
    .join("");
}

function isPart(part: unknown): part is ChatPart & { readonly type: "text" | "data" } {
  return (
    isObject(part) &&
    ((part.type === "text" && typeof part.value === "string") ||
      (part.type === "data" && typeof part.mimeType === "string"))
  );
}

function json(value: unknown): string {
  return JSON.stringify(value) ?? "";
}
function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)} … (${text.length - limit} more characters)`;
}
