/**
 * Keeps the first and last lines of a long text and counts the omitted lines.
 *
 * Invariants: a text of at most `head` characters is kept whole. Memory stays close to `head + tail` characters for any
 * input.
 */
const MAX_LINE_LENGTH = 2_000;
/** Number of dropped lines per removal from the array, because each removal shifts all others. */
const COMPACT_AT = 1_000;

export class Ends {
  readonly #first: string[] = [];
  /** Valid from index `#from`. */
  #last: string[] = [];
  #from = 0;
  #firstLength = 0;
  #lastLength = 0;
  #omitted = 0;

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
    for (; this.#lastLength > this.tail && this.#from < this.#last.length - 1; this.#from++, this.#omitted++) {
      this.#lastLength -= (this.#last[this.#from] ?? "").length + 1;
      this.#last[this.#from] = "";
    }
    if (this.#from < COMPACT_AT) return;
    this.#last = this.#last.slice(this.#from);
    this.#from = 0;
  }

  /** The retained text without trailing empty lines. */
  text(): string {
    const gap = this.#omitted === 0 ? [] : [`… (${this.#omitted} ${this.#omitted === 1 ? "line" : "lines"} omitted) …`];
    return [...this.#first, ...gap, ...this.#last.slice(this.#from)].join("\n").trimEnd();
  }
}

function cutLine(line: string): string {
  if (line.length <= MAX_LINE_LENGTH) return line;
  const copy = Buffer.from(line.slice(0, MAX_LINE_LENGTH)).toString(); // a slice would keep the whole line in memory
  return `${copy}… (${line.length - MAX_LINE_LENGTH} more characters)`;
}

/** Truncates a complete text like `Ends`. */
export function ends(text: string, head: number, tail: number): string {
  const bounded = new Ends(head, tail);
  for (const line of text.split("\n")) bounded.push(line);
  return bounded.text();
}
