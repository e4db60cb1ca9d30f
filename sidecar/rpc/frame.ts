/**
 * A frame: one JSON-RPC message in transit, as bytes or as an object. Conversion between the two is lazy and occurs at
 * most once. An unchanged message is therefore forwarded as the received bytes, and a message that stays in the process
 * is never serialised.
 *
 * Invariants: frames are immutable. The bytes, message and envelope of a frame always agree.
 */
import { FrameError, envelopeOf, scanEnvelope, type Envelope, type Scanned } from "./envelope";
import { isObject, type JsonObject } from "./json";
import { RpcCode, type Id, type Message } from "./message";
import type { ProxyDialect } from "../acp/methods";
import { unwrapLine, unwrapMessage, wrapLine, wrapMessage } from "./proxy-envelope";

export { FrameError, type Envelope } from "./envelope";

export class Frame {
  /**
   * The serialised line in consecutive pieces, possibly without its newline. Joined into one piece on the first read.
   */
  #pieces: readonly Buffer[] | undefined;
  #message: Message | undefined;
  #envelope: Envelope | undefined;
  #scanned: Scanned | undefined;

  private constructor(
    pieces: readonly Buffer[] | undefined,
    message: Message | undefined,
    envelope?: Envelope,
    scanned?: Scanned,
  ) {
    this.#pieces = pieces;
    this.#message = message;
    this.#envelope = envelope;
    this.#scanned = scanned;
  }

  /** Creates a frame from one line, with or without its newline. The line is parsed lazily and may be invalid. */
  static raw(bytes: Uint8Array): Frame {
    return new Frame([asBuffer(bytes)], undefined);
  }

  static of(message: Message): Frame {
    return new Frame(undefined, message);
  }

  /** UTF-8, without a newline. Throws if JSON cannot represent the message (a cycle, a bigint), which is a bug. */
  get bytes(): Uint8Array {
    const line = this.#line();
    return line[line.length - 1] === NEWLINE ? line.subarray(0, -1) : line;
  }

