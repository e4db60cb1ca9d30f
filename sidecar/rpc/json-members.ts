/** Iterates over the members of a JSON object as bytes, and removes members. */
import {
  BACKSLASH,
  BRACE_END,
  COLON,
  COMMA,
  QUOTE,
  broken,
  isAt,
  scalar,
  skipSpace,
  stringEnd,
  valueEnd,
} from "./json-scan";

const KEYS = ["id", "method", "params", "result", "error", "jsonrpc", "_meta", "meta"] as const;
export type Key = (typeof KEYS)[number];

/** Indexed by key length. */
const BY_LENGTH: readonly (readonly { readonly key: Key; readonly bytes: Buffer }[])[] = Array.from(
  { length: 8 },
  (_, length) => KEYS.filter(key => key.length === length).map(key => ({ key, bytes: Buffer.from(key) })),
);
/** Length in bytes of an escaped letter. No key in `KEYS` has only one letter. */
const ESCAPE = "\\u0069".length;

/** Returns the key of `KEYS` between two offsets, including an escaped spelling such as `\u0069d`. */
function keyAt(line: Buffer, start: number, end: number): Key | undefined {
  for (const { key, bytes } of BY_LENGTH[end - start] ?? []) if (isAt(line, start, bytes)) return key;
  if (end - start <= ESCAPE) return undefined;
  for (let at = start; at < end; at++) {
    if (line[at] !== BACKSLASH) continue;
    const name = scalar(line, start - 1, end + 1);
    return KEYS.find(key => key === name);
  }
  return undefined;
}

/** Iterates over the keys of the object that opens at `open`. Throws `FrameError` if the object is malformed. */
export class MemberWalk {
  /** Offset of the key, or of the closing brace. */
  at: number;
  key: Key | undefined;
  /** Offset of the value. */
  start = 0;

  constructor(
    readonly line: Buffer,
    open: number,
  ) {
    this.at = skipSpace(line, open + 1);
  }

  /** Reads a key; returns false at the closing brace. */
  next(): boolean {
    const { line, at } = this;
    if (line[at] === BRACE_END) return false;
    if (line[at] !== QUOTE) throw broken(line, at);
    const end = stringEnd(line, at),
      colon = skipSpace(line, end);
    if (line[colon] !== COLON) throw broken(line, colon);
    this.key = keyAt(line, at + 1, end - 1);
    this.start = skipSpace(line, colon + 1);
    return true;
  }

  /** Advances to the next member. `end` is the end of the value, if already known. */
  pass(end = valueEnd(this.line, this.start)): number {
    const { line } = this;
    let at = skipSpace(line, end);
    if (line[at] === COMMA) {
      at = skipSpace(line, at + 1);
      if (line[at] === BRACE_END) throw broken(line, at);
    } else if (line[at] !== BRACE_END) throw broken(line, at);
    this.at = at;
    return end;
  }
}

/** Cache of the last method name of each length. Comparing bytes is cheaper than decoding them. */
const METHOD_CACHE: { readonly bytes: Buffer; readonly method: string }[] = [];
const MAX_METHOD_LENGTH = 64;

export function methodAt(line: Buffer, start: number, end: number): unknown {
  const cached = METHOD_CACHE[end - start];
  if (cached && isAt(line, start, cached.bytes)) return cached.method;
  const method = scalar(line, start, end);
  if (typeof method === "string" && end - start <= MAX_METHOD_LENGTH)
    METHOD_CACHE[end - start] = { bytes: Buffer.from(line.subarray(start, end)), method };
  return method;
}

const COMMA_BYTES = Buffer.from(",");

/** The rest of an object after some members are removed. */
export interface Retained {
  /** The text of the remaining members, in pieces. */
  readonly pieces: readonly Buffer[];
  /** The value of `method`; undefined if absent. */
  readonly method: unknown;
  /** The offset after the closing brace. */
  readonly end: number;
}

export function membersWithout(line: Buffer, open: number, without: ReadonlySet<Key>): Retained {
  const pieces: Buffer[] = [];
  let method: unknown;
  let from = -1,
    to = -1; // a run of retained members
  const flush = (): void => {
    if (from !== -1) pieces.push(...(pieces.length === 0 ? [] : [COMMA_BYTES]), line.subarray(from, to));
    from = -1;
  };
  const walk = new MemberWalk(line, open);
  while (walk.next()) {
    const { at, key, start } = walk;
    if (key !== undefined && without.has(key)) flush();
    else if (from === -1) from = at;
    to = walk.pass();
    if (key === "method") method = methodAt(line, start, to);
  }
  flush();
  return { pieces, method, end: walk.at + 1 };
}
