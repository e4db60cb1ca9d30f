/**
 * One place of a text replaced: `old` has to be there exactly once. Line ends are no difference: models write `\n`, and
 * a file with `\r\n` keeps them. Pure.
 */

export type Edit =
  | {
      readonly kind: "edited";
      readonly text: string /** Of the first line that was touched, from 1. */;
      readonly line: number;
    }
  /** `similar`: lines that are like its first one but for white space. */
  | { readonly kind: "absent"; readonly similar: readonly number[] }
  /** `lines`: where it begins, the first few of `times`. */
  | { readonly kind: "several"; readonly lines: readonly number[]; readonly times: number }
  | { readonly kind: "same" | "empty" };

/** As many line numbers as are told. */
const MOST_LINES = 10;

export function edit(text: string, old: string, fresh: string): Edit {
  const whole = plain(text),
    wanted = plain(old);
  if (wanted === "") return { kind: "empty" };
  if (wanted === plain(fresh)) return { kind: "same" };
  const places = placesOf(whole, wanted),
    [at] = places.first;
  if (at === undefined) return { kind: "absent", similar: similarLines(whole, wanted) };
  if (places.times > 1)
    return { kind: "several", lines: places.first.map(place => lineOf(whole, place)), times: places.times };
  const start = inRaw(text, at),
    end = inRaw(text, at + wanted.length),
    gone = text.slice(start, end);
  return {
    kind: "edited",
    text: text.slice(0, start) + withEnds(fresh, endOf(gone) ?? endOf(text) ?? "\n") + text.slice(end),
    line: lineOf(whole, at),
  };
}

/**
 * The text with the mark at the beginning that another one has, and with the line ends that it has throughout; as they
 * are, where that has none, or both kinds.
 */
export function inFormOf(other: string, text: string): string {
  const ends = other.match(/\r?\n/g),
    [first] = ends ?? [],
    marked = other.startsWith(MARK) && !text.startsWith(MARK) ? MARK + text : text;
  return first !== undefined && ends?.every(each => each === first) === true ? withEnds(marked, first) : marked;
}

/** What some programs know UTF-8 by; readers are not shown it. */
const MARK = "\uFEFF";

export function plain(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

function withEnds(text: string, end: string): string {
  return plain(text).replaceAll("\n", end);
}

/** The first one. */
function endOf(text: string): string | undefined {
  return /\r?\n/.exec(text)?.[0];
}

/** Also those that overlap: which of them was meant nobody knows. */
function placesOf(text: string, wanted: string): { readonly first: readonly number[]; readonly times: number } {
  const first: number[] = [];
  let times = 0;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1))
    if (++times <= MOST_LINES) first.push(at);
  return { first, times };
}

/** Where in the text itself an offset of its plain form is. */
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
        .slice(0, MOST_LINES);
}

function bare(line: string): string {
  return line.trim().replaceAll(/\s+/g, " ");
}
