/**
 * Lines that leave together. What stood side by side in the chunk that was read, and leaves in the same order, is one
 * piece again: nothing of it is copied. Else small pieces are copied into one, and large ones are not.
 */

/** When the pieces have fewer bytes than this on average it is cheaper to copy them than to write each. */
const SMALL = 4 * 1024;

export class LineBatch {
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** What was added last, and how long it has become: what follows it in memory makes it longer. */
  #last: Buffer | undefined;
  #length = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(piece: Buffer): void {
    const last = this.#last;
    this.#bytes += piece.length;
    if (last && piece.buffer === last.buffer && piece.byteOffset === last.byteOffset + this.#length) {
      this.#length += piece.length;
      return;
    }
    this.#closeLast();
    this.#last = piece;
    this.#length = piece.length;
  }

  /** What is to be written, one after the other. The batch is empty then. */
  take(): readonly Buffer[] {
    this.#closeLast();
    const pieces = this.#pieces,
      bytes = this.#bytes;
    this.#pieces = [];
    this.#bytes = 0;
    return pieces.length > 1 && bytes < SMALL * pieces.length ? [Buffer.concat(pieces, bytes)] : pieces;
  }

  #closeLast(): void {
    const last = this.#last,
      length = this.#length;
    if (!last) return;
    this.#pieces.push(last.length === length ? last : Buffer.from(last.buffer, last.byteOffset, length));
    this.#last = undefined;
  }
}
