/**
 * JSON messages with a `Content-Length` header over byte streams, as vscode-jsonrpc frames them.
 *
 * Invariants: messages keep their order. Messages of one event-loop tick are one write, because each write is a system
 * call that wakes the reader. A message is delivered as soon as its last byte has arrived. After a header that is wrong
 * nothing more is delivered, because the next one cannot be found.
 */

interface Disposable { dispose(): void }
type Listener = (error: Error) => void;

interface NodeStream {
  on(event: string, listener: Listener): unknown;
  off(event: string, listener: Listener): unknown;
}

/** The part of a Node.js stream that `MessageOutput` uses. */
export interface NodeOutput extends NodeStream {
  write(text: string): unknown;
}

export interface NodeInput {
  on(event: "data", listener: (chunk: Uint8Array) => void): unknown;
  on(event: string, listener: Listener): unknown;
  off(event: "data", listener: (chunk: Uint8Array) => void): unknown;
  off(event: string, listener: Listener): unknown;
}

/** UTF-8, by the runtime. */
export interface Utf8 {
  length(text: string): number;
  decode(bytes: Uint8Array): string;
}

export class MessageOutput {
  #waiting = "";

  /** `soon`: calls back at the end of this tick. */
  constructor(private readonly output: NodeOutput, private readonly utf8: Utf8, private readonly soon: (flush: () => void) => void) {}

  onClose(listener: () => void): Disposable { return listening(this.output, "close", listener); }
  onError(listener: Listener): Disposable { return listening(this.output, "error", listener); }

  /** Throws when the message cannot be JSON. `onError` reports a stream that fails. */
  write(message: object): void {
    const json = JSON.stringify(message);
    if (this.#waiting === "") this.soon(() => this.flush());
    this.#waiting += `Content-Length: ${this.utf8.length(json)}\r\n\r\n${json}`;
  }

  flush(): void {
    const waiting = this.#waiting;
    this.#waiting = "";
    if (waiting !== "") this.output.write(waiting);
  }
}

export class MessageInput<M> {
  readonly #frames: Frames;
  #failed: Listener = () => undefined;

  constructor(private readonly input: NodeInput, utf8: Utf8) { this.#frames = new Frames(utf8); }

  onClose(listener: () => void): Disposable { return listening(this.input, "close", listener); }
  /** For failures of the stream, and for bytes that are no message. */
  onError(listener: Listener): Disposable {
    this.#failed = listener;
    return listening(this.input, "error", listener);
  }

  listen(deliver: (message: M) => void): Disposable {
    const take = (json: string): void => {
      let message: M;
      try { message = JSON.parse(json) as M; } // the other end's own messages
      catch (error) { return this.#failed(asError(error)); }
      deliver(message);
    };
    const read = (chunk: Uint8Array): void => {
      try { this.#frames.push(chunk, take); }
      catch (error) {
        this.input.off("data", read);
        this.#failed(asError(error));
      }
    };
    this.input.on("data", read);
    return { dispose: () => { this.input.off("data", read); } };
  }
}

const RETURN = 0x0d, NEWLINE = 0x0a;
/** Bytes of a header. */
const MAX_HEADER = 4 * 1024;
const EMPTY = new Uint8Array();

/** Cuts a stream of bytes into texts. */
class Frames {
  /** The beginning of a header. */
  #header: Uint8Array = EMPTY;
  #pieces: Uint8Array[] = [];
  /** Bytes of the message that have not arrived yet. `undefined`: a header is next. */
  #missing: number | undefined;

  constructor(private readonly utf8: Utf8) {}

  /** Throws when a header is wrong. */
  push(chunk: Uint8Array, take: (text: string) => void): void {
    let rest = this.#header.length === 0 ? chunk : joined([this.#header, chunk]);
    this.#header = EMPTY;
    while (rest.length > 0) {
      if (this.#missing === undefined) {
        const end = endOfHeader(rest);
        if (end === -1) {
          if (rest.length > MAX_HEADER) throw new Error("A header of a message is too long.");
          this.#header = rest;
          return;
        }
        this.#missing = lengthIn(this.utf8.decode(rest.subarray(0, end)));
        rest = rest.subarray(end);
      }
      const piece = rest.subarray(0, this.#missing);
      rest = rest.subarray(piece.length);
      this.#pieces.push(piece);
      this.#missing -= piece.length;
      if (this.#missing > 0) return;
      const [first, ...others] = this.#pieces, body = first && others.length === 0 ? first : joined(this.#pieces);
      this.#pieces = [];
      this.#missing = undefined;
      take(this.utf8.decode(body));
    }
  }
}

/** Index behind the empty line; -1: it has not arrived. */
function endOfHeader(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) {
    if (bytes[at - 1] === RETURN && bytes[at - 2] === NEWLINE && bytes[at - 3] === RETURN) return at + 1;
    if (at > MAX_HEADER) return -1;
  }
  return -1;
}

function lengthIn(header: string): number {
  const length = /^content-length: *(\d+)\r$/im.exec(header)?.[1];
  if (length === undefined) throw new Error(`A message has no length, but the header “${header.trim().slice(0, 200)}”.`);
  return Number(length);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

function listening(stream: NodeStream, event: string, listener: Listener): Disposable {
  stream.on(event, listener);
  return { dispose: () => { stream.off(event, listener); } };
}

function asError(error: unknown): Error { return error instanceof Error ? error : new Error(String(error)); }
