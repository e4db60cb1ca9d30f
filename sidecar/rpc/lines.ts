/**
 * Cuts a stream of bytes into lines, at `\n` only (U+2028 and a lone `\r` are text), however it was cut into chunks.
 *
 * Invariants: a line is handed out when its newline has come, without it and without one `\r` before it; what is held is one
 * unfinished line of at most `maxLine` bytes; every byte is copied a bounded number of times, also in chunks of one byte.
 */
export class LineTooLong extends Error {
  override readonly name = "LineTooLong";
}

const NEWLINE = 0x0a, RETURN = 0x0d;

export class LineSplitter {
  #held: Buffer = Buffer.alloc(0);
  #length = 0;

  constructor(readonly maxLine: number) {}

  /** Bytes of the unfinished line. */
  get pending(): number { return this.#length; }

  /** The lines that `chunk` completes, cut as they are asked for. Take them all before the next `push`. Throws `LineTooLong`. */
  *push(chunk: Buffer): Generator<Buffer, void, undefined> {
    let start = 0;
    for (let newline = chunk.indexOf(NEWLINE); newline !== -1; newline = chunk.indexOf(NEWLINE, start)) {
      const piece = chunk.subarray(start, newline);
      start = newline + 1;
      this.#check(piece.length);
      if (this.#length === 0) yield withoutReturn(piece);
      else { this.#hold(piece); yield withoutReturn(this.#take()); }
    }
    this.#check(chunk.length - start);
    if (start < chunk.length) this.#hold(chunk.subarray(start));
  }

  /** What came after the last newline; empty when nothing did. */
  end(): Buffer {
    return withoutReturn(this.#take());
  }

  #check(more: number): void {
    if (this.#length + more > this.maxLine) throw new LineTooLong(`a line of more than ${this.maxLine} bytes`);
  }

  #hold(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (length > this.#held.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(length, Math.min(2 * this.#held.length, this.maxLine)));
      this.#held.copy(grown, 0, 0, this.#length);
      this.#held = grown;
    }
    piece.copy(this.#held, this.#length);
    this.#length = length;
  }

  #take(): Buffer {
    const line = this.#held.subarray(0, this.#length);
    this.#held = Buffer.alloc(0);
    this.#length = 0;
    return line;
  }
}

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === RETURN ? line.subarray(0, -1) : line;
}