  /** The same bytes with the newline, in pieces. */
  get pieces(): readonly Buffer[] {
    const pieces = (this.#pieces ??= [this.#serialized()]),
      last = pieces[pieces.length - 1];
    return last?.[last.length - 1] === NEWLINE ? pieces : [...pieces, NEWLINE_BYTES];
  }

  /** Throws `FrameError` when the bytes are not a message. */
  get message(): Message {
    return (this.#message ??= parse(this.#line()));
  }

  /** Throws `FrameError` when the bytes are not a message. See envelope.ts for the parts that are not validated. */
  get envelope(): Envelope {
    return (this.#envelope ??= this.#message ? envelopeOf(this.#message) : this.#scan().envelope);
  }

  /** The id as received. An integer beyond 2⁵³ is exact only as bytes. */
  get idBytes(): Uint8Array {
    return this.#idBytes();
  }

  /** The same message with another id, or with the `idBytes` of another frame. Only for messages that have an id. */
  withId(id: Id | Uint8Array): Frame {
    if (!this.#pieces && this.#message && !(id instanceof Uint8Array)) {
      if (!("id" in this.#message)) throw new Error("a notification has no id to change");
      return Frame.of({ ...this.#message, id });
    }
    const scanned = this.#scan(),
      { idStart, idEnd } = scanned;
    if (idStart === idEnd) throw new Error("there is no id to change");
    const written = idToBytes(id),
      pieces = this.#spliced(idStart, idEnd, written);
    // An id given as bytes is parsed lazily.
    return new Frame(
      pieces,
      undefined,
      undefined,
      id instanceof Uint8Array ? undefined : withNewId(scanned, id, written.length),
    );
  }

  /** The same request or notification with another method. All other members are unchanged. */
  withMethod(method: string): Frame {
    if (!this.#pieces && this.#message) return Frame.of({ ...this.#message, method });
    const { methodStart, methodEnd } = this.#scan();
    if (methodStart === methodEnd) throw new Error("a response has no method to change");
    return new Frame(this.#spliced(methodStart, methodEnd, Buffer.from(JSON.stringify(method))), undefined);
  }

  /** This request or notification in a proxy's envelope. A request's id becomes the id of the envelope. */
  wrapped(dialect: ProxyDialect): Frame {
    if (!this.#pieces && this.#message) return Frame.of(wrapMessage(this.#message, dialect));
    const scanned = this.#scan(),
      { idStart, idEnd } = scanned;
    return new Frame(
      wrapLine(this.#line(), scanned, dialect, idStart === idEnd ? undefined : this.#idBytes()),
      undefined,
    );
  }

  /**
   * The message in this proxy envelope. `id` becomes the id of a request; undefined for a notification. Throws
   * `FrameError` when the envelope contains no message.
   */
  unwrapped(id: Id | undefined): Frame {
    if (!this.#pieces && this.#message) return Frame.of(unwrapMessage(this.#message, id));
    const { method, pieces } = unwrapLine(this.#line(), this.#scan(), id === undefined ? undefined : idToBytes(id));
    return new Frame(
      pieces,
      undefined,
      id === undefined ? { kind: "notification", method } : { kind: "request", id, method },
    );
  }

  #idBytes(): Buffer {
    const { idStart, idEnd } = this.#scan();
    return this.#line().subarray(idStart, idEnd);
  }

  #spliced(start: number, end: number, written: Buffer): readonly Buffer[] {
    const line = this.#line();
    return [line.subarray(0, start), written, line.subarray(end)];
  }

  /** The line in one piece. */
  #line(): Buffer {
    const pieces = (this.#pieces ??= [this.#serialized()]),
      [first] = pieces;
    if (first && pieces.length === 1) return first;
    const line = Buffer.concat(pieces);
    this.#pieces = [line];
    return line;
  }

  #serialized(): Buffer {
    return Buffer.from(`${JSON.stringify(this.#message)}\n`);
  }

  #scan(): Scanned {
    return (this.#scanned ??= scanEnvelope(this.#line()));
  }
}

const NEWLINE = 0x0a,
  NEWLINE_BYTES = Buffer.from("\n");

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function idToBytes(id: Id | Uint8Array): Buffer {
  return id instanceof Uint8Array
    ? asBuffer(id)
    : Buffer.from(typeof id === "number" ? String(id) : JSON.stringify(id));
}

/** The scan result of a line after its id is replaced by one of `length` bytes. */
function withNewId({ envelope, idStart, idEnd, inside, ...at }: Scanned, id: Id, length: number): Scanned {
  const moved = (position: number): number => (position < idEnd ? position : position + idStart + length - idEnd);
  return {
    envelope: envelope.kind === "notification" ? envelope : { ...envelope, id },
    idStart,
    idEnd: idStart + length,
    inside,
    methodStart: moved(at.methodStart),
    methodEnd: moved(at.methodEnd),
    paramsStart: moved(at.paramsStart),
    bodyStart: moved(at.bodyStart),
    bodyEnd: moved(at.bodyEnd),
  };
}

function parse(bytes: Buffer): Message {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch (cause) {
    throw new FrameError(RpcCode.parseError, "it is not JSON", { cause });
  }
  if (!isObject(value)) throw new FrameError(RpcCode.invalidRequest, "it is not an object");
  const message = value.jsonrpc === "2.0" ? value : { ...value, jsonrpc: "2.0" };
  assertMessage(message);
  return message;
}

function assertMessage(value: JsonObject): asserts value is JsonObject & Message {
  const envelope = envelopeOf(value);
  if (envelope.kind !== "response") return;
  if (!envelope.failed && envelope.id === null)
    throw new FrameError(RpcCode.invalidRequest, "it is a response without an id");
  if (envelope.failed && !isErrorObject(value.error))
    throw new FrameError(RpcCode.invalidRequest, "its error has no code and message");
}

function isErrorObject(error: unknown): boolean {
  return isObject(error) && typeof error.code === "number" && typeof error.message === "string";
}
