/** Finds the Mermaid code blocks in a part of an answer. Pure. */
import { fenceAfter, type Fence } from "./code-fence";
import type { Part } from "./split-answer";

/**
 * Whether each block is complete, in order. A block of a growing text is complete after its closing fence, and one that
 * is divided between two parts never.
 */
export function diagramBlocks({ before, text }: Pick<Part, "before" | "text">): readonly boolean[] {
  if (!text.includes("mermaid") && !before.includes("mermaid")) return NONE;
  const blocks: boolean[] = [];
  let fence = before.split("\n").reduce<Fence | undefined>(fenceAfter, undefined),
    isWhole = fence === undefined;
  if (isMermaid(fence)) blocks.push(false);
  for (const line of text.split("\n")) {
    const after = fenceAfter(fence, line);
    if (fence === undefined && isMermaid(after)) blocks.push(false);
    if (isMermaid(fence) && after === undefined && isWhole) blocks[blocks.length - 1] = true;
    if (after === undefined) isWhole = true;
    fence = after;
  }
  return blocks;
}

const NONE: readonly boolean[] = [];

function isMermaid(fence: Fence | undefined): boolean {
  return fence !== undefined && /^\W*(?:\d+\W+)?(?:`{3,}|~{3,})\s*mermaid\b/.test(fence.line);
}
