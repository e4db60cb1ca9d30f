/**
 * Splits a byte stream into lines, independent of its chunks. Only `\n` ends a line; U+2028 and a lone `\r` are text.
 *
 * Invariants:
 * - A line is returned when its newline has arrived.
 * - At most one unfinished line of at most `maxLine` bytes is buffered.
 * - A line within one chunk is not copied. Large pieces of a line are copied once, small ones a bounded number of
 *   times.
 */
export class LineTooLong extends Error {
  override readonly name = "LineTooLong";
}

const NEWLINE = 0x0a,
  RETURN = 0x0d;
/** Bytes. A piece of a line of at least this size is kept uncopied until the line is complete. */
const LARGE = 16 * 1024;
const EMPTY = Buffer.alloc(0);

export class LineSplitter {
  #chunk: Buffer = EMPTY;
  #at = 0;
  /** The unfinished line: its pieces, then the buffer that collects small pieces. */
  #pieces: Buffer[] = [];
  #gathered: Buffer = EMPTY;
  #gatheredLength = 0;
  #length = 0;

  constructor(readonly maxLine: number) {}

  /** Number of bytes in the unfinished line. */
  get pending(): number {
    return this.#length;
  }

  /** Adds the next chunk. All lines of the previous chunk must have been returned. */
  push(chunk: Buffer): void {
    this.#chunk = chunk;
    this.#at = 0;
  }

  /**
   * Returns the next line, with its `\n` or without its `\r\n`. Returns undefined when another chunk is needed. Throws
   * `LineTooLong`.
   */
  next(): Buffer | undefined {
    const chunk = this.#chunk,
      start = this.#at;
    if (start === chunk.length) return undefined;
    const newline = chunk.indexOf(NEWLINE, start),
      end = newline === -1 ? chunk.length : newline;
    if (this.#length + end - start > this.maxLine) throw new LineTooLong(`a line of more than ${this.maxLine} bytes`);
    const next = (this.#at = newline === -1 ? end : end + 1);
    const piece = start === 0 && next === chunk.length ? chunk : chunk.subarray(start, next);
    if (newline !== -1 && this.#length === 0) return withoutReturn(piece);
    this.#append(piece);
    return newline === -1 ? undefined : withoutReturn(this.#take());
  }

  /** Returns the bytes after the last newline; may be empty. */
  end(): Buffer {
    const line = this.#take();
    return line[line.length - 1] === RETURN ? line.subarray(0, -1) : line;
  }

  #append(piece: Buffer): void {
    this.#length += piece.length;
    if (piece.length < LARGE) return this.#gather(piece);
    this.#flushGathered();
    this.#pieces.push(piece);
  }

  #gather(piece: Buffer): void {
    const length = this.#gatheredLength + piece.length;
    if (length > this.#gathered.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#gathered.length));
      this.#gathered.copy(grown, 0, 0, this.#gatheredLength);
      this.#gathered = grown;
    }
    piece.copy(this.#gathered, this.#gatheredLength);
    this.#gatheredLength = length;
  }

  #flushGathered(): void {
    if (this.#gatheredLength === 0) return;
    this.#pieces.push(this.#gathered.subarray(0, this.#gatheredLength));
    this.#gathered = EMPTY;
    this.#gatheredLength = 0;
  }

  #take(): Buffer {
    this.#flushGathered();
    const pieces = this.#pieces,
      [first = EMPTY] = pieces;
    const line = pieces.length > 1 ? Buffer.concat(pieces, this.#length) : first;
    this.#pieces = [];
    this.#length = 0;
    return line;
  }
}

function withoutReturn(line: Buffer): Buffer {
  return line[line.length - 2] === RETURN ? line.subarray(0, -2) : line;
}
