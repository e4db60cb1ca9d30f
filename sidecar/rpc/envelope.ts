/**
 * Reads the envelope of a JSON-RPC message (kind, id, method) from the bytes of a line without parsing the line.
 *
 * Invariants:
 * - For valid JSON, the result equals that of `JSON.parse` for any key order, escapes and duplicate keys (the last one
 *   applies).
 * - The scan covers the whole top level. It ends early if native searches find no envelope key in a long remainder.
 * - Nested values are skipped by counting brackets. They are validated only when they are parsed.
 * - A truncated line is rejected, except a long one that is truncated right after a `}`.
 */
import {
  BRACE,
  BRACKET,
  FrameError,
  LETTER_N,
  broken,
  containsNone,
  scalar,
  skipSpace,
  textEnd,
  valueEnd,
} from "./json-scan";
import { MemberWalk, methodAt, type Retained } from "./json-members";
import { RpcCode, type Id } from "./message";
import { insideOf, isSuccessorMethod } from "./proxy-envelope";

export { FrameError } from "./json-scan";

export type Envelope =
  | { readonly kind: "request"; readonly id: Id; readonly method: string }
  | { readonly kind: "notification"; readonly method: string }
  /** `id` is null in the error response to an invalid message, which may also omit its id. */
  | { readonly kind: "response"; readonly id: Id | null; readonly failed: boolean };

/** The members that form the envelope. Absent members are undefined. */
export interface Members {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** `jsonrpc` is not checked, because some agents omit it. */
export function envelopeOf(members: Members): Envelope {
  const { id, method, result, error } = members;
  if (method !== undefined) {
    if (typeof method !== "string") throw new FrameError(RpcCode.invalidRequest, "its method is not a string");
    if (id === undefined) return { kind: "notification", method };
    if (!isId(id)) throw new FrameError(RpcCode.invalidRequest, "its id is neither a string nor an integer");
    return { kind: "request", id, method };
  }
  if (result === undefined && error === undefined)
    throw new FrameError(RpcCode.invalidRequest, "it has neither a method nor a result nor an error");
  // some agents write `"error":null` beside a result
  const failed = error !== undefined && (error !== null || result === undefined);
  if (isId(id)) return { kind: "response", id, failed };
  if (id === null || id === undefined) return { kind: "response", id: null, failed };
  throw new FrameError(RpcCode.invalidRequest, "its id is neither a string nor an integer");
}

function isId(value: unknown): value is Id {
  return typeof value === "string" || Number.isInteger(value);
}

/** An envelope and the offsets of its parts. Start equals end for an absent part. */
export interface Scanned {
  readonly envelope: Envelope;
  readonly idStart: number;
  readonly idEnd: number;
  readonly methodStart: number;
  readonly methodEnd: number;
  /** Offset of the `params` value; 0 if absent. */
  readonly paramsStart: number;
  /** Range of all members except `jsonrpc` and `id`; 0 if not contiguous. May include a duplicate `jsonrpc`. */
  readonly bodyStart: number;
  readonly bodyEnd: number;
  /** The content of a proxy envelope, if the scan detected one. */
  readonly inside: Retained | undefined;
}

/** Reads the envelope of one line, which may end with whitespace and a newline. Throws `FrameError`. */
export function scanEnvelope(line: Buffer): Scanned {
  let id: unknown, method: unknown, result: unknown, error: unknown, inside: Retained | undefined;
  let idStart = 0,
    idEnd = 0,
    methodStart = 0,
    methodEnd = 0,
    paramsStart = 0,
    bodyStart = 0,
    bodyEnd = 0,
    bodies = 0;
  const open = skipSpace(line, 0),
    close = textEnd(line) - 1;
  if (line[open] === BRACKET) throw notAnObject(line);
  if (line[open] !== BRACE) throw broken(line, open);
  const walk = new MemberWalk(line, open);
  let isInBody = false,
    isVersioned = false,
    searchAgain = 0;
  while (walk.next()) {
    const { at, key, start } = walk;
    if (key === "params")
      inside = isSuccessorMethod(method) && line[start] === BRACE ? insideOf(line, start) : undefined;
    const isSearched = start >= searchAgain && key !== "id" && key !== "jsonrpc" && key !== "method";
    const end = walk.pass(
      key === "params" && inside
        ? inside.end
        : isSearched && isLast(line, start, close, isVersioned)
          ? close
          : undefined,
    );
    // otherwise the remainder would be searched again for each of many members
    if (isSearched) searchAgain = (start + close) >> 1;
    switch (key) {
      case "id":
        idStart = start;
        idEnd = end;
        id = scalar(line, start, end);
        break;
      case "method":
        methodStart = start;
        methodEnd = end;
        method = methodAt(line, start, end);
        break;
      case "params":
        paramsStart = start;
        break;
      case "result":
        result = presence(line, start);
        break;
      case "error":
        error = presence(line, start);
        break;
      default:
    }
    if (key === "jsonrpc") isVersioned = true;
    if (key === "id" || key === "jsonrpc") {
      isInBody = false;
      continue;
    }
    if (!isInBody && ++bodies === 1) bodyStart = at;
    isInBody = true;
    bodyEnd = end;
  }
  if (walk.at !== close) throw broken(line, skipSpace(line, walk.at + 1));
  if (bodies > 1) bodyStart = bodyEnd = 0;
  return {
    envelope: envelopeOf({ id, method, result, error }),
    idStart,
    idEnd,
    methodStart,
    methodEnd,
    paramsStart,
    bodyStart,
    bodyEnd,
    inside,
  };
}

/** An envelope key, and an escaped letter, which a key may contain. Two searches are faster than a combined search. */
const KEY_PATTERNS = [/"(?:id|method|result|error)"/, /\\u00[67]/],
  KEY_OR_VERSION_PATTERNS = [...KEY_PATTERNS, /"jsonrpc"/];

/** Whether no envelope member follows this value. A duplicate `jsonrpc` does not count. */
function isLast(line: Buffer, start: number, close: number, isVersioned: boolean): boolean {
  return containsNone(line, start, close, isVersioned ? KEY_PATTERNS : KEY_OR_VERSION_PATTERNS);
}

/** Returns null or true: the envelope contains only the presence of a result or an error. */
function presence(line: Buffer, start: number): unknown {
  return line[start] === LETTER_N ? scalar(line, start, valueEnd(line, start)) : true;
}

function notAnObject(line: Buffer): FrameError {
  try {
    JSON.parse(line.toString());
  } catch (cause) {
    return new FrameError(RpcCode.parseError, "it is not JSON", { cause });
  }
  return new FrameError(RpcCode.invalidRequest, "it is a batch, and batches are not part of this protocol");
}
