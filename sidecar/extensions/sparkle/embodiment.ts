/**
 * Composes the embodiment: all stored notes as one text of limited size. Pure.
 *
 * Invariants:
 * - The text has at most `limit` bytes.
 * - The opening is always present.
 * - A section that needs less than an even share leaves the rest to the others.
 * - A list keeps its first pieces.
 * - The text states each omission with the file that contains the full text.
 */
import { harmless, markBytes } from "./marks";

export interface Section {
  readonly title: string;
  /** Path as shown to the user. */
  readonly file: string;
  /** Most important first. If a piece is omitted, all later pieces are omitted. Not empty. */
  readonly pieces: readonly string[];
}

/** Returns a text without marks. `limit`: maximum size including the marks, in bytes of UTF-8; at least `MIN_BYTES`. */
export function compose(opening: string, given: readonly Section[], limit: number): string {
  const sections = given.map(
    ({ title, file, pieces }): Section => ({
      title: harmless(title),
      file: harmless(file),
      pieces: pieces.map(harmless),
    }),
  );
  const base = harmless(opening),
    available = limit - markBytes("embodiment") - bytes(base);
  const whole = sections.map(section => rendered(section, Infinity)),
    needed = whole.map(bytes);
  if (sum(needed) <= available) return base + whole.join("");
  const omittedLine = (titles: readonly string[]): string =>
    titles.length === 0 ? "" : `\n\nOmitted because of the size limit: ${titles.join(", ")}.`;
  const shares = shared(needed, available - bytes(omittedLine(sections.map(({ title }) => title))));
  const fitting = sections.map((section, i) => rendered(section, shares[i] ?? 0));
  return base + fitting.join("") + omittedLine(sections.flatMap(({ title }, i) => (fitting[i] === "" ? [title] : [])));
}

/** Distributes `available` evenly. An entry that needs less leaves the rest to the others. */
export function shared(needed: readonly number[], available: number): readonly number[] {
  const shares = needed.map(() => 0);
  let remaining = Math.max(0, available),
    waiting = needed.length;
  for (const { need, i } of needed.map((need, i) => ({ need, i })).sort((a, b) => a.need - b.need)) {
    const share = Math.min(need, Math.floor(remaining / waiting--));
    shares[i] = share;
    remaining -= share;
  }
  return shares;
}

/** Minimum size of a partial piece, in bytes. A section with a shorter piece is omitted. */
const MIN_PIECE_BYTES = 80;

/** At most `available` bytes. Empty if the section does not fit. */
function rendered({ title, file, pieces }: Section, available: number): string {
  const head = `\n\n## ${title}\n(${file})\n`;
  const whole = [head, ...pieces.map(piece => `\n${piece}\n`)].join("").trimEnd();
  if (bytes(whole) <= available) return whole;
  const isList = pieces.length > 1,
    rest = (remaining: number): string =>
      isList ? `\n\n… ${remaining} older: see ${file}.` : `\n\n… The rest is in ${file}.`;
  let text = head,
    taken = 0;
  for (const piece of pieces) {
    const next = `${text}\n${piece}\n`;
    if (bytes(next) + bytes(rest(pieces.length)) > available) break;
    text = next;
    taken++;
  }
  if (taken > 0) return text.trimEnd() + rest(pieces.length - taken);
  const pieceBytes = available - bytes(head) - bytes("\n …") - bytes(rest(pieces.length));
  return pieceBytes < MIN_PIECE_BYTES
    ? ""
    : `${head}\n${beginning(pieces[0] ?? "", pieceBytes).trimEnd()}${isList ? ` …${rest(pieces.length - 1)}` : rest(0)}`;
}

/** At most `maxBytes` bytes. Truncates at a character, or at a line end if that omits less than half. */
export function beginning(text: string, maxBytes: number): string {
  const all = Buffer.from(text);
  if (all.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && ((all[end] ?? 0) & 0xc0) === 0x80) end--;
  const line = all.lastIndexOf(0x0a, end);
  return all.toString("utf8", 0, line > end / 2 ? line : end);
}

function bytes(text: string): number {
  return Buffer.byteLength(text);
}
function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}
