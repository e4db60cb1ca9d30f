/** Text of others as a block of a prompt. Pure. */
import type { JsonObject } from "../../rpc/json";

/** In a fence that is longer than any within, so that the content cannot end its quotation. */
export function quoted(title: string, content: string): JsonObject {
  const fence = "`".repeat(Math.max(3, ...[...content.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  return { type: "text", text: `${title}:\n${fence}\n${content}\n${fence}` };
}
