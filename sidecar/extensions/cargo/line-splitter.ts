/**
 * Splits bytes into lines of text.
 *
 * Invariants: the lines do not depend on how the bytes are chunked. At most `limit` bytes are buffered. A longer line
 * is delivered in pieces of this size.
 */
const NEWLINE = 10;

export class Lines {
  #buffered: Buffer[] = [];
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
    this.#buffer(first === -1 ? chunk : chunk.subarray(0, first));
    if (first === -1) return;
    this.#flush();
    if (last > first) this.#splitLines(chunk.subarray(first + 1, last));
    this.#buffer(chunk.subarray(last + 1));
  }

  /** Delivers a last line without a newline. */
  end(): void {
    if (this.#bytes > 0) this.#flush();
  }

  /**
   * Delivers complete lines, given without the last newline. Short input is decoded in one step, because a program can
   * print large amounts of output.
   */
  #splitLines(lines: Buffer): void {
    if (lines.length <= this.limit) {
      for (const line of lines.toString().split("\n")) this.notify(line);
      return;
    }
    for (let start = 0; start <= lines.length; ) {
      const newline = lines.indexOf(NEWLINE, start),
        end = newline === -1 ? lines.length : newline;
      this.#buffer(lines.subarray(start, end));
      this.#flush();
      start = end + 1;
    }
  }

  #buffer(piece: Buffer): void {
    let rest = piece;
    while (this.#bytes + rest.length > this.limit) {
      const remaining = this.limit - this.#bytes;
      this.#buffered.push(rest.subarray(0, remaining));
      rest = rest.subarray(remaining);
      this.#flush();
    }
    if (rest.length === 0) return;
    this.#buffered.push(rest);
    this.#bytes += rest.length;
  }

  #flush(): void {
    const line = Buffer.concat(this.#buffered).toString();
    this.#buffered = [];
    this.#bytes = 0;
    this.notify(line);
  }
}

const CONTROLS = /[\x00-\x08\x0a-\x1f\x7f-\x9f]/;

/** The line as a terminal shows it: the text after the last carriage return, without control sequences. */
export function plain(line: string): string {
  if (!CONTROLS.test(line)) return line;
  const shown = line.replace(/\r+$/, "");
  return shown
    .slice(shown.lastIndexOf("\r") + 1)
    .replaceAll(/\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)/g, "")
    .replaceAll(/[\x00-\x08\x0a-\x1f\x7f-\x9f]/g, " ");
}
