/**
 * The blocks that Sparkle adds behind the user's words of a prompt, between marks: a person sees where they come from,
 * and Sparkle removes them where an agent repeats the prompt (replay, titles). Pure.
 *
 * Invariants: no text between marks contains a mark; from the words and the blocks of one prompt, joined by whatever
 * white space, `unmarked` returns the words exactly. Words that themselves end with such a block lose it.
 */

const PARTS = ["embodiment", "checkpoint", "meta-moment"] as const;
export type Part = (typeof PARTS)[number];
/** Those that the user's words ask for. */
export type AskedPart = Exclude<Part, "embodiment">;

const START = `<sparkle part="`,
  CLOSING = "\n</sparkle>";
/** `keep`: characters of the white space before the block that belong to the user's words; without it none. */
const OPENING = new RegExp(`^${START}(?:${PARTS.join("|")})"(?: keep="(\\d{1,4})")?>\\n`);

const opening = (part: Part, keep = 0): string => `${START}${part}"${keep === 0 ? "" : ` keep="${keep}"`}>\n`;

export function marked(part: Part, text: string, keep = 0): string {
  return `${opening(part, keep)}${harmless(text)}${CLOSING}`;
}

/** Bytes of the marks themselves, at most. */
export function markBytes(part: Part): number {
  return Buffer.byteLength(opening(part, MAX_KEEP) + CLOSING);
}

/** Characters at the end of the words that a mark can account for. */
export const MAX_KEEP = 9_999;

/** White space at the end of a text, in characters. */
export function trailingSpace(text: string): number {
  return Math.min(text.length - text.trimEnd().length, MAX_KEEP);
}

/** Without marks and control characters. */
export function harmless(text: string): string {
  return text.replaceAll(/<(?=\/?sparkle)/gi, "‹").replaceAll(/[^\P{Cc}\n\t]/gu, "");
}

/** The user's words of a text that an agent repeats: without the blocks at its end. Linear in its length. */
export function unmarked(text: string): string {
  let end = text.length;
  for (;;) {
    const at = blockBefore(text, end);
    if (at === undefined) return text.slice(0, end);
    end = at;
  }
}

/** Where the words end that a block at the end of `text.slice(0, end)` follows. */
function blockBefore(text: string, end: number): number | undefined {
  const closing = text.slice(0, end).trimEnd();
  if (!closing.endsWith(CLOSING)) return undefined;
  const start = closing.lastIndexOf(START),
    opened = start === -1 ? undefined : OPENING.exec(closing.slice(start, start + 100));
  if (!opened || closing.indexOf(CLOSING, start) !== closing.length - CLOSING.length) return undefined;
  return Math.min(start, closing.slice(0, start).trimEnd().length + Number(opened[1] ?? 0));
}

/**
 * The part of a title that is not from a block: agents join a prompt's blocks, collapse white space and cut anywhere.
 */
export function titleWithout(title: string): string {
  const start = title.indexOf(START);
  if (start !== -1) return title.slice(0, start).trimEnd();
  const cut = title.lastIndexOf("<"),
    rest = title.slice(cut).replace(/(?:…|\.\.\.)$/u, "");
  return cut !== -1 && rest.length > 1 && START.startsWith(rest) ? title.slice(0, cut).trimEnd() : title;
}
