/**
 * Writes a trace, line by line, to files on a disk that may be slow. When a file is full, another one is opened.
 *
 * Invariants:
 * - The chain never waits for the trace.
 * - The buffer is bounded. Messages that do not fit are dropped, and a line records their number.
 * - After a stream has failed, no more lines are written.
 */
import type { Writable } from "node:stream";
import type { Clock } from "../rpc/clock";
import type { Frame } from "../rpc/frame";
import type { Trace } from "./component";
import { traceEvent, type TraceEvent } from "./trace";

export interface TraceLimits {
  /** Size of the buffer in bytes. A message is accepted until the buffer reaches this size. */
  readonly waitingBytes: number;
  /** Size of a file in bytes. The message that reaches this size is the last of the file. */
  readonly fileBytes: number;
}
const LIMITS: TraceLimits = { waitingBytes: 64 * 1024 * 1024, fileBytes: 64 * 1024 * 1024 };
/** Maximum milliseconds to wait for the disk when the trace is closed. */
const CLOSE_TIMEOUT_MS = 2000;

export class TraceWriter implements Trace, AsyncDisposable {
  readonly #open: () => Writable;
  readonly #clock: Clock;
  readonly #failed: (error: Error) => void;
  readonly #limits: TraceLimits;
  readonly #startedAt: number;
  #output: Writable;
  /** Bytes in the current file. */
  #written = 0;
  /** The previous file, while it is not closed. */
  #previous: Writable | undefined;
  #state: "writing" | "failed" | "closed" = "writing";
  #dropped = 0;

  /** `open` creates each file and may throw. The writer owns the streams. `failed` is called at most once. */
  constructor(open: () => Writable, clock: Clock, failed: (error: Error) => void, limits: Partial<TraceLimits> = {}) {
    this.#open = open;
    this.#clock = clock;
    this.#failed = failed;
    this.#limits = { ...LIMITS, ...limits };
    this.#startedAt = clock.now();
    this.#output = this.#watched(open());
  }

  message(from: string, to: string, frame: Frame): void {
    if (this.#state !== "writing") return;
    if (this.#output.writableLength + (this.#previous?.writableLength ?? 0) >= this.#limits.waitingBytes) {
      this.#dropped++;
      return;
    }
    const event = traceEvent(from, to, frame, this.#ts());
    if (!event) return;
    this.#writeDropped();
    this.#write(event);
  }

  /** Resolves when all lines are on disk, or after `CLOSE_TIMEOUT_MS`. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#state !== "writing") return;
    this.#writeDropped();
    this.#state = "closed";
    this.#output.end();
    await Promise.all([this.#closed(this.#output), ...(this.#previous ? [this.#closed(this.#previous)] : [])]);
  }

  #closed(output: Writable): Promise<void> {
    return new Promise(resolve => {
      const timer = this.#clock.after(CLOSE_TIMEOUT_MS, () => {
        output.destroy();
        resolve();
      });
      output.once("close", () => {
        timer[Symbol.dispose]();
        resolve();
      });
    });
  }

  #watched(output: Writable): Writable {
    return output.on("error", error => this.#fail(error));
  }

  #fail(error: Error): void {
    const wasWriting = this.#state === "writing";
    this.#state = "failed";
    if (wasWriting) this.#failed(error);
  }

  /**
   * Opens the next file if the current one is full and the previous one is closed, so that at most two files are open.
   * Called before a write, so that no file is empty.
   */
  #rotate(): void {
    if (this.#written < this.#limits.fileBytes || this.#previous) return;
    const previous = this.#output;
    try {
      this.#output = this.#watched(this.#open());
    } catch (error) {
      previous.end();
      return this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
    this.#written = 0;
    this.#previous = previous;
    previous
      .once("close", () => {
        this.#previous = undefined;
      })
      .end();
  }

  #writeDropped(): void {
    if (this.#dropped === 0) return;
    this.#write({ type: "dropped", ts: this.#ts(), count: this.#dropped });
    this.#dropped = 0;
  }

  #write(event: TraceEvent): void {
    this.#rotate();
    if (this.#state === "failed") return;
    const line = Buffer.from(`${JSON.stringify(event)}\n`);
    this.#output.write(line);
    this.#written += line.length;
  }

  /** Seconds since the start of the trace, rounded to microseconds. */
  #ts(): number {
    return Math.round((this.#clock.now() - this.#startedAt) * 1000) / 1e6;
  }
}
