/**
 * Walking over JSON as bytes, without parsing it: strings are crossed by native searches, nested values by counting brackets.
 * That what is nested is valid inside is found out by whoever parses it.
 */
import { RpcCode } from "./message";

/** A line that is no message: `parseError` when it is not JSON, `invalidRequest` when it is, but no JSON-RPC. */
export class FrameError extends Error {
  override readonly name = "FrameError";
  constructor(readonly code: typeof RpcCode.parseError | typeof RpcCode.invalidRequest, message: string, options?: { cause?: unknown }) {
    super(message, options);
  }
}

export const QUOTE = 0x22, COMMA = 0x2c, COLON = 0x3a, BACKSLASH = 0x5c, BRACKET = 0x5b, BRACKET_END = 0x5d, BRACE = 0x7b, BRACE_END = 0x7d, LETTER_N = 0x6e;
/** Beyond so many bytes one native search is cheaper than looking at each. */
const NEAR = 48;

export function skipSpace(line: Buffer, from: number): number {
  let at = from;
  for (let byte = line[at]; byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a; byte = line[at]) at++;
  return at;
}

/** The position after the closing quote of the string that opens at `open`. */
export function stringEnd(line: Buffer, open: number): number {
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
export function valueEnd(line: Buffer, start: number): number {
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

/** A string, number, `null`, `true` or `false`; anything nested is given as `true`, which no envelope accepts. */
export function scalar(line: Buffer, start: number, end: number): unknown {
  const first = line[start];
  if (first === BRACE || first === BRACKET) return true;
  const text = line.toString("utf8", start, end);
  if (first === QUOTE && !text.includes("\\")) return text.slice(1, -1);
  try { return JSON.parse(text); }
  catch (cause) { throw new FrameError(RpcCode.parseError, `it is not JSON: ${text.slice(0, 40)}`, { cause }); }
}

export function broken(line: Buffer, at: number): FrameError {
  return at >= line.length ? brokenOff() : new FrameError(RpcCode.parseError, `it is not JSON from byte ${at} on`);
}

function brokenOff(): FrameError {
  return new FrameError(RpcCode.parseError, "it breaks off in the middle");
}

/** From so many bytes on, searching them all is cheaper than a look at each. */
const FAR = 4096;

/**
 * Whether the value that begins at `start`, and what follows up to `end`, is so long that a search is worth it, and the search for
 * `pattern` (over the bytes as latin-1) finds nothing. False says nothing.
 */
export function nothingMore(line: Buffer, start: number, end: number, pattern: RegExp): boolean {
  if (end - start < FAR) return false;
  if (line[start] !== BRACE && line[start] !== BRACKET && line[start] !== QUOTE) return false;
  const middle = (start + end) >> 1;
  if (line.indexOf(QUOTE, middle) - middle > FAR) return false; // one long string, which a scan crosses faster still
  return !pattern.test(line.toString("latin1", start, end));
}
