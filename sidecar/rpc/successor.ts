/**
 * The envelope in which a message travels between a proxy and its conductor when it comes from, or goes to, the proxy's
 * successor (ACP schema v1 unstable, `ProxySuccessorRequest`): method and params of the message become members of the
 * envelope's params. Done on bytes: what is inside stays as it was written. Pure.
 *
 * A member of the message that JSON-RPC does not know travels beside its method. `_meta` of the envelope is hop-local, as the
 * schema says, and is not copied into what is unwrapped; `meta` is what the older drafts called it.
 */
import type { Scanned } from "./envelope";
import { BACKSLASH, BRACE, BRACE_END, COMMA, FrameError, QUOTE, broken, nothingMore, scalar, skipSpace, stringEnd, valueEnd } from "./json-scan";
import { isObject } from "./json";
import { RpcCode, type Id, type Message, type Notification, type Request } from "./message";

export type SuccessorMethod = "proxy/successor" | "_proxy/successor";

export function isSuccessorMethod(method: string): method is SuccessorMethod {
  return method === "proxy/successor" || method === "_proxy/successor";
}

/** What every message begins with; the id, where there is one, comes next. */
const VERSION = Buffer.from('{"jsonrpc":"2.0"'), ID = Buffer.from(',"id":'), COMMA_BYTES = Buffer.from(","), END = Buffer.from("}"), ENDS = Buffer.from("}}");
const OPENINGS = { "proxy/successor": Buffer.from(',"method":"proxy/successor","params":{'), "_proxy/successor": Buffer.from(',"method":"_proxy/successor","params":{') } as const;

const OUTSIDE: ReadonlySet<string> = new Set(["jsonrpc", "id"]);
const HOP_LOCAL: ReadonlySet<string> = new Set(["jsonrpc", "id", "_meta", "meta"]);
/** A hop-local key, or an escaped letter or sign, which could be part of one. */
const HOP_LOCAL_SPELLED = /"(?:jsonrpc|id|_?meta)"|\\u00[567]/;

/** `line` is a request or a notification, `scanned` what was found there; `id` the bytes of the id that the envelope gets, if any. */
export function wrapLine(line: Buffer, scanned: Scanned, method: SuccessorMethod, id: Uint8Array | undefined): Buffer {
  const inside = members(line, skipSpace(line, 0), OUTSIDE, start => start === scanned.rest ? line.length - 1 : start === scanned.paramsStart ? scanned.paramsEnd : -1);
  return Buffer.concat(id === undefined ? [VERSION, OPENINGS[method], ...inside, ENDS] : [VERSION, ID, id, OPENINGS[method], ...inside, ENDS]);
}

/** The message inside an envelope, under another id if it has one. Throws `FrameError` when the params are no envelope. */
export function unwrapLine(line: Buffer, scanned: Scanned, id: Uint8Array | undefined): Buffer {
  const { open, close } = paramsOf(line, scanned);
  const inside = members(line, open, HOP_LOCAL, start => nothingMore(line, start, close, HOP_LOCAL_SPELLED) ? close : -1);
  const begin = id === undefined ? [VERSION] : [VERSION, ID, id];
  return Buffer.concat(inside.length === 0 ? [...begin, END] : [...begin, COMMA_BYTES, ...inside, END]);
}

/** The same for a message that has not been serialised. */
export function wrapMessage(message: Message, method: SuccessorMethod): Request | Notification {
  const { jsonrpc, ...inside } = message;
  if (!("id" in inside)) return { jsonrpc, method, params: inside };
  const { id, ...rest } = inside;
  if (id === null) throw new Error("an answer travels without an envelope");
  return { jsonrpc, id, method, params: rest };
}

/** The same for a message that has not been serialised. Throws `FrameError`. */
export function unwrapMessage(message: Message, id: Id | undefined): Request | Notification {
  const params = "params" in message ? message.params : undefined;
  if (!isObject(params) || typeof params.method !== "string") throw new FrameError(RpcCode.invalidRequest, "its params are no envelope");
  const inside = Object.fromEntries(Object.entries(params).filter(([key]) => !HOP_LOCAL.has(key)));
  return { jsonrpc: "2.0", ...(id === undefined ? {} : { id }), ...inside, method: params.method };
}

/** The braces of an envelope's params. */
function paramsOf(line: Buffer, { paramsStart, paramsEnd, rest }: Scanned): { readonly open: number; readonly close: number } {
  const open = paramsEnd === 0 ? rest : paramsStart; // an envelope without a method inside may have been searched, not scanned
  if (line[open] !== BRACE) throw new FrameError(RpcCode.invalidRequest, "its params are no envelope");
  return { open, close: (paramsEnd === 0 ? valueEnd(line, open) : paramsEnd) - 1 };
}

/**
 * The text of all members of the object that opens at `open`, without those of these names, in pieces. `known` gives the end of
 * the value that begins at a position where it is known already (for the last run: the closing brace), else -1.
 */
function members(line: Buffer, open: number, without: ReadonlySet<string>, known: (start: number) => number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let from = -1, to = -1; // a run of members that stay
  const take = (): void => {
    if (from !== -1) pieces.push(...(pieces.length === 0 ? [] : [COMMA_BYTES]), line.subarray(from, to));
    from = -1;
  };
  let at = skipSpace(line, open + 1);
  while (line[at] === QUOTE) {
    const keyEnd = stringEnd(line, at);
    const start = skipSpace(line, skipSpace(line, keyEnd) + 1);
    const isOut = without.has(keyAt(line, at, keyEnd));
    const end = isOut ? -1 : known(start);
    if (isOut) take();
    else if (from === -1) from = at;
    to = at = end === -1 ? valueEnd(line, start) : end;
    at = skipSpace(line, at);
    if (line[at] === COMMA) at = skipSpace(line, at + 1);
  }
  if (line[at] !== BRACE_END) throw broken(line, at);
  take();
  return pieces;
}

function keyAt(line: Buffer, start: number, end: number): string {
  const bytes = line.subarray(start + 1, end - 1);
  return bytes.includes(BACKSLASH) ? String(scalar(line, start, end)) : bytes.toString("latin1");
}
