/**
 * Envelopes of messages between a proxy and its successor, which pass through the conductor (ACP schema v1 unstable,
 * `ProxySuccessorRequest`). Method and params of the message become members of the envelope's params. The bytes of the
 * content are preserved. Pure.
 *
 * Unknown members of the message are placed beside its method. The schema defines the envelope's `_meta` (`meta` in
 * older drafts) as hop-local, so `_meta` is not copied into the unwrapped message.
 */
import { PROXY_DIALECTS, type ProxyDialect } from "../acp/methods";
import { BRACE, FrameError, skipSpace } from "./json-scan";
import { isObject } from "./json";
import { membersWithout, type Retained, type Key } from "./json-members";
import { RpcCode, type Id, type Message, type Notification, type Request } from "./message";

const { proxy, _proxy, meta } = PROXY_DIALECTS;

/** Whether the method is an envelope in any dialect. */
export function isSuccessorMethod(method: unknown): boolean {
  return (
    method === proxy.request || method === _proxy.request || method === meta.request || method === meta.notification
  );
}

/** The envelope's method name on the wire. */
function methodOf(dialect: ProxyDialect, isRequest: boolean): string {
  return PROXY_DIALECTS[dialect][isRequest ? "request" : "notification"];
}

/** Every message starts with the version, followed by the id, if any. */
const VERSION = Buffer.from('{"jsonrpc":"2.0"'),
  ID = Buffer.from(',"id":'),
  COMMA = Buffer.from(","),
  END = Buffer.from("}\n"),
  ENDS = Buffer.from("}}\n");
const opening = (dialect: ProxyDialect, isRequest: boolean): Buffer =>
  Buffer.from(`,"method":"${methodOf(dialect, isRequest)}","params":{`);
const openings = (isRequest: boolean): Readonly<Record<ProxyDialect, Buffer>> => ({
  proxy: opening("proxy", isRequest),
  _proxy: opening("_proxy", isRequest),
  meta: opening("meta", isRequest),
});
const REQUESTS = openings(true),
  NOTIFICATIONS = openings(false);

const OUTSIDE: ReadonlySet<Key> = new Set(["jsonrpc", "id"] as const);
const HOP_LOCAL: ReadonlySet<string> & ReadonlySet<Key> = new Set(["jsonrpc", "id", "_meta", "meta"] as const);

/** Range of the members other than `jsonrpc` and `id`. `bodyStart` is 0 if they are not contiguous (`Scanned`). */
export interface MessageBody {
  readonly bodyStart: number;
  readonly bodyEnd: number;
}

/** The params of an envelope: their content, if already scanned, and their offset (`Scanned`). */
export interface EnvelopeParams {
  readonly inside: Retained | undefined;
  readonly paramsStart: number;
}

/**
 * Wraps the request or notification in `line`. `id` is the id of the envelope; undefined for a notification. Returns
 * pieces, with the newline.
 */
export function wrapLine(
  line: Buffer,
  { bodyStart, bodyEnd }: MessageBody,
  dialect: ProxyDialect,
  id: Buffer | undefined,
): readonly Buffer[] {
  const body =
    bodyStart === 0 ? membersWithout(line, skipSpace(line, 0), OUTSIDE).pieces : [line.subarray(bodyStart, bodyEnd)];
  return id === undefined
    ? [VERSION, NOTIFICATIONS[dialect], ...body, ENDS]
    : [VERSION, ID, id, REQUESTS[dialect], ...body, ENDS];
}

/** The content of an envelope whose params start at `start`. Throws `FrameError`. */
export function insideOf(line: Buffer, start: number): Retained {
  if (start === 0 || line[start] !== BRACE) throw notAnEnvelope();
  return membersWithout(line, start, HOP_LOCAL);
}

/**
 * Unwraps the message in an envelope. Returns its method, and its line in pieces, with the newline. `id` replaces the
 * id of a request. Throws `FrameError` when the params are not an envelope.
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
  return new FrameError(RpcCode.invalidRequest, "its params are not an envelope");
}

/** `wrapLine` for a message that is not serialised. */
export function wrapMessage(message: Message, dialect: ProxyDialect): Request | Notification {
  const { jsonrpc, ...inside } = message;
  if (!("id" in inside)) return { jsonrpc, method: methodOf(dialect, false), params: inside };
  const { id, ...rest } = inside;
  if (id === null) throw new Error("a response has no envelope");
  return { jsonrpc, id, method: methodOf(dialect, true), params: rest };
}

/** `unwrapLine` for a message that is not serialised. Throws `FrameError`. */
export function unwrapMessage(message: Message, id: Id | undefined): Request | Notification {
  const params = "params" in message ? message.params : undefined;
  if (!isObject(params) || typeof params.method !== "string") throw notAnEnvelope();
  const inside = Object.fromEntries(Object.entries(params).filter(([key]) => !HOP_LOCAL.has(key)));
  return { jsonrpc: "2.0", ...(id === undefined ? {} : { id }), ...inside, method: params.method };
}
