/**
 * Reads a stream line by line, at the pace of the consumer.
 *
 *   ready ── `take` returns a promise ──▶ busy ── the promise settles ──▶ ready
 *   any ── stop, failure, all lines taken ──▶ over
 *
 * Invariants:
 * - Lines are split lazily and delivered one at a time, in order.
 * - While `take` is pending, the stream is paused at the next chunk.
 * - The end is reported once, after the last line.
 * - After `stop`, further data is discarded.
 */
import { finished, type Readable } from "node:stream";
import { LineSplitter } from "./line-splitter";

export interface LineConsumer {
  /** Receives a line in the form of `LineSplitter.next`. May throw or reject. */
  take(line: Buffer): void | Promise<void>;
  /** Receives the bytes after the last newline, if any. May throw or reject. */
  takeLast(line: Buffer): void | Promise<void>;
  /** `cause` is the error of the stream, if any. */
  ended(cause: Error | undefined): void;
  /** Reports a line that is too long (`LineTooLong`), or the error of `take`. The reader has stopped. */
  failed(error: unknown): void;
}

export class LineReader {
  readonly #input: Readable;
  readonly #lines: LineSplitter;
  readonly #taker: LineConsumer;
  #state: "ready" | "busy" | "over" = "ready";
  /** Chunks received while busy. A stream may emit further chunks after `pause`. */
  readonly #queued: Buffer[] = [];
  #streamEnd: { readonly cause: Error | undefined } | undefined;
  #chunks = 0;

  constructor(input: Readable, maxLine: number, taker: LineConsumer) {
    this.#input = input;
    this.#lines = new LineSplitter(maxLine);
    this.#taker = taker;
    input.on("data", (chunk: Uint8Array | string) =>
      this.#receive(Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk)),
    );
    finished(input, { writable: false }, error => {
      this.#streamEnd = { cause: error ?? undefined };
      if (this.#state === "ready") this.#end();
    });
  }

  /** Number of chunks received. */
  get chunks(): number {
    return this.#chunks;
  }

  stop(): void {
    this.#state = "over";
    this.#queued.length = 0;
    this.#input.resume(); // so that the writer is not blocked
  }

  /** Most waits end before the next chunk, so the stream is paused only when a chunk arrives while busy. */
  #receive(chunk: Buffer): void {
    this.#chunks++;
    if (this.#state === "over") return;
    if (this.#state === "ready") return this.#takeAll(chunk);
    this.#queued.push(chunk);
    this.#input.pause();
  }

  #takeAll(chunk: Buffer): void {
    this.#lines.push(chunk);
    this.#deliver();
  }

  #deliver(): void {
    try {
      for (let line = this.#lines.next(); line; line = this.#lines.next()) {
        const busy = this.#taker.take(line);
        if (this.#isOver()) return;
        if (busy) return this.#wait(busy, () => this.#deliver());
      }
    } catch (error) {
      return this.#fail(error);
    }
    const chunk = this.#queued.shift();
    if (chunk) return this.#takeAll(chunk);
    if (this.#streamEnd) return this.#end();
    if (this.#input.isPaused()) this.#input.resume();
  }

  #wait(busy: Promise<void>, then: () => void): void {
    this.#state = "busy";
    busy
      .then(() => {
        if (this.#isOver()) return;
        this.#state = "ready";
        then();
      })
      .catch((error: unknown) => this.#fail(error));
  }

  #end(): void {
    const line = this.#lines.end();
    try {
      const busy = line.length > 0 && this.#taker.takeLast(line);
      if (busy) return this.#wait(busy, () => this.#end());
    } catch (error) {
      return this.#fail(error);
    }
    if (!this.#isOver()) {
      this.#state = "over";
      this.#taker.ended(this.#streamEnd?.cause);
    }
  }

  #isOver(): boolean {
    return this.#state === "over";
  }

  #fail(error: unknown): void {
    if (this.#isOver()) return;
    this.stop();
    this.#taker.failed(error);
  }
}
