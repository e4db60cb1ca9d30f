/** For whom a content block is (ACP schema v1 and v2, `Annotations`, which are those of MCP). Pure. */
import type { JsonObject } from "../rpc/json";

/** For the model, not for the user's eyes: so titles, history and replay can tell it from the user's words. */
export function forTheAgent(block: JsonObject): JsonObject {
  return { ...block, annotations: { audience: ["assistant"] } };
}
