/**
 * The envelope of a JSON-RPC message (kind, id, method), read from the bytes of a line without parsing it.
 *
 * Invariants: for every line that is valid JSON the result is what `JSON.parse` would have given, whatever the order of the
 * keys, their escapes or their repetition (the last one counts). That needs the whole top level; but where much is still to
 * come and none of it can spell a key of the envelope, the scan is over: one native search finds that out. Otherwise nested
 * values are skipped by counting brackets: that they are valid inside is found out by whoever parses them. A line that breaks
 * off is refused, except a long one that breaks off right after a `}`.
 */
import { BRACE, BRACE_END, BRACKET, COLON, COMMA, FrameError, LETTER_N, QUOTE, BACKSLASH, broken, nothingMore, scalar, skipSpace, stringEnd, valueEnd } from "./json-scan";
import { RpcCode, type Id } from "./message";

export { FrameError } from "./json-scan";

export type Envelope =
  | { readonly kind: "request"; readonly id: Id; readonly method: string }
  | { readonly kind: "notification"; readonly method: string }
  /** `id` is null or absent in the answer to something that could not be read. */
  | { readonly kind: "response"; readonly id: Id | null; readonly failed: boolean };

/** The members that make the envelope; a member is missing here when it is missing there. */
export interface Members { readonly id?: unknown; readonly method?: unknown; readonly result?: unknown; readonly error?: unknown }

/** `jsonrpc` is not looked at: there are agents that leave it out, and nothing else depends on it. */
export function envelopeOf(members: Members): Envelope {
  const { id, method, result, error } = members;
  if (method !== undefined) {
    if (typeof method !== "string") throw new FrameError(RpcCode.invalidRequest, "its method is not a string");
    if (id === undefined) return { kind: "notification", method };
    if (!isId(id)) throw new FrameError(RpcCode.invalidRequest, "its id is neither a string nor an integer");
    return { kind: "request", id, method };
  }
  if (result === undefined && error === undefined) throw new FrameError(RpcCode.invalidRequest, "it has neither a method nor a result nor an error");
  const failed = error !== undefined && (error !== null || result === undefined); // some write `"error":null` beside a result
  if (isId(id)) return { kind: "response", id, failed };
  if (id === null || id === undefined) return { kind: "response", id: null, failed };
  throw new FrameError(RpcCode.invalidRequest, "its id is neither a string nor an integer");
}

function isId(value: unknown): value is Id {
  return typeof value === "string" || Number.isInteger(value);
}

/**
 * An envelope, and where the bytes of its id, method and params stand: start and end are the same for what is not there, and
 * for params whose end was not looked for.
 */
export interface Scanned {
  readonly envelope: Envelope;
  readonly idStart: number;
  readonly idEnd: number;
  readonly methodStart: number;
  readonly methodEnd: number;
  readonly paramsStart: number;
  readonly paramsEnd: number;
  /** The value from which on no key of the envelope is spelled, up to the brace at the end of the line; the line's length when that was not tried. */
  readonly rest: number;
}

/** Reads the envelope of one line. Throws `FrameError`. */
export function scanEnvelope(line: Buffer): Scanned {
  const members: { id?: unknown; method?: unknown; result?: unknown; error?: unknown } = {};
  let idStart = 0, idEnd = 0, methodStart = 0, methodEnd = 0, paramsStart = 0, paramsEnd = 0;
  let at = skipSpace(line, 0);
  if (line[at] === BRACKET) throw notAnObject(line);
  if (line[at] !== BRACE) throw broken(line, at);
  at = skipSpace(line, at + 1);
  while (line[at] !== BRACE_END) {
    if (line[at] !== QUOTE) throw broken(line, at);
    const keyEnd = stringEnd(line, at);
    const key = envelopeKey(line, at + 1, keyEnd - 1);
    at = skipSpace(line, keyEnd);
    if (line[at] !== COLON) throw broken(line, at);
    const start = skipSpace(line, at + 1);
    if (key !== "id" && key !== "method" && line.at(-1) === BRACE_END && nothingMore(line, start, line.length, SPELLED)) {
      if (key === "result" || key === "error") members[key] = true;
      return { envelope: envelopeOf(members), idStart, idEnd, methodStart, methodEnd, paramsStart: 0, paramsEnd: 0, rest: start };
    }
    const end = valueEnd(line, start);
    switch (key) {
      case "id": idStart = start; idEnd = end; members.id = scalar(line, start, end); break;
      case "method": methodStart = start; methodEnd = end; members.method = scalar(line, start, end); break;
      case "params": paramsStart = start; paramsEnd = end; break;
      case "result": case "error": members[key] = line[start] === LETTER_N ? scalar(line, start, end) : true; break;
      case undefined: break;
    }
    at = skipSpace(line, end);
    if (line[at] === COMMA) { at = skipSpace(line, at + 1); if (line[at] === BRACE_END) throw broken(line, at); }
    else if (line[at] !== BRACE_END) throw broken(line, at);
  }
  const rest = skipSpace(line, at + 1);
  if (rest !== line.length) throw broken(line, rest);
  return { envelope: envelopeOf(members), idStart, idEnd, methodStart, methodEnd, paramsStart, paramsEnd, rest: line.length };
}

/** A key of the envelope, or an escaped letter, which could be part of one. */
const SPELLED = /"(?:id|jsonrpc|method|result|error)"|\\u00[67]/;

type EnvelopeKey = "id" | "method" | "params" | "result" | "error";
const KEYS: readonly { readonly key: EnvelopeKey; readonly bytes: Buffer }[] =
  (["id", "method", "params", "result", "error"] as const).map(key => ({ key, bytes: Buffer.from(key) }));

/** Which envelope key is spelled between two positions; an escape like `\u0069d` spells one too. */
function envelopeKey(line: Buffer, start: number, end: number): EnvelopeKey | undefined {
  for (let at = start; at < end; at++) {
    if (line[at] === BACKSLASH) {
      const name = scalar(line, start - 1, end + 1);
      return KEYS.find(({ key }) => key === name)?.key;
    }
  }
  search: for (const { key, bytes } of KEYS) {
    if (bytes.length !== end - start) continue;
    for (let i = 0; i < bytes.length; i++) if (bytes[i] !== line[start + i]) continue search;
    return key;
  }
  return undefined;
}

function notAnObject(line: Buffer): FrameError {
  try { JSON.parse(line.toString()); }
  catch (cause) { return new FrameError(RpcCode.parseError, "it is not JSON", { cause }); }
  return new FrameError(RpcCode.invalidRequest, "it is a batch, and batches are not part of this protocol");
}

