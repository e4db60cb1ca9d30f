/**
 * The framing of the Language Server Protocol (`Content-Length: n`, an empty line, n bytes of JSON) as a channel of
 * frames. Our own peer handles requests, responses, cancellation and the end of the connection.
 *
 * Invariants:
 * - Buffered input is bounded.
 * - A message is delivered after the receiver accepted the previous message.
 * - Invalid framing closes the channel with a reason, because the next message cannot be located.
 */
import type { Readable, Writable } from "node:stream";
import type { Channel, Closed, Receiver } from "../../rpc/channel";
import { Frame } from "../../rpc/frame";
import { objectOr } from "../../rpc/json";
import type { Message } from "../../rpc/message";
import { PROTOCOL_METHODS } from "../../acp/methods";
import { LSP_METHODS } from "./lsp-methods";

/** Maximum size of a message in bytes. Larger messages close the channel. */
export const MAX_BYTES = 32 * 1024 * 1024;
/** Maximum size of headers and other text between two messages, in bytes. Some servers also print plain text. */
const MAX_BETWEEN = 16 * 1024;
const EXCERPT = 200;

export class NotLsp extends Error {
  override readonly name = "NotLsp";
}

/** Splits a byte stream into messages, independent of its chunks. */
export class LspSplitter {
  #chunks: Buffer[] = [];
  #buffered = 0;
  /** Length of the message whose header was parsed. */
  #length: number | undefined;

  constructor(private readonly maxBytes = MAX_BYTES) {}

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
  }

  /** The next complete message. Skips text before a header. Throws `NotLsp`. */
  next(): Buffer | undefined {
    while (this.#length === undefined) {
      const all = this.#concatenated(),
        end = all.indexOf("\r\n\r\n");
      if ((end === -1 ? all.length : end) > MAX_BETWEEN)
        throw new NotLsp(`it wrote an invalid LSP header: “${excerpt(all)}”.`);
      if (end === -1) return undefined;
      this.#length = this.#lengthIn(all.subarray(0, end));
      this.#retain(all.subarray(end + 4));
    }
    if (this.#buffered < this.#length) return undefined;
    const all = this.#concatenated(),
      message = all.subarray(0, this.#length);
    this.#retain(all.subarray(this.#length));
    this.#length = undefined;
    return message;
  }

  /** Undefined if the text is not a header. */
  #lengthIn(header: Buffer): number | undefined {
    const text = [...header.toString("latin1").matchAll(/content-length:[ \t]*(\d{1,12})[ \t]*$/gim)].at(-1)?.[1];
    if (text === undefined) return undefined;
    const length = Number(text);
    if (length > this.maxBytes)
      throw new NotLsp(`it wrote a message of ${length} bytes; the limit is ${this.maxBytes}.`);
    return length;
  }

  #concatenated(): Buffer {
    const [first] = this.#chunks,
      all = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }

  #retain(rest: Buffer): void {
    this.#chunks = [rest];
    this.#buffered = rest.length;
  }
}

function excerpt(bytes: Buffer): string {
  return bytes.subarray(0, EXCERPT).toString().trim().replaceAll(/\s+/g, " ");
}

/** Takes ownership of both streams. Reads `input` after `start`. Disposing ends `output`. */
export function lspChannel(input: Readable, output: Writable): Channel {
  return new LspChannel(input, output);
}

class LspChannel implements Channel {
  #receiver: Receiver | undefined;
  #closed: Closed | undefined;
  #drained: (() => void)[] = [];

  constructor(
    private readonly input: Readable,
    private readonly output: Writable,
  ) {
    input.on("error", () => undefined); // the read loop handles the error
    output
      .on("error", cause => this.#close({ message: "it no longer reads its input.", cause }))
      .on("drain", () => this.#release());
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver;
    if (this.#closed) return queueMicrotask(() => receiver.closed(this.#closed ?? ENDED));
    this.#read(receiver).then(
      () => this.#close(ENDED),
      (cause: unknown) =>
        this.#close(
          cause instanceof NotLsp
            ? { message: cause.message, cause }
            : { message: "its output could not be read.", cause },
        ),
    );
  }

  send(frame: Frame): boolean {
    if (this.#closed || !this.output.writable) return true;
    const body = Buffer.from(JSON.stringify(outgoing(frame.message)));
    this.output.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]));
    return !this.output.writableNeedDrain;
  }

  drained(): Promise<void> {
    if (this.#closed || !this.output.writableNeedDrain) return Promise.resolve();
    return new Promise(resolve => {
      this.#drained.push(resolve);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#close({ message: "the connection was closed." });
  }

  async #read(receiver: Receiver): Promise<void> {
    const splitter = new LspSplitter();
    for await (const chunk of this.input) {
      splitter.push(Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk)));
      for (let body = splitter.next(); body; body = splitter.next()) {
        if (this.#closed) return;
        await receiver.receive(incoming(Frame.raw(body)));
      }
    }
  }

  #close(reason: Closed): void {
    if (this.#closed) return;
    this.#closed = reason;
    this.#release();
    this.output.end();
    this.input.resume();
    this.#receiver?.closed(reason);
  }

  #release(): void {
    for (const resolve of this.#drained.splice(0)) resolve();
  }
}

const ENDED: Closed = { message: "it has exited." };
/** Cancellation method of ACP, which our peer uses, and of LSP. */
const ACP_CANCEL = PROTOCOL_METHODS.cancel_request,
  LSP_CANCEL = LSP_METHODS.cancelRequest;

function outgoing(message: Message): Message {
  return "method" in message && message.method === ACP_CANCEL
    ? { jsonrpc: "2.0", method: LSP_CANCEL, params: { id: objectOr(message.params).requestId } }
    : message;
}

function incoming(frame: Frame): Frame {
  let message: Message;
  try {
    message = frame.message;
  } catch {
    return frame;
  } // the peer reports the parse error
  return "method" in message && message.method === LSP_CANCEL
    ? Frame.of({ jsonrpc: "2.0", method: ACP_CANCEL, params: { requestId: objectOr(message.params).id } })
    : frame;
}
