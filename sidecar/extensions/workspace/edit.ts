/**
 * Replaces the only occurrence of a text. The comparison ignores the kind of line ends: models write `\n`, and a file
 * with `\r\n` keeps it. Pure.
 */

export type Edit =
  | {
      readonly kind: "edited";
      readonly text: string;
      /** First changed line, 1-based. */
      readonly line: number;
    }
  /** `similar`: lines that equal the first line of `old` except for white space. */
  | { readonly kind: "absent"; readonly similar: readonly number[] }
  /** `lines`: start lines of the first occurrences. `times`: total number of occurrences. */
  | { readonly kind: "several"; readonly lines: readonly number[]; readonly times: number }
  | { readonly kind: "same" | "empty" };

/** Maximum number of reported line numbers. */
const MAX_LINES = 10;

export function edit(text: string, old: string, replacement: string): Edit {
  const whole = plain(text),
    wanted = plain(old);
  if (wanted === "") return { kind: "empty" };
  if (wanted === plain(replacement)) return { kind: "same" };
  const places = placesOf(whole, wanted),
    [at] = places.first;
  if (at === undefined) return { kind: "absent", similar: similarLines(whole, wanted) };
  if (places.times > 1)
    return { kind: "several", lines: places.first.map(place => lineOf(whole, place)), times: places.times };
  const start = inRaw(text, at),
    end = inRaw(text, at + wanted.length),
    removed = text.slice(start, end);
  return {
    kind: "edited",
    text: text.slice(0, start) + withEnds(replacement, endOf(removed) ?? endOf(text) ?? "\n") + text.slice(end),
    line: lineOf(whole, at),
  };
}

/**
 * Applies the byte order mark and the line ends of `original` to `text`. Line ends stay unchanged if `original` has no
 * or mixed line ends.
 */
export function inFormOf(original: string, text: string): string {
  const ends = original.match(/\r?\n/g),
    [first] = ends ?? [],
    withBom = original.startsWith(BOM) && !text.startsWith(BOM) ? BOM + text : text;
  return first !== undefined && ends?.every(each => each === first) === true ? withEnds(withBom, first) : withBom;
}

/** UTF-8 byte order mark. `lines.ts` omits it. */
const BOM = "\uFEFF";

export function plain(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

function withEnds(text: string, end: string): string {
  return plain(text).replaceAll("\n", end);
}

/** The first line end. */
function endOf(text: string): string | undefined {
  return /\r?\n/.exec(text)?.[0];
}

/** Includes overlapping occurrences, because the intended occurrence is unknown. */
function placesOf(text: string, wanted: string): { readonly first: readonly number[]; readonly times: number } {
  const first: number[] = [];
  let times = 0;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1))
    if (++times <= MAX_LINES) first.push(at);
  return { first, times };
}

/** Converts an offset in the normalized text to an offset in the original text. */
function inRaw(text: string, offset: number): number {
  let pairs = 0;
  for (let at = text.indexOf("\r\n"); at !== -1 && at - pairs < offset; at = text.indexOf("\r\n", at + 2)) pairs++;
  return offset + pairs;
}

function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

function similarLines(text: string, wanted: string): readonly number[] {
  const first = wanted
    .split("\n")
    .map(bare)
    .find(line => line !== "");
  return first === undefined
    ? []
    : text
        .split("\n")
        .flatMap((line, i) => (bare(line) === first ? [i + 1] : []))
        .slice(0, MAX_LINES);
}

function bare(line: string): string {
  return line.trim().replaceAll(/\s+/g, " ");
}
