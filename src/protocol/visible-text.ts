/**
 * Text of others in which nothing hides: a character that cannot be seen, or that changes what one reads, is shown as
 * its number, `⟦U+202E⟧`. For what a person decides by: questions, titles, options, programs, addresses. Pure.
 *
 * Invariants: every code point that Unicode calls ignorable, white space or a control character is shown, but single
 * blanks, tabs and line feeds; text cannot be pushed out of sight by many of them. Linear.
 */

/**
 * Besides what is ignorable by default: controls, halves of characters, marks of annotations, and blanks with ink in
 * no font.
 */
const HIDDEN =
  /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cs}\p{White_Space}\p{Bidi_Control}\p{Zl}\p{Zp}\u2800\uFFF9-\uFFFC\u{13441}\u{13442}\u{16FE4}\u{1D159}]/u;
const RUN = new RegExp(`(?![ \\t\\n])(${HIDDEN.source})\\1*`, "gu");

/** An emoji as it is typed: with the selector of its picture, a colour of skin, and joined to others. */
const PICTURE = "\\p{Extended_Pictographic}\\uFE0F?\\p{Emoji_Modifier}?";
const EMOJI_OR_RUN = new RegExp(
  `(${PICTURE}(?:\\u200D${PICTURE})*|[#*\\d]\\uFE0F\\u20E3)|(?!\\p{Zs})${RUN.source.replace("\\1", "\\2")}`,
  "gu",
);

/** Blanks and empty lines that may follow each other. */
const MOST_BLANKS = 40,
  MOST_EMPTY_LINES = 4;
const BLANKS = new RegExp(`[ \\t]{${MOST_BLANKS + 1},}`, "g"),
  EMPTY_LINES = new RegExp(`\\n(?:[ \\t]*\\n){${MOST_EMPTY_LINES + 1},}`, "g");

/** All that hides is shown. Line ends of Windows are plain ones. */
export function visibleText(text: string): string {
  return withoutGaps(text.replaceAll("\r\n", "\n")).replaceAll(RUN, shown);
}

/** The same on one line. */
export function visibleLine(text: string): string {
  return visibleText(text.replaceAll(/[ \t\r\n]+/g, " ")).trim();
}

/** For what nobody decides by, as descriptions and plans: emoji and the blanks of typography stay what they are. */
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

/** `run`: one character, once or more often. */
function shown(run: string): string {
  const code = run.codePointAt(0) ?? 0,
    times = run.length / String.fromCodePoint(code).length;
  return `⟦U+${code.toString(16).toUpperCase().padStart(4, "0")}${times > 1 ? ` ×${times}` : ""}⟧`;
}
