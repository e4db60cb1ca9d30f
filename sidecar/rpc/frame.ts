/**
 * A frame: one JSON-RPC message on its way, as bytes or as an object. It turns from one into the other only when asked, and
 * once, so that what nobody changes crosses as the bytes that arrived, and what never leaves the process is never serialised.
 *
 * Invariants: frames do not change; bytes, message and envelope of one frame always say the same.
 */
import { FrameError, envelopeOf, scanEnvelope, type Envelope, type Scanned } from "./envelope";
import { isObject, type JsonObject } from "./json";
import { RpcCode, type Id, type Message } from "./message";

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
    const bytes = this.#buffer(), { idStart, idEnd } = this.#scan();
    if (idStart === idEnd) throw new Error("there is no id to change");
    const written = id instanceof Uint8Array ? id : Buffer.from(JSON.stringify(id));
    const spliced = Buffer.concat([bytes.subarray(0, idStart), written, bytes.subarray(idEnd)]);
    return Frame.raw(spliced);
  }

  #buffer(): Buffer {
    return (this.#bytes ??= Buffer.from(JSON.stringify(this.#message)));
  }

  #scan(): Scanned {
    return (this.#scanned ??= scanEnvelope(this.#buffer()));
  }
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
