/**
 * Splits a text into clauses of words. Sentence marks end a clause, and so do a comma, a dash and the word “but”. A
 * mark inside a word (`main.rs`, `3,5`, `std::vec`) does not. Runs in linear time.
 */

/** `text` is displayed, `key` (lower case, plain apostrophes) is compared. */
export interface Token {
  readonly text: string;
  readonly key: string;
}

export interface Clause {
  readonly words: readonly Token[];
  /** The reason for the end: a sentence mark, a comma (or dash), or `but`. */
  readonly end: "stop" | "comma" | "but";
}

const WIDE_MARKS: Readonly<Record<string, string>> = {
  "。": ". ",
  "．": ". ",
  "！": "! ",
  "？": "? ",
  "；": "; ",
  "：": ": ",
  "，": ", ",
  "、": ", ",
  "…": ". ",
  "—": " — ",
  "’": "'",
  "‘": "'",
};
const OPENING = new Set("\"“”„«»'([{*_~`");
const CLOSING = new Set("\"“”„«»'*_~`.,;:!?");
const BRACKETS = new Set(")]}");

/** Maximum words per clause; a longer clause is split. */
const CLAUSE_WORDS = 400;

export function word(text: string): Token {
  return { text, key: text.toLowerCase() };
}

export function* clauses(text: string): Generator<Clause> {
  const shouted = text === text.toUpperCase() && text !== text.toLowerCase();
  let words: Token[] = [];
  for (const [token] of spaced(shouted ? text.toLowerCase() : text).matchAll(/\S+/g)) {
    const { core, end } = bare(token);
    const but = core.toLowerCase() === "but";
    if (core !== "" && !but) words.push(word(words.length === 0 ? uncapitalised(core) : core));
    const ended = but ? "but" : (end ?? (words.length < CLAUSE_WORDS ? undefined : "stop"));
    if (ended !== undefined && words.length > 0) {
      yield { words, end: ended };
      words = [];
    }
  }
  if (words.length > 0) yield { words, end: "stop" };
}

function spaced(text: string): string {
  return text.replaceAll(/[。．！？；：，、…—’‘]/g, mark => WIDE_MARKS[mark] ?? mark);
}

/** Returns the word in a token without the surrounding quotes and marks, and the kind of mark that follows the word. */
function bare(token: string): { readonly core: string; readonly end: Clause["end"] | undefined } {
  let from = 0,
    to = token.length;
  while (from < to && OPENING.has(token.charAt(from))) from++;
  const inner = /[([{]/.test(token.slice(from)); // `main()` keeps its bracket, `(see main)` does not
  while (to > from && (CLOSING.has(token.charAt(to - 1)) || (!inner && BRACKETS.has(token.charAt(to - 1))))) to--;
  const core = token.slice(from, to);
  if (/^[-–—]+$/.test(core)) return { core: "", end: "comma" };
  const marks = token.slice(to);
  return { core, end: /[.;:!?]/.test(marks) ? "stop" : marks.includes(",") ? "comma" : undefined };
}

/** The first word of a clause without its capital; `I`, `CI` and `VSCode` keep theirs. */
function uncapitalised(text: string): string {
  return /^\p{Lu}\P{Lu}+$/u.test(text) ? text.toLowerCase() : text;
}
