/**
 * Scans JSON as bytes without parsing it. Strings are skipped by native searches and nested values by counting
 * brackets. Nested content is validated only when it is parsed.
 */
import { RpcCode } from "./message";

/** A line that is not a message: `parseError` if it is not JSON, `invalidRequest` if it is JSON but not JSON-RPC. */
export class FrameError extends Error {
  override readonly name = "FrameError";
  constructor(
    readonly code: typeof RpcCode.parseError | typeof RpcCode.invalidRequest,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

export const QUOTE = 0x22,
  COMMA = 0x2c,
  COLON = 0x3a,
  BACKSLASH = 0x5c,
  BRACKET = 0x5b,
  BRACKET_END = 0x5d,
  BRACE = 0x7b,
  BRACE_END = 0x7d,
  LETTER_N = 0x6e;
const ZERO = 0x30;
/** Bytes. Beyond this length, one native search is cheaper than a byte loop. */
const NEAR = 32;

export function skipSpace(line: Buffer, from: number): number {
  let at = from;
  for (let byte = line[at]; byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a; byte = line[at]) at++;
  return at;
}

/** The offset after the last byte that is not whitespace. */
export function textEnd(line: Buffer): number {
  let end = line.length;
  for (let byte = line[end - 1]; byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a; byte = line[end - 1])
    end--;
  return end;
}

/** The offset after the closing quote of the string that opens at `open`. */
export function stringEnd(line: Buffer, open: number): number {
  let at = open + 1;
  for (const near = Math.min(at + NEAR, line.length); at < near; at++) {
    const byte = line[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at++;
  }
  for (let quote = line.indexOf(QUOTE, at); quote !== -1; quote = line.indexOf(QUOTE, quote + 1)) {
    let escapes = quote;
    while (line[escapes - 1] === BACKSLASH) escapes--;
    if ((quote - escapes) % 2 === 0) return quote + 1;
  }
  throw brokenOff();
}

/** The offset after the value that starts at `start`. */
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

/**
 * Parses a string, number, `null`, `true` or `false`. Returns `true` for a nested value, which is invalid in every
 * envelope.
 */
export function scalar(line: Buffer, start: number, end: number): unknown {
  const first = line[start];
  if (first === BRACE || first === BRACKET) return true;
  const whole = wholeNumber(line, start, end);
  if (whole !== -1) return whole;
  const text = line.toString("utf8", start, end);
  if (first === QUOTE && !text.includes("\\")) return text.slice(1, -1);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new FrameError(RpcCode.parseError, `it is not JSON: ${text.slice(0, 40)}`, { cause });
  }
}

/** Fast path for whole numbers, which most ids are; -1 for any other value. */
function wholeNumber(line: Buffer, start: number, end: number): number {
  if (end - start > 15 || (line[start] === ZERO && end - start > 1)) return -1;
  let value = 0;
  for (let at = start; at < end; at++) {
    const digit = (line[at] ?? 0) - ZERO;
    if (digit < 0 || digit > 9) return -1;
    value = 10 * value + digit;
  }
  return value;
}

export function broken(line: Buffer, at: number): FrameError {
  return at >= line.length ? brokenOff() : new FrameError(RpcCode.parseError, `it is not JSON from byte ${at} on`);
}

function brokenOff(): FrameError {
  return new FrameError(RpcCode.parseError, "it ends in the middle");
}

export function isAt(line: Buffer, start: number, bytes: Buffer): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== line[start + i]) return false;
  return true;
}

/**
 * A native search pays off only for at least `FAR` bytes, and only if strings are at most `SHORT` bytes long on
 * average.
 */
const FAR = 4096,
  SAMPLE = 32,
  SHORT = 16;

/**
 * Returns true if a search (as latin-1) from `start` to `end` pays off and finds none of these patterns. False is
 * inconclusive.
 */
export function containsNone(line: Buffer, start: number, end: number, patterns: readonly RegExp[]): boolean {
  if (end - start < FAR || !isDense(line, (start + end) >> 1)) return false;
  const text = line.toString("latin1", start, end);
  return !patterns.some(pattern => pattern.test(text));
}

function isDense(line: Buffer, from: number): boolean {
  const end = from + SAMPLE * SHORT;
  let at = from;
  for (let i = 0; i < SAMPLE; i++) {
    at = line.indexOf(QUOTE, at) + 1;
    if (at === 0 || at > end) return false;
  }
  return true;
}
