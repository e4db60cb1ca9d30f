/**
 * The envelope of a JSON-RPC message (kind, id, method), read from the bytes of a line without parsing it.
 *
 * Invariants:
 * - For every line that is valid JSON the result equals that of `JSON.parse`, whatever the order, escapes or repetition
 *   of keys (the last one counts).
 * - This requires the whole top level. If much is left and none of it can spell an envelope key, native searches detect
 *   this and the scan ends early.
 * - Otherwise nested values are skipped by counting brackets. Their content is validated only when it is parsed.
 * - A truncated line is rejected, except a long one that is truncated right after a `}`.
 */
import {
  BRACE,
  BRACKET,
  FrameError,
  LETTER_N,
  broken,
  nothingMore,
  scalar,
  skipSpace,
  textEnd,
  valueEnd,
} from "./json-scan";
import { MemberWalk, methodAt, type Retained } from "./members";
import { RpcCode, type Id } from "./message";
import { insideOf, isSuccessorMethod } from "./successor";

export { FrameError } from "./json-scan";

export type Envelope =
  | { readonly kind: "request"; readonly id: Id; readonly method: string }
  | { readonly kind: "notification"; readonly method: string }
  /** `id` is null or absent in the answer to an unreadable message. */
  | { readonly kind: "response"; readonly id: Id | null; readonly failed: boolean };

/** The members that form the envelope. A member is absent here when it is absent in the message. */
export interface Members {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** `jsonrpc` is not checked: some agents omit it, and nothing else depends on it. */
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
  /** Position of the params' value; 0 if there are none. */
  readonly paramsStart: number;
  /** All members except `jsonrpc` and `id`, possibly with a second `jsonrpc`; 0 when they are not contiguous. */
  readonly bodyStart: number;
  readonly bodyEnd: number;
  /** The content of a proxy's envelope, if the scan found one. */
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
    // otherwise each of many members would be searched to the end of the line
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

/**
 * An envelope key, and an escaped letter, which could be part of one. Two searches are faster than one combined search.
 */
const SPELLED = [/"(?:id|method|result|error)"/, /\\u00[67]/],
  SPELLED_TOO = [...SPELLED, /"jsonrpc"/];

/** Whether no relevant member follows the start of this value. A second `jsonrpc` is not relevant. */
function isLast(line: Buffer, start: number, close: number, isVersioned: boolean): boolean {
  return nothingMore(line, start, close, isVersioned ? SPELLED : SPELLED_TOO);
}

/** For a result or an error, only whether it is `null` matters. */
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
