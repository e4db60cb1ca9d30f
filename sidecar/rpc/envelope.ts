/**
 * The envelope of a JSON-RPC message (kind, id, method), read from the bytes of a line without parsing it.
 *
 * Invariants: for every line that is valid JSON the result is what `JSON.parse` would have given, whatever the order of the
 * keys, their escapes or their repetition (the last one counts). That needs the whole top level; but where much is still to
 * come and none of it can spell a key of the envelope, the scan is over: one native search finds that out. Otherwise nested
 * values are skipped by counting brackets: that they are valid inside is found out by whoever parses them. A line that breaks
 * off is refused, except a long one that breaks off right after a `}`.
 */
import { RpcCode, type Id } from "./message";

export type Envelope =
  | { readonly kind: "request"; readonly id: Id; readonly method: string }
  | { readonly kind: "notification"; readonly method: string }
  /** `id` is null or absent in the answer to something that could not be read. */
  | { readonly kind: "response"; readonly id: Id | null; readonly failed: boolean };

/** A line that is no message: `parseError` when it is not JSON, `invalidRequest` when it is, but no JSON-RPC. */
export class FrameError extends Error {
  override readonly name = "FrameError";
  constructor(readonly code: typeof RpcCode.parseError | typeof RpcCode.invalidRequest, message: string, options?: { cause?: unknown }) {
    super(message, options);
  }
}

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

/** An envelope, and where the bytes of its id stand: `idStart === idEnd` when it has none. */
export interface Scanned { readonly envelope: Envelope; readonly idStart: number; readonly idEnd: number }

/** Reads the envelope of one line. Throws `FrameError`. */
export function scanEnvelope(line: Buffer): Scanned {
  const members: { id?: unknown; method?: unknown; result?: unknown; error?: unknown } = {};
  let idStart = 0, idEnd = 0;
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
    if (key !== "id" && key !== "method" && nothingMore(line, start)) {
      if (key) members[key] = true;
      return { envelope: envelopeOf(members), idStart, idEnd };
    }
    const end = valueEnd(line, start);
    if (key === "id") { idStart = start; idEnd = end; members.id = scalar(line, start, end); }
    else if (key) members[key] = key === "method" || line[start] === LETTER_N ? scalar(line, start, end) : true;
    at = skipSpace(line, end);
    if (line[at] === COMMA) { at = skipSpace(line, at + 1); if (line[at] === BRACE_END) throw broken(line, at); }
    else if (line[at] !== BRACE_END) throw broken(line, at);
  }
  const rest = skipSpace(line, at + 1);
  if (rest !== line.length) throw broken(line, rest);
  return { envelope: envelopeOf(members), idStart, idEnd };
}

const QUOTE = 0x22, COMMA = 0x2c, COLON = 0x3a, BACKSLASH = 0x5c, BRACKET = 0x5b, BRACKET_END = 0x5d, BRACE = 0x7b, BRACE_END = 0x7d, LETTER_N = 0x6e;
/** Beyond so many bytes one native search is cheaper than looking at each. */
const NEAR = 48;

/** From so many bytes on, searching them all is cheaper than a look at each. */
const FAR = 4096;
/** A key of the envelope, or an escaped letter, which could be part of one. */
const SPELLED = /"(?:id|method|result|error)"|\\u00[67]/;

/** Whether a long rest of the line, from the value at `start` on, has no key of the envelope. */
function nothingMore(line: Buffer, start: number): boolean {
  if (line.length - start < FAR || line.at(-1) !== BRACE_END) return false;
  if (line[start] !== BRACE && line[start] !== BRACKET && line[start] !== QUOTE) return false;
  const middle = (start + line.length) >> 1;
  if (line.indexOf(QUOTE, middle) - middle > FAR) return false; // one long string, which the scan crosses faster still
  return !SPELLED.test(line.toString("latin1", start));
}

function skipSpace(line: Buffer, from: number): number {
  let at = from;
  for (let byte = line[at]; byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a; byte = line[at]) at++;
  return at;
}

/** The position after the closing quote of the string that opens at `open`. */
function stringEnd(line: Buffer, open: number): number {
  for (let at = open + 1; at < line.length;) {
    for (const near = at + NEAR; at < near; at++) {
      const byte = line[at];
      if (byte === QUOTE) return at + 1;
      if (byte === BACKSLASH) at++;
    }
    const quote = line.indexOf(QUOTE, at);
    if (quote === -1) break;
    let escapes = quote;
    while (line[escapes - 1] === BACKSLASH) escapes--;
    if ((quote - escapes) % 2 === 0) return quote + 1;
    at = quote + 1;
  }
  throw brokenOff();
}

/** The position after the value that begins at `start`. */
function valueEnd(line: Buffer, start: number): number {
  const first = line[start];
  if (first === QUOTE) return stringEnd(line, start);
  if (first === BRACE || first === BRACKET) return nestedEnd(line, start);
  let at = start;
  for (; at < line.length; at++) {
    const byte = line[at];
    if (byte === COMMA || byte === BRACE_END || byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a) break;
  }
  if (at === start) throw broken(line, at);
  return at;
}

function nestedEnd(line: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < line.length; at++) {
    const byte = line[at];
    if (byte === QUOTE) at = stringEnd(line, at) - 1;
    else if (byte === BRACE || byte === BRACKET) depth++;
    else if ((byte === BRACE_END || byte === BRACKET_END) && --depth === 0) return at + 1;
  }
  throw brokenOff();
}

type EnvelopeKey = "id" | "method" | "result" | "error";
const KEYS: readonly { readonly key: EnvelopeKey; readonly bytes: Buffer }[] =
  (["id", "method", "result", "error"] as const).map(key => ({ key, bytes: Buffer.from(key) }));

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

/** A string, number, `null`, `true` or `false`; anything nested is given as `true`, which no envelope accepts. */
function scalar(line: Buffer, start: number, end: number): unknown {
  const first = line[start];
  if (first === BRACE || first === BRACKET) return true;
  const text = line.toString("utf8", start, end);
  if (first === QUOTE && !text.includes("\\")) return text.slice(1, -1);
  try { return JSON.parse(text); }
  catch (cause) { throw new FrameError(RpcCode.parseError, `it is not JSON: ${text.slice(0, 40)}`, { cause }); }
}

function notAnObject(line: Buffer): FrameError {
  try { JSON.parse(line.toString()); }
  catch (cause) { return new FrameError(RpcCode.parseError, "it is not JSON", { cause }); }
  return new FrameError(RpcCode.invalidRequest, "it is a batch, and batches are not part of this protocol");
}

function broken(line: Buffer, at: number): FrameError {
  return at >= line.length ? brokenOff() : new FrameError(RpcCode.parseError, `it is not JSON from byte ${at} on`);
}

function brokenOff(): FrameError {
  return new FrameError(RpcCode.parseError, "it breaks off in the middle");
}
