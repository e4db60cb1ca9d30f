/** Retains the beginning and the end of a command's output, with the number of omitted characters. */
import { wholeCharacters } from "./line-range";

/** Maximum number of characters per stream. */
const FIRST = 10_000,
  LAST = 20_000;

export class HeadAndTail {
  #first = "";
  #last = "";
  #total = 0;

  constructor(
    private readonly first = FIRST,
    private readonly last = LAST,
  ) {}

  push(text: string): void {
    const remaining = Math.max(0, this.first - this.#total);
    this.#total += text.length;
    this.#first += text.slice(0, remaining);
    this.#last += text.slice(remaining);
    if (this.#last.length > 2 * this.last) this.#last = this.#last.slice(-this.last);
  }

  /** Without colours and other terminal escape sequences. */
  toString(): string {
    if (this.#total <= this.first + this.last) return readable(this.#first + this.#last);
    const first = wholeCharacters(`${this.#first} `, this.#first.length),
      end = this.#last.slice(-this.last),
      last = /^[\uDC00-\uDFFF]/.test(end) ? end.slice(1) : end;
    return readable(`${first}\n[${this.#total - first.length - last.length} characters are omitted.]\n${last}`);
  }
}

function readable(text: string): string {
  return text
    .replaceAll(/\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[()][A-Z0-9]|.)/g, "")
    .replaceAll("\r\n", "\n");
}
