/**
 * A channel over two byte streams: one JSON message per line (ACP's stdio transport).
 *
 *   waiting ── start ──▶ open ── input ends ──▶ ending ── reason known ──▶ closed
 *      └──────────────────┴── dispose, output fails, line too long ─────────▶┘
 *
 * Invariants:
 * - Every delivered frame has a valid envelope. An invalid line is reported to `garbage`. If the line starts like JSON,
 *   an error with a null id is sent.
 * - Reading pauses until the promise of `receive` settles.
 * - Frames sent in one tick of the event loop are written together.
 * - An oversized line closes the channel, because the discarded message may be a response.
 */
import type { Readable, Writable } from "node:stream";
import type { Channel, Closed, Receiver } from "./channel";
import { Frame, FrameError } from "./frame";
import { LineBatch } from "./line-batch";
import { LineReader } from "./line-reader";
import { LineTooLong } from "./line-splitter";
import { RpcCode, type RpcErrorObject } from "./message";

export interface NdjsonOptions {
  /** Maximum line length in bytes. Defaults to 64 MiB. */
  readonly maxLine?: number;
  /** Reports the first 1,000 bytes of an invalid line, and the reason. */
  garbage?(line: string, why: string): void;
  /**
   * Returns the reason why the streams ended, for example the exit status of the process. The channel closes when the
   * promise settles.
   */
  closedReason?(): Closed | Promise<Closed>;
}

/**
 * Takes ownership of both streams. `start` starts reading. When the channel closes, `output` is ended and further input
 * is discarded.
 */
export function ndjsonChannel(input: Readable, output: Writable, options: NdjsonOptions = {}): Channel {
  return new NdjsonChannel(input, output, options);
}

type State =
  | { readonly kind: "waiting" }
  | { readonly kind: "open" | "ending"; readonly receiver: Receiver }
  | { readonly kind: "closed"; readonly reason: Closed };

const MAX_LINE = 64 * 1024 * 1024,
  BATCH = 64 * 1024,
  EXCERPT = 1000;
const SPACE = 0x20,
  BRACE = 0x7b,
  BRACKET = 0x5b;

class NdjsonChannel implements Channel {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #options: NdjsonOptions;
  readonly #maxLine: number;
  readonly #unsent = new LineBatch();
  #state: State = { kind: "waiting" };
  #reader: LineReader | undefined;
  #waiting: (() => void)[] = [];

  constructor(input: Readable, output: Writable, options: NdjsonOptions) {
    this.#input = input;
    this.#output = output;
    this.#options = options;
    this.#maxLine = options.maxLine ?? MAX_LINE;
    input.on("error", () => {}); // the reader reports errors; an unhandled late error would crash the process
    output.on("drain", () => this.#release());
    output.on("error", error => this.#outputFailed(error));
    output.on("close", () => this.#outputFailed(undefined));
  }

  start(receiver: Receiver): void {
    const state = this.#state;
    if (state.kind === "closed") return queueMicrotask(() => receiver.closed(state.reason));
    if (state.kind !== "waiting") throw new Error("a channel can be started only once");
    this.#state = { kind: "open", receiver };
    this.#reader = new LineReader(this.#input, this.#maxLine, {
      take: line => this.#take(line, receiver),
      takeLast: line => this.#takeLast(line, receiver),
      ended: cause =>
        void this.#end(
          cause
            ? { message: "The connection failed while it was read.", cause }
            : { message: "The other side closed the connection." },
        ),
      failed: error => this.#fail(error),
    });
  }

