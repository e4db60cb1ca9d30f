/**
 * Splits bytes into lines of text.
 *
 * Invariants: the lines do not depend on how the bytes are chunked. At most `limit` bytes are buffered; a longer line
 * is delivered in pieces of that size.
 */
const NEWLINE = 10;

export class Lines {
  #held: Buffer[] = [];
  #bytes = 0;
  #total = 0;

  constructor(
    private readonly limit: number,
    private readonly notify: (line: string) => void,
  ) {}

  /** Total number of bytes received. */
  get total(): number {
    return this.#total;
  }

  push(chunk: Buffer): void {
    this.#total += chunk.length;
    const first = chunk.indexOf(NEWLINE),
      last = chunk.lastIndexOf(NEWLINE);
    this.#hold(first === -1 ? chunk : chunk.subarray(0, first));
    if (first === -1) return;
    this.#report();
    if (last > first) this.#whole(chunk.subarray(first + 1, last));
    this.#hold(chunk.subarray(last + 1));
  }

  /** Delivers a last line without a newline. */
  end(): void {
    if (this.#bytes > 0) this.#report();
  }

  /**
   * Delivers complete lines, given without the last newline. Short input is decoded in one step, because a program can
   * print large amounts of output.
   */
  #whole(lines: Buffer): void {
    if (lines.length <= this.limit) {
      for (const line of lines.toString().split("\n")) this.notify(line);
      return;
    }
    for (let start = 0; start <= lines.length; ) {
      const newline = lines.indexOf(NEWLINE, start),
        end = newline === -1 ? lines.length : newline;
      this.#hold(lines.subarray(start, end));
      this.#report();
      start = end + 1;
    }
  }

  #hold(piece: Buffer): void {
    let rest = piece;
    while (this.#bytes + rest.length > this.limit) {
      const remaining = this.limit - this.#bytes;
      this.#held.push(rest.subarray(0, remaining));
      rest = rest.subarray(remaining);
      this.#report();
    }
    if (rest.length === 0) return;
    this.#held.push(rest);
    this.#bytes += rest.length;
  }

  #report(): void {
    const line = Buffer.concat(this.#held).toString();
    this.#held = [];
    this.#bytes = 0;
    this.notify(line);
  }
}

const CONTROLS = /[\x00-\x08\x0a-\x1f\x7f-\x9f]/;

/** The line as a terminal finally shows it: without colours, and only the text after the last carriage return. */
export function plain(line: string): string {
  if (!CONTROLS.test(line)) return line;
  const shown = line.replace(/\r+$/, "");
  return shown
    .slice(shown.lastIndexOf("\r") + 1)
    .replaceAll(/\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)/g, "")
    .replaceAll(/[\x00-\x08\x0a-\x1f\x7f-\x9f]/g, " ");
}
