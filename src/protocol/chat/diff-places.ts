/** The diffs of a tool call and their places in the files. Pure. */
import type { ToolCall, ToolContent } from "./entry-schema";

export type Diff = Extract<ToolContent, { readonly kind: "diff" }>;

export interface PlacedDiff {
  readonly diff: Diff;
  /** Number of the first line of both texts in the file, if it is known. */
  readonly line?: number;
}

/** The n-th diff of a file is at the agent's n-th location in it. Without one, it is where Symposium found its text. */
export function placedDiffs({ content, locations }: Pick<ToolCall, "content" | "locations">): readonly PlacedDiff[] {
  const remaining = [...locations];
  return content.flatMap((diff): readonly PlacedDiff[] => {
    if (diff.kind !== "diff") return [];
    const at = remaining.findIndex(({ path }) => path === diff.path),
      line = (at === -1 ? undefined : remaining.splice(at, 1)[0]?.line) ?? diff.line;
    return [{ diff, ...(line === undefined ? {} : { line }) }];
  });
}

/** The content, with the known places of the same diffs. */
export function withPlaces<C extends ToolContent>(content: readonly C[], known: readonly ToolContent[]): readonly C[] {
  const placed = known.filter(each => each.kind === "diff" && each.line !== undefined);
  return placed.length === 0 ? content : content.map(each => withPlace(each, placed));
}

function withPlace<C extends ToolContent>(content: C, placed: readonly ToolContent[]): C {
  if (content.kind !== "diff" || content.line !== undefined) return content;
  const same = placed.find(each => each.kind === "diff" && isSameDiff(each, content));
  return same?.kind === "diff" && same.line !== undefined ? { ...content, line: same.line } : content;
}

/** Whether two diffs have the same texts of the same file. */
export function isSameDiff(a: Diff, b: Diff): boolean {
  return a.path === b.path && a.oldText === b.oldText && a.newText === b.newText;
}
