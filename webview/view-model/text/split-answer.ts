/**
 * Splits a long answer into several cards, because the renderer parses a whole card with each update.
 *
 * Invariants:
 * - The concatenated `text` of the parts is the whole text.
 * - A part that is followed by another part never changes while the text grows.
 * - A code block that is cut is closed in one part and reopened in the next.
 * - Incremental splitting gives the same result as splitting at once.
 */
import { fenceAfter, type Fence } from "./code-fence";

export interface Part {
  readonly text: string;
  /** Markdown around `text` that completes a code block on both sides of a cut. */
  readonly before: string;
  readonly after: string;
}

/** In characters: the size at which the next block starts a new part, and the maximum size of a part. */
export interface PartSize {
  readonly enough: number;
  readonly max: number;
}
export const PART_SIZE: PartSize = { enough: 4_000, max: 8_000 };

/** Start of the last part, which is parsed again when the text has grown. */
interface Mark {
  readonly from: number;
  /** Start of the line that contains `from`, and the open fence before that line. */
  readonly at: number;
  readonly fence: Fence | undefined;
  readonly before: string;
}

export interface Split {
  readonly text: string;
  readonly parts: readonly Part[];
  readonly last: Mark;
}

const START: Mark = { from: 0, at: 0, fence: undefined, before: "" };

/** At least one part. A cut depends only on the preceding text and the first character after it. */
export function splitBlocks(text: string, size: PartSize = PART_SIZE): readonly Part[] {
  return splitOn(undefined, text, size).parts;
}

/**
 * Incremental `splitBlocks`. The cost is proportional to the new text if `text` extends that of `before`. Otherwise
 * `before` is ignored.
 */
export function splitOn(before: Split | undefined, text: string, { enough, max }: PartSize = PART_SIZE): Split {
  const previous = before !== undefined && text.startsWith(before.text) ? before : undefined;
  const parts: Part[] = previous?.parts.slice(0, -1) ?? [];
  let last = previous?.last ?? START;
  let { from, at, fence, before: opening } = last;
  let blank = false;
  const cut = (to: number) => {
    const piece = text.slice(from, to);
    parts.push({
      text: piece,
      before: opening,
      after: fence ? `${piece.endsWith("\n") ? "" : "\n"}${fence.mark.repeat(fence.length)}\n` : "",
    });
    opening = fence ? `${fence.line}\n` : "";
    from = to;
    last = { from, at, fence, before: opening };
  };
  while (at < text.length) {
    const newline = text.indexOf("\n", at);
    const end = newline === -1 ? text.length : newline + 1;
    const line = text.slice(at, end);
    const beginsBlock = blank && fence === undefined && /^\S/.test(line);
    if (at > from && (beginsBlock ? at - from >= enough : end - from > max)) cut(at);
    while (end - from > max) cut(wholeCharacter(text, from + max));
    if (newline !== -1) fence = fenceAfter(fence, line.slice(0, -1));
    blank = line.trim() === "";
    at = end;
  }
  if (from < text.length || parts.length === 0) parts.push({ text: text.slice(from), before: opening, after: "" });
  return { text, parts, last };
}

/** Moves a cut out of a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? at - 1 : at;
}
