/**
 * A frame: one JSON-RPC message on its way, as bytes or as an object. It turns from one into the other only when asked, and
 * once, so that what nobody changes crosses as the bytes that arrived, and what never leaves the process is never serialised.
 *
 * Invariants: frames do not change; bytes, message and envelope of one frame always say the same.
 */
import { FrameError, envelopeOf, scanEnvelope, type Envelope, type Scanned } from "./envelope";
import { isObject, type JsonObject } from "./json";
import { RpcCode, type Id, type Message } from "./message";
import { unwrapLine, unwrapMessage, wrapLine, wrapMessage, type SuccessorMethod } from "./successor";

export { FrameError, type Envelope } from "./envelope";

export class Frame {
  #bytes: Buffer | undefined;
  #message: Message | undefined;
  #scanned: Scanned | undefined;
  #envelope: Envelope | undefined;

  private constructor(bytes: Buffer | undefined, message: Message | undefined, scanned: Scanned | undefined) {
    this.#bytes = bytes;
    this.#message = message;
    this.#scanned = scanned;
  }

  /** One line without its newline. It is looked at when somebody asks, so it may turn out to be no message. */
  static raw(bytes: Uint8Array): Frame {
    return new Frame(Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), undefined, undefined);
  }

  static of(message: Message): Frame {
    return new Frame(undefined, message, undefined);
  }

  /** UTF-8, without a newline. A message that JSON cannot hold (a cycle, a bigint) is a bug, and throws. */
  get bytes(): Uint8Array {
    return this.#buffer();
  }

  /** Throws `FrameError` when the bytes are no message. */
  get message(): Message {
    return (this.#message ??= parse(this.#buffer()));
  }

  /** Throws `FrameError` when the bytes are no message; see envelope.ts for what is not looked at. */
  get envelope(): Envelope {
    return (this.#envelope ??= this.#message ? envelopeOf(this.#message) : this.#scan().envelope);
  }

  /** The bytes of the id as they were written: an integer beyond 2⁵³ is exact only here. */
  get idBytes(): Uint8Array {
    const { idStart, idEnd } = this.#scan();
    return this.#buffer().subarray(idStart, idEnd);
  }

  /** The same message under another id, or under the `idBytes` of another frame. Only for what has an id. */
  withId(id: Id | Uint8Array): Frame {
    if (!this.#bytes && this.#message && !(id instanceof Uint8Array)) {
      if (!("id" in this.#message)) throw new Error("a notification has no id to change");
      return Frame.of({ ...this.#message, id });
    }
    const scanned = this.#scan(), { idStart, idEnd } = scanned;
    if (idStart === idEnd) throw new Error("there is no id to change");
    const written = writtenId(id);
    const bytes = splice(this.#buffer(), idStart, idEnd, written);
    if (id instanceof Uint8Array) return Frame.raw(bytes); // what id that is, is read when somebody asks
    return new Frame(bytes, undefined, { ...moveAfter(scanned, idEnd, written.length - (idEnd - idStart)), envelope: withIdOf(scanned.envelope, id) });
  }

  /** The same request or notification under another method; params and all else stay as they came. */
  withMethod(method: string): Frame {
    if (!this.#bytes && this.#message) return Frame.of({ ...this.#message, method });
    const { methodStart, methodEnd } = this.#scan();
    if (methodStart === methodEnd) throw new Error("an answer has no method to change");
    return Frame.raw(splice(this.#buffer(), methodStart, methodEnd, Buffer.from(JSON.stringify(method))));
  }

  /** This request or notification in the envelope of a proxy; a request's id becomes the envelope's. */
  wrapped(method: SuccessorMethod): Frame {
    if (!this.#bytes && this.#message) return Frame.of(wrapMessage(this.#message, method));
    const scanned = this.#scan(), { idStart, idEnd } = scanned;
    return Frame.raw(wrapLine(this.#buffer(), scanned, method, idStart === idEnd ? undefined : this.#buffer().subarray(idStart, idEnd)));
  }

  /** The message in a proxy's envelope, a request under `id`. Throws `FrameError` when there is none inside. */
  unwrapped(id: Id | undefined): Frame {
    if (!this.#bytes && this.#message) return Frame.of(unwrapMessage(this.#message, id));
    const inside = Frame.raw(unwrapLine(this.#buffer(), this.#scan(), id === undefined ? undefined : writtenId(id)));
    if (inside.envelope.kind === "response") throw new FrameError(RpcCode.invalidRequest, "there is no request and no notification in its envelope");
    return inside;
  }

  #buffer(): Buffer {
    return (this.#bytes ??= Buffer.from(JSON.stringify(this.#message)));
  }

  #scan(): Scanned {
    return (this.#scanned ??= scanEnvelope(this.#buffer()));
  }
}

function writtenId(id: Id | Uint8Array): Uint8Array {
  return id instanceof Uint8Array ? id : Buffer.from(JSON.stringify(id));
}

function splice(bytes: Buffer, start: number, end: number, written: Uint8Array): Buffer {
  return Buffer.concat([bytes.subarray(0, start), written, bytes.subarray(end)]);
}

function withIdOf(envelope: Envelope, id: Id): Envelope {
  return envelope.kind === "notification" ? envelope : { ...envelope, id };
}

/** What was found in a line whose id, which ended at `idEnd`, has become longer by `more` bytes. */
function moveAfter(scanned: Scanned, idEnd: number, more: number): Scanned {
  const moved = (at: number): number => at >= idEnd ? at + more : at;
  return {
    envelope: scanned.envelope, idStart: scanned.idStart, idEnd: idEnd + more, rest: moved(scanned.rest),
    methodStart: moved(scanned.methodStart), methodEnd: moved(scanned.methodEnd), paramsStart: moved(scanned.paramsStart), paramsEnd: moved(scanned.paramsEnd),
  };
}

function parse(bytes: Buffer): Message {
  let value: unknown;
  try { value = JSON.parse(bytes.toString()); }
  catch (cause) { throw new FrameError(RpcCode.parseError, "it is not JSON", { cause }); }
  if (!isObject(value)) throw new FrameError(RpcCode.invalidRequest, "it is not an object");
  const message = value.jsonrpc === "2.0" ? value : { ...value, jsonrpc: "2.0" };
  assertMessage(message);
  return message;
}

function assertMessage(value: JsonObject): asserts value is JsonObject & Message {
  const envelope = envelopeOf(value);
  if (envelope.kind !== "response") return;
  if (!envelope.failed && envelope.id === null) throw new FrameError(RpcCode.invalidRequest, "it answers without an id");
  if (envelope.failed && !isErrorObject(value.error)) throw new FrameError(RpcCode.invalidRequest, "its error has no code and message");
}

function isErrorObject(error: unknown): boolean {
  return isObject(error) && typeof error.code === "number" && typeof error.message === "string";
}
