/** Keeps the last `limit` bytes of a stream. Buffers at most twice as many. */
export class TailBuffer {
  #chunks: Buffer[] = [];
  #buffered = 0;
  #total = 0;

  constructor(readonly limit: number) {}

  /** Bytes received in total. */
  get total(): number {
    return this.#total;
  }

  push(chunk: Buffer): void {
    this.#total += chunk.length;
    this.#buffered += chunk.length;
    this.#chunks.push(chunk);
    if (this.#buffered <= 2 * this.limit) return;
    // A copy, so that the older chunks are released.
    const end = Buffer.from(Buffer.concat(this.#chunks).subarray(this.#buffered - this.limit));
    this.#chunks = [end];
    this.#buffered = end.length;
  }

  /** Decodes UTF-8. A truncated character at the start is dropped. */
  text(): string {
    const all = Buffer.concat(this.#chunks);
    let start = Math.max(0, all.length - this.limit);
    if (this.#total > all.length - start) while (((all[start] ?? 0) & 0xc0) === 0x80) start++;
    return all.subarray(start).toString();
  }
}
