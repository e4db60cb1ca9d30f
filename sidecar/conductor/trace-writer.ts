/**
 * Writes a trace, line by line, to a stream that may be slow.
 *
 * Invariants: the chain never waits for it; what waits to be written is bounded; what does not fit is left out, and a line
 * says how much; a stream that failed is left alone.
 */
import type { Writable } from "node:stream";
import type { Clock } from "../rpc/clock";
import type { Frame } from "../rpc/frame";
import type { Trace } from "./component";
import { traceEvent, type TraceEvent } from "./trace";

/** Bytes that may wait; one message more begins when there are fewer. */
const ENOUGH = 64 * 1024 * 1024;
/** How long the end waits for the disk. */
const PATIENCE_MS = 2000;

export class TraceWriter implements Trace, AsyncDisposable {
  readonly #output: Writable;
  readonly #clock: Clock;
  readonly #enough: number;
  readonly #began: number;
  #state: "writing" | "failed" | "closed" = "writing";
  #dropped = 0;

  /** Takes the stream over. `failed` is told once; `enough`: bytes that may wait. */
  constructor(output: Writable, clock: Clock, failed: (error: Error) => void, enough = ENOUGH) {
    this.#output = output;
    this.#clock = clock;
    this.#enough = enough;
    this.#began = clock.now();
    output.on("error", error => {
      if (this.#state === "writing") failed(error);
      this.#state = "failed";
    });
  }

  message(from: string, to: string, frame: Frame): void {
    if (this.#state !== "writing") return;
    if (this.#output.writableLength >= this.#enough) { this.#dropped++; return; }
    const event = traceEvent(from, to, frame, this.#ts());
    if (!event) return;
    this.#tellDropped();
    this.#write(event);
  }

  /** Resolves when everything is on disk, or after a while. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#state !== "writing") return;
    this.#tellDropped();
    this.#state = "closed";
    await new Promise<void>(resolve => {
      const late = this.#clock.after(PATIENCE_MS, () => { this.#output.destroy(); resolve(); });
      this.#output.once("close", () => { late[Symbol.dispose](); resolve(); });
      this.#output.end();
    });
  }

  #tellDropped(): void {
    if (this.#dropped === 0) return;
    this.#write({ type: "dropped", ts: this.#ts(), count: this.#dropped });
    this.#dropped = 0;
  }

  #write(event: TraceEvent): void { this.#output.write(`${JSON.stringify(event)}\n`); }

  /** Seconds, to the microsecond. */
  #ts(): number { return Math.round((this.#clock.now() - this.#began) * 1000) / 1e6; }
}
