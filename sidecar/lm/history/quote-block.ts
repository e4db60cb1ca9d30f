/** Quotes foreign text as a block of a prompt. Pure. */
import type { TextBlock } from "../../acp/schema";

/** The fence is longer than any fence in the content, so that the content cannot end the quotation. */
export function quoted(title: string, content: string): TextBlock {
  const fence = "`".repeat(Math.max(3, ...[...content.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  return { type: "text", text: `${title}:\n${fence}\n${content}\n${fence}` };
}
