/**
 * One long answer as several cards: the renderer parses a whole card again at each update, so a card must stay short.
 *
 * Invariants: the parts' `text` joined is the whole text; a part that has a successor never changes while the text
 * grows; a cut inside a code block closes it in the one part and opens it again in the next; what is split as it grows
 * is as what is split at once.
 */
import { fenceAfter, type Fence } from "./code-fence";

export interface Part {
  readonly text: string;
  /** Markdown to put around `text`, so that a code block that was cut is whole on both sides. */
  readonly before: string;
  readonly after: string;
}

/** Characters after which the next block begins a new part, and the most that a part may have. */
export interface PartSize {
  readonly enough: number;
  readonly most: number;
}
export const PART_SIZE: PartSize = { enough: 4_000, most: 8_000 };

/** Where the last part begins: from there it is read again when the text has grown. */
interface Mark {
  readonly from: number;
  /** The beginning of the line that it begins in, and the fence that is open before that line. */
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

/** At least one part. A cut depends only on what stands before it and on the first character after it. */
export function splitBlocks(text: string, size: PartSize = PART_SIZE): readonly Part[] {
  return splitOn(undefined, text, size).parts;
}

/**
 * The same, where `before` is a text that this one goes on with (if it does, else that counts for nothing): costs what
 * is new.
 */
export function splitOn(before: Split | undefined, text: string, { enough, most }: PartSize = PART_SIZE): Split {
  const known = before !== undefined && text.startsWith(before.text) ? before : undefined;
  const parts: Part[] = known?.parts.slice(0, -1) ?? [];
  let last = known?.last ?? START;
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
    if (at > from && (beginsBlock ? at - from >= enough : end - from > most)) cut(at);
    while (end - from > most) cut(wholeCharacter(text, from + most));
    if (newline !== -1) fence = fenceAfter(fence, line.slice(0, -1));
    blank = line.trim() === "";
    at = end;
  }
  if (from < text.length || parts.length === 0) parts.push({ text: text.slice(from), before: opening, after: "" });
  return { text, parts, last };
}

/** Not between the two halves of a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? at - 1 : at;
}
