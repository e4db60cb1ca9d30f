/** Audience of a content block (ACP schema v1 and v2, `Annotations`, identical to MCP's). Pure. */

/**
 * Marks a block as addressed to the model only. Titles, history and replay use the mark to exclude it from the user's
 * text.
 */
export function forTheAgent<const T extends object>(
  block: T,
): T & { readonly annotations: { audience: ["assistant"] } } {
  return { ...block, annotations: { audience: ["assistant"] } };
}
