/**
 * A frame: one JSON-RPC message on its way, as bytes or as an object. It turns from one into the other only when asked,
 * and once, so that what nobody changes crosses as the bytes that arrived, and what never leaves the process is never
 * serialised.
 *
 * Invariants: frames do not change; bytes, message and envelope of one frame always say the same.
 */
import { FrameError, envelopeOf, scanEnvelope, type Envelope, type Scanned } from "./envelope";
import { isObject, type JsonObject } from "./json";
import { RpcCode, type Id, type Message } from "./message";
import { unwrapLine, unwrapMessage, wrapLine, wrapMessage, type SuccessorMethod } from "./successor";

export { FrameError, type Envelope } from "./envelope";

export class Frame {
  /**
   * As it is written, in pieces that follow each other, perhaps without its newline: in one piece as soon as somebody
   * has read it.
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

  /** One line, with or without its newline. It is looked at when somebody asks, so it may turn out to be no message. */
  static raw(bytes: Uint8Array): Frame {
    return new Frame([asBuffer(bytes)], undefined);
  }

  static of(message: Message): Frame {
    return new Frame(undefined, message);
  }

  /** UTF-8, without a newline. A message that JSON cannot hold (a cycle, a bigint) is a bug, and throws. */
  get bytes(): Uint8Array {
    const line = this.#line();
    return line[line.length - 1] === NEWLINE ? line.subarray(0, -1) : line;
  }

  /** The same with its newline, in pieces. */
  get pieces(): readonly Buffer[] {
    const pieces = (this.#pieces ??= [this.#written()]),
      last = pieces[pieces.length - 1];
    return last?.[last.length - 1] === NEWLINE ? pieces : [...pieces, NEWLINE_BYTES];
  }

  /** Throws `FrameError` when the bytes are no message. */
  get message(): Message {
    return (this.#message ??= parse(this.#line()));
  }

  /** Throws `FrameError` when the bytes are no message; see envelope.ts for what is not looked at. */
  get envelope(): Envelope {
    return (this.#envelope ??= this.#message ? envelopeOf(this.#message) : this.#scan().envelope);
  }

  /** The bytes of the id as they were written: an integer beyond 2⁵³ is exact only here. */
  get idBytes(): Uint8Array {
    return this.#idBytes();
  }

  /** The same message under another id, or under the `idBytes` of another frame. Only for what has an id. */
  withId(id: Id | Uint8Array): Frame {
    if (!this.#pieces && this.#message && !(id instanceof Uint8Array)) {
      if (!("id" in this.#message)) throw new Error("a notification has no id to change");
      return Frame.of({ ...this.#message, id });
    }
    const scanned = this.#scan(),
      { idStart, idEnd } = scanned;
    if (idStart === idEnd) throw new Error("there is no id to change");
    const written = writtenId(id),
      pieces = this.#spliced(idStart, idEnd, written);
    // What id some bytes are is read when somebody asks.
    return new Frame(
      pieces,
      undefined,
      undefined,
      id instanceof Uint8Array ? undefined : withNewId(scanned, id, written.length),
    );
  }

  /** The same request or notification under another method; params and all else stay as they came. */
  withMethod(method: string): Frame {
    if (!this.#pieces && this.#message) return Frame.of({ ...this.#message, method });
    const { methodStart, methodEnd } = this.#scan();
    if (methodStart === methodEnd) throw new Error("an answer has no method to change");
    return new Frame(this.#spliced(methodStart, methodEnd, Buffer.from(JSON.stringify(method))), undefined);
  }

  /** This request or notification in the envelope of a proxy; a request's id becomes the envelope's. */
  wrapped(method: SuccessorMethod): Frame {
    if (!this.#pieces && this.#message) return Frame.of(wrapMessage(this.#message, method));
    const scanned = this.#scan(),
      { idStart, idEnd } = scanned;
    return new Frame(
      wrapLine(this.#line(), scanned, method, idStart === idEnd ? undefined : this.#idBytes()),
      undefined,
    );
  }

  /** The message in a proxy's envelope, a request under `id`. Throws `FrameError` when there is none inside. */
  unwrapped(id: Id | undefined): Frame {
    if (!this.#pieces && this.#message) return Frame.of(unwrapMessage(this.#message, id));
    const { method, pieces } = unwrapLine(this.#line(), this.#scan(), id === undefined ? undefined : writtenId(id));
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

  /** In one piece. */
  #line(): Buffer {
    const pieces = (this.#pieces ??= [this.#written()]),
      [first] = pieces;
    if (first && pieces.length === 1) return first;
    const line = Buffer.concat(pieces);
    this.#pieces = [line];
    return line;
  }

  #written(): Buffer {
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

function writtenId(id: Id | Uint8Array): Buffer {
  return id instanceof Uint8Array
    ? asBuffer(id)
    : Buffer.from(typeof id === "number" ? String(id) : JSON.stringify(id));
}

/** What was found in a line, as it is when the id is another one of so many bytes. */
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
    throw new FrameError(RpcCode.invalidRequest, "it answers without an id");
  if (envelope.failed && !isErrorObject(value.error))
    throw new FrameError(RpcCode.invalidRequest, "its error has no code and message");
}

function isErrorObject(error: unknown): boolean {
  return isObject(error) && typeof error.code === "number" && typeof error.message === "string";
}
