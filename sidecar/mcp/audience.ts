/** Audience of a content block (ACP schema v1 and v2, `Annotations`, identical to MCP's). Pure. */
import type { JsonObject } from "../rpc/json";

/**
 * Marks a block as addressed to the model only. Titles, history and replay use the mark to exclude it from the user's
 * text.
 */
export function forTheAgent(block: JsonObject): JsonObject {
  return { ...block, annotations: { audience: ["assistant"] } };
}
