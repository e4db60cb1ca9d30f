/**
 * Marks the blocks that Sparkle appends to a prompt. The marks state the origin, and Sparkle removes the blocks where
 * an agent repeats the prompt (replay, titles). Pure.
 *
 * Invariants: text between marks contains no mark. If the user's text and the blocks of a prompt are joined with any
 * white space, `unmarked` returns the exact text. A text that itself ends with such a block loses the block.
 */

const PARTS = ["embodiment", "checkpoint", "meta-moment"] as const;
export type Part = (typeof PARTS)[number];
/** Parts that the user's text requests. */
export type AskedPart = Exclude<Part, "embodiment">;

const START = `<sparkle part="`,
  CLOSING = "\n</sparkle>";
/** `keep`: number of white space characters before the block that belong to the user's text. Default: 0. */
const OPENING = new RegExp(`^${START}(?:${PARTS.join("|")})"(?: keep="(\\d{1,4})")?>\\n`);

const opening = (part: Part, keep = 0): string => `${START}${part}"${keep === 0 ? "" : ` keep="${keep}"`}>\n`;

export function marked(part: Part, text: string, keep = 0): string {
  return `${opening(part, keep)}${harmless(text)}${CLOSING}`;
}

/** Maximum size of the marks themselves, in bytes. */
export function markBytes(part: Part): number {
  return Buffer.byteLength(opening(part, MAX_KEEP) + CLOSING);
}

/** Maximum number of trailing white space characters that a mark can record. */
export const MAX_KEEP = 9_999;

/** Trailing white space of a text, in characters. */
export function trailingSpace(text: string): number {
  return Math.min(text.length - text.trimEnd().length, MAX_KEEP);
}

/** Removes marks and control characters. */
export function harmless(text: string): string {
  return text.replaceAll(/<(?=\/?sparkle)/gi, "‹").replaceAll(/[^\P{Cc}\n\t]/gu, "");
}

/** Removes the blocks at the end of a repeated prompt. Linear time. */
export function unmarked(text: string): string {
  let end = text.length;
  for (;;) {
    const at = blockBefore(text, end);
    if (at === undefined) return text.slice(0, end);
    end = at;
  }
}

/** End of the text before the block that ends at `end`. Undefined if no block ends there. */
function blockBefore(text: string, end: number): number | undefined {
  const closing = text.slice(0, end).trimEnd();
  if (!closing.endsWith(CLOSING)) return undefined;
  const start = closing.lastIndexOf(START),
    opened = start === -1 ? undefined : OPENING.exec(closing.slice(start, start + 100));
  if (!opened || closing.indexOf(CLOSING, start) !== closing.length - CLOSING.length) return undefined;
  return Math.min(start, closing.slice(0, start).trimEnd().length + Number(opened[1] ?? 0));
}

/** Removes a block from a title. Agents join a prompt's blocks, collapse white space and truncate anywhere. */
export function titleWithout(title: string): string {
  const start = title.indexOf(START);
  if (start !== -1) return title.slice(0, start).trimEnd();
  const cut = title.lastIndexOf("<"),
    rest = title.slice(cut).replace(/(?:…|\.\.\.)$/u, "");
  return cut !== -1 && rest.length > 1 && START.startsWith(rest) ? title.slice(0, cut).trimEnd() : title;
}