  send(frame: Frame): boolean {
    if (!this.#isSending()) return true;
    const isFirst = this.#unsent.bytes === 0;
    for (const piece of frame.pieces) this.#unsent.add(piece);
    if (this.#unsent.bytes >= BATCH) this.#flush();
    else if (isFirst) process.nextTick(this.#flush);
    return !this.#output.writableNeedDrain;
  }

  drained(): Promise<void> {
    if (!this.#isSending() || !this.#output.writableNeedDrain) return Promise.resolve();
    return new Promise(resolve => this.#waiting.push(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#close({ message: "The connection was closed." });
  }

  #isSending(): boolean {
    return this.#state.kind === "open" || this.#state.kind === "waiting";
  }
  #isClosed(): boolean {
    return this.#state.kind === "closed";
  }

  #take(line: Buffer, receiver: Receiver): void | Promise<void> {
    const first = line[0] === BRACE ? BRACE : line.find(byte => byte > SPACE);
    if (first === undefined) return;
    if (first !== BRACE && first !== BRACKET) return this.#garbage(line, "it is not JSON");
    const frame = Frame.raw(line),
      fault = envelopeError(frame);
    if (!fault) return receiver.receive(frame);
    this.#garbage(line, fault.message);
    this.#sendError({ code: fault.code, message: `This line is invalid: ${fault.message}.` });
  }

  /**
   * The last message may lack its newline. An incomplete message is only reported, because an error response can no
   * longer be delivered.
   */
  #takeLast(line: Buffer, receiver: Receiver): void | Promise<void> {
    if (this.#isClosed()) return;
    const frame = Frame.raw(line);
    if (envelopeError(frame)) return this.#garbage(line, "the stream ended in the middle of it");
    return receiver.receive(frame);
  }

  /** Drops the error when the output is full, to bound memory. */
  #sendError(error: RpcErrorObject): void {
    if (!this.#output.writableNeedDrain) this.send(Frame.of({ jsonrpc: "2.0", id: null, error }));
  }

  #garbage(line: Buffer, why: string): void {
    this.#options.garbage?.(line.subarray(0, EXCERPT).toString().trimEnd(), why);
  }

  /** Closes the channel after `closedReason` settles. Nothing is sent in the meantime. */
  async #end(reason: Closed): Promise<void> {
    const state = this.#state;
    if (state.kind === "waiting") return this.#close(reason);
    if (state.kind !== "open") return;
    this.#state = { kind: "ending", receiver: state.receiver };
    this.#release();
    try {
      this.#close((await this.#options.closedReason?.()) ?? reason);
    } catch {
      this.#close(reason);
    }
  }

  #fail(error: unknown): void {
    if (!(error instanceof LineTooLong))
      return this.#close({ message: "A message could not be handled.", cause: error });
    const limit = `${this.#maxLine / 1024 / 1024} MiB`;
    this.#sendError({
      code: RpcCode.invalidRequest,
      message: `A message can have at most ${limit}. This connection is closed.`,
    });
    this.#close({ message: `The other side sent a message of more than ${limit}.`, cause: error });
    this.#input.destroy();
  }

  /**
   * A process that closed its input has usually exited, with its last messages still in the pipe. Reads until no more
   * chunks arrive.
   */
  #outputFailed(cause: Error | undefined): void {
    if (this.#isClosed()) return;
    this.#release(); // no more frames are written, and reading the last messages may depend on these senders
    const seen = this.#reader?.chunks;
    setImmediate(() =>
      setImmediate(() => {
        if (this.#reader?.chunks === seen) void this.#end({ message: "The other side no longer reads.", cause });
        else this.#outputFailed(cause);
      }),
    );
  }

  #close(reason: Closed): void {
    const state = this.#state;
    if (state.kind === "closed") return;
    this.#flush();
    this.#state = { kind: "closed", reason };
    this.#output.end();
    this.#release();
    if (this.#reader) this.#reader.stop();
    else this.#input.resume();
    if (state.kind !== "waiting") state.receiver.closed(reason);
  }

  readonly #flush = (): void => {
    const pieces = this.#unsent.take(),
      isMany = pieces.length > 1;
    if (isMany) this.#output.cork(); // one system call for all pieces
    for (const piece of pieces) this.#output.write(piece);
    if (isMany) this.#output.uncork();
  };

  #release(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

function envelopeError(frame: Frame): FrameError | undefined {
  try {
    frame.envelope;
    return undefined;
  } catch (error) {
    if (error instanceof FrameError) return error;
    throw error;
  }
}
