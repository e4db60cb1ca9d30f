/**
 * Makes hidden characters in untrusted text visible. Invisible characters, and characters that change how text reads,
 * are shown by number: `⟦U+202E⟧`. Used for text on which the user bases a decision: questions, titles, options,
 * programs, addresses. Pure.
 *
 * Invariants:
 * - Every code point that Unicode classifies as ignorable, white space or control is shown, except single blanks, tabs
 *   and line feeds.
 * - Long runs of blanks cannot push text out of sight.
 * - Time is linear in the text.
 */

/**
 * In addition to default-ignorable code points: control characters, lone surrogates, annotation marks, and characters
 * without a visible glyph.
 */
const HIDDEN =
  /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cs}\p{White_Space}\p{Bidi_Control}\p{Zl}\p{Zp}\u2800\uFFF9-\uFFFC\u{13441}\u{13442}\u{16FE4}\u{1D159}]/u;
const RUN = new RegExp(`(?![ \\t\\n])(${HIDDEN.source})\\1*`, "gu");

/** An emoji sequence: variation selector, skin tone, and zero-width joiners. */
const PICTURE = "\\p{Extended_Pictographic}\\uFE0F?\\p{Emoji_Modifier}?";
const EMOJI_OR_RUN = new RegExp(
  `(${PICTURE}(?:\\u200D${PICTURE})*|[#*\\d]\\uFE0F\\u20E3)|(?!\\p{Zs})${RUN.source.replace("\\1", "\\2")}`,
  "gu",
);

/** Maximum numbers of consecutive blanks and empty lines. */
const MAX_BLANKS = 40,
  MAX_EMPTY_LINES = 4;
const BLANKS = new RegExp(`[ \\t]{${MAX_BLANKS + 1},}`, "g"),
  EMPTY_LINES = new RegExp(`\\n(?:[ \\t]*\\n){${MAX_EMPTY_LINES + 1},}`, "g");

/** Shows all hidden characters; Windows line ends become line feeds. */
export function visibleText(text: string): string {
  return withoutGaps(text.replaceAll("\r\n", "\n")).replaceAll(RUN, shown);
}

/** `visibleText` on one line. */
export function visibleLine(text: string): string {
  return visibleText(text.replaceAll(/[ \t\r\n]+/g, " ")).trim();
}

/** For text without decisions, such as descriptions and plans: preserves emoji and typographic spaces. */
export function readableText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(EMOJI_OR_RUN, (run: string, ...groups: readonly unknown[]) =>
      groups[0] === undefined ? shown(run) : run,
    );
}

export function readableLine(text: string): string {
  return readableText(text.replaceAll(/[ \t\r\n]+/g, " ")).trim();
}

function withoutGaps(text: string): string {
  return text
    .replaceAll(BLANKS, blanks => ` ⟦${blanks.length} blanks⟧ `)
    .replaceAll(EMPTY_LINES, lines => `\n⟦${lines.split("\n").length - 2} empty lines⟧\n`);
}

/** `run`: one or more occurrences of the same character. */
function shown(run: string): string {
  const code = run.codePointAt(0) ?? 0,
    times = run.length / String.fromCodePoint(code).length;
  return `⟦U+${code.toString(16).toUpperCase().padStart(4, "0")}${times > 1 ? ` ×${times}` : ""}⟧`;
}
