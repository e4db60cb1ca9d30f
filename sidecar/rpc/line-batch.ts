/**
 * Collects lines for one write. Adjacent slices of one read chunk are merged without copying. If the remaining pieces
 * are small on average, they are copied into one buffer.
 */

/** Bytes. Below this average piece size, copying is cheaper than one write per piece. */
const SMALL = 4 * 1024;

export class LineBatch {
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** The last piece, not yet in `#pieces`, and its length. A piece that is adjacent in memory extends it. */
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

  /** Returns the pieces to write, in order, and empties the batch. */
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
