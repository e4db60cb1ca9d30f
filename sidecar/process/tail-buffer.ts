/** The end of a stream of bytes, for last words: `limit` of them are kept, at most twice as many held. */
export class TailBuffer {
  #chunks: Buffer[] = [];
  #held = 0;
  #total = 0;

  constructor(readonly limit: number) {}

  /** All that ever came. */
  get total(): number {
    return this.#total;
  }

  push(chunk: Buffer): void {
    this.#total += chunk.length;
    this.#held += chunk.length;
    this.#chunks.push(chunk);
    if (this.#held <= 2 * this.limit) return;
    // a copy: the rest is let go
    const end = Buffer.from(Buffer.concat(this.#chunks).subarray(this.#held - this.limit));
    this.#chunks = [end];
    this.#held = end.length;
  }

  /** UTF-8; a character that was cut in two at the beginning is left out. */
  text(): string {
    const all = Buffer.concat(this.#chunks);
    let start = Math.max(0, all.length - this.limit);
    if (this.#total > all.length - start) while (((all[start] ?? 0) & 0xc0) === 0x80) start++;
    return all.subarray(start).toString();
  }
}
