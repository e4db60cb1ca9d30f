/**
 * The envelope in which a message travels between a proxy and its conductor when it comes from, or goes to, the proxy's
 * successor (ACP schema v1 unstable, `ProxySuccessorRequest`): method and params of the message become members of the
 * envelope's params. Done on bytes: what is inside stays as it was written. Pure.
 *
 * A member of the message that JSON-RPC does not know travels beside its method. `_meta` of the envelope is hop-local,
 * as the schema says, and is not copied into what is unwrapped; `meta` is what the older drafts called it.
 */
import { BRACE, FrameError, skipSpace } from "./json-scan";
import { isObject } from "./json";
import { membersWithout, type Kept, type Key } from "./members";
import { RpcCode, type Id, type Message, type Notification, type Request } from "./message";

/** How envelopes are spelled. `/*`: one method for requests, another for notifications, as the first drafts did. */
export type SuccessorMethod = "proxy/successor" | "_proxy/successor" | "_proxy/successor/*";

/** In any spelling. */
export function isSuccessorMethod(method: unknown): boolean {
  return (
    method === "proxy/successor" ||
    method === "_proxy/successor" ||
    method === "_proxy/successor/request" ||
    method === "_proxy/successor/notification"
  );
}

/** On the wire. */
function methodOf(spelling: SuccessorMethod, isRequest: boolean): string {
  if (spelling !== "_proxy/successor/*") return spelling;
  return isRequest ? "_proxy/successor/request" : "_proxy/successor/notification";
}

/** What every message begins with; the id, where there is one, comes next. */
const VERSION = Buffer.from('{"jsonrpc":"2.0"'),
  ID = Buffer.from(',"id":'),
  COMMA = Buffer.from(","),
  END = Buffer.from("}\n"),
  ENDS = Buffer.from("}}\n");
const opening = (spelling: SuccessorMethod, isRequest: boolean): Buffer =>
  Buffer.from(`,"method":"${methodOf(spelling, isRequest)}","params":{`);
const openings = (isRequest: boolean): Readonly<Record<SuccessorMethod, Buffer>> => ({
  "proxy/successor": opening("proxy/successor", isRequest),
  "_proxy/successor": opening("_proxy/successor", isRequest),
  "_proxy/successor/*": opening("_proxy/successor/*", isRequest),
});
const REQUESTS = openings(true),
  NOTIFICATIONS = openings(false);

const OUTSIDE: ReadonlySet<Key> = new Set(["jsonrpc", "id"] as const);
const HOP_LOCAL: ReadonlySet<string> & ReadonlySet<Key> = new Set(["jsonrpc", "id", "_meta", "meta"] as const);

/**
 * Offsets of the members of a message without `jsonrpc` and `id`; `bodyStart` is 0 where they are not contiguous
 * (`Scanned`).
 */
export interface MessageBody {
  readonly bodyStart: number;
  readonly bodyEnd: number;
}

/** The parsed params of an envelope, if they were parsed, and their offset (`Scanned`). */
export interface EnvelopeParams {
  readonly inside: Kept | undefined;
  readonly paramsStart: number;
}

/**
 * `line` is a request or a notification, its members; `id` the bytes of the id that the envelope
 * gets, if any. In pieces, with its newline.
 */
export function wrapLine(
  line: Buffer,
  { bodyStart, bodyEnd }: MessageBody,
  method: SuccessorMethod,
  id: Buffer | undefined,
): readonly Buffer[] {
  const body =
    bodyStart === 0 ? membersWithout(line, skipSpace(line, 0), OUTSIDE).pieces : [line.subarray(bodyStart, bodyEnd)];
  return id === undefined
    ? [VERSION, NOTIFICATIONS[method], ...body, ENDS]
    : [VERSION, ID, id, REQUESTS[method], ...body, ENDS];
}

/** What is in an envelope whose params begin at `start`. Throws `FrameError`. */
export function insideOf(line: Buffer, start: number): Kept {
  if (start === 0 || line[start] !== BRACE) throw notAnEnvelope();
  return membersWithout(line, start, HOP_LOCAL);
}

/**
 * The message in an envelope, under another id if it has one: its method, and its line in pieces, with its newline.
 * Throws `FrameError` when the params are no envelope.
 */
export function unwrapLine(
  line: Buffer,
  { inside, paramsStart }: EnvelopeParams,
  id: Buffer | undefined,
): { readonly method: string; readonly pieces: readonly Buffer[] } {
  const { pieces, method } = inside ?? insideOf(line, paramsStart);
  if (typeof method !== "string") throw notAnEnvelope();
  return {
    method,
    pieces: id === undefined ? [VERSION, COMMA, ...pieces, END] : [VERSION, ID, id, COMMA, ...pieces, END],
  };
}

function notAnEnvelope(): FrameError {
  return new FrameError(RpcCode.invalidRequest, "its params are no envelope");
}

/** The same for a message that has not been serialised. */
export function wrapMessage(message: Message, method: SuccessorMethod): Request | Notification {
  const { jsonrpc, ...inside } = message;
  if (!("id" in inside)) return { jsonrpc, method: methodOf(method, false), params: inside };
  const { id, ...rest } = inside;
  if (id === null) throw new Error("an answer travels without an envelope");
  return { jsonrpc, id, method: methodOf(method, true), params: rest };
}

/** The same for a message that has not been serialised. Throws `FrameError`. */
export function unwrapMessage(message: Message, id: Id | undefined): Request | Notification {
  const params = "params" in message ? message.params : undefined;
  if (!isObject(params) || typeof params.method !== "string") throw notAnEnvelope();
  const inside = Object.fromEntries(Object.entries(params).filter(([key]) => !HOP_LOCAL.has(key)));
  return { jsonrpc: "2.0", ...(id === undefined ? {} : { id }), ...inside, method: params.method };
}
