/** The user's text in a prompt, for agents without a model. Pure. */
import { invalid } from "../mcp/read-mcp-servers";
import { isObject, objectOr, type JsonObject } from "../rpc/json";

/**
 * Returns the user's text in a prompt. Other blocks are accepted and ignored, and so are text blocks of extensions,
 * which are for the assistant only (`annotations.audience`).
 */
export function promptText(prompt: unknown): string {
  if (!Array.isArray(prompt)) throw invalid("prompt", "an array of content blocks");
  const texts = prompt.map((block: unknown, i) => {
    if (!isObject(block) || typeof block.type !== "string")
      throw invalid(`prompt[${i}]`, "a content block with a type");
    if (block.type !== "text") return undefined;
    if (typeof block.text !== "string") throw invalid(`prompt[${i}].text`, "a string");
    return isForAssistant(block) ? undefined : block.text;
  });
  return texts.filter(text => text !== undefined).join(" ");
}

/** ACP's content blocks have MCP's annotations, which define the audience of a block. */
function isForAssistant({ annotations }: JsonObject): boolean {
  const { audience } = objectOr(annotations);
  return Array.isArray(audience) && !audience.includes("user");
}
