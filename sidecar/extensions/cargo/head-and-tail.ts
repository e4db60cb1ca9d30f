/**
 * The beginning and the end of a long text, by whole lines: what is left out of the middle is counted.
 *
 * Invariants: a text of `head` characters or less is kept whole, and however much comes, not much more than `head +
 * tail` characters are held.
 */
const LONGEST_LINE = 2_000;
/** Lines that are let go of together: one by one, each would move all the others. */
const LET_GO = 1_000;

export class Ends {
  readonly #first: string[] = [];
  /** From `#from` on. */
  #last: string[] = [];
  #from = 0;
  #firstLength = 0;
  #lastLength = 0;
  #leftOut = 0;

  constructor(
    private readonly head: number,
    private readonly tail: number,
  ) {}

  get isEmpty(): boolean {
    return this.#first.length === 0 && this.#last.length === 0;
  }

  push(given: string): void {
    const line = cutLine(given),
      length = line.length + 1;
    if (this.#last.length === 0 && this.#firstLength + length <= this.head) {
      this.#first.push(line);
      this.#firstLength += length;
      return;
    }
    this.#last.push(line);
    this.#lastLength += length;
    for (; this.#lastLength > this.tail && this.#from < this.#last.length - 1; this.#from++, this.#leftOut++) {
      this.#lastLength -= (this.#last[this.#from] ?? "").length + 1;
      this.#last[this.#from] = "";
    }
    if (this.#from < LET_GO) return;
    this.#last = this.#last.slice(this.#from);
    this.#from = 0;
  }

  /** Without empty lines at its end. */
  text(): string {
    const gap =
      this.#leftOut === 0 ? [] : [`… (${this.#leftOut} ${this.#leftOut === 1 ? "line" : "lines"} left out) …`];
    return [...this.#first, ...gap, ...this.#last.slice(this.#from)].join("\n").trimEnd();
  }
}

function cutLine(line: string): string {
  if (line.length <= LONGEST_LINE) return line;
  const copy = Buffer.from(line.slice(0, LONGEST_LINE)).toString(); // a slice would hold all of it
  return `${copy}… (${line.length - LONGEST_LINE} more characters)`;
}

/** The same for a text that is there already. */
export function ends(text: string, head: number, tail: number): string {
  const kept = new Ends(head, tail);
  for (const line of text.split("\n")) kept.push(line);
  return kept.text();
}
