/**
 * The envelope of a JSON-RPC message (kind, id, method), read from the bytes of a line without parsing it.
 *
 * Invariants: for every line that is valid JSON the result is what `JSON.parse` would have given, whatever the order of
 * the keys, their escapes or their repetition (the last one counts). That needs the whole top level; but where much is
 * still to come and none of it can spell a key of the envelope, the scan is over: native searches find that out.
 * Otherwise nested values are skipped by counting brackets: that they are valid inside is found out by whoever parses
 * them. A line that breaks off is refused, except a long one that breaks off right after a `}`.
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
import { MemberWalk, methodAt, type Kept } from "./members";
import { RpcCode, type Id } from "./message";
import { insideOf, isSuccessorMethod } from "./successor";

export { FrameError } from "./json-scan";

export type Envelope =
  | { readonly kind: "request"; readonly id: Id; readonly method: string }
  | { readonly kind: "notification"; readonly method: string }
  /** `id` is null or absent in the answer to something that could not be read. */
  | { readonly kind: "response"; readonly id: Id | null; readonly failed: boolean };

/** The members that make the envelope; a member is missing here when it is missing there. */
export interface Members {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** `jsonrpc` is not looked at: there are agents that leave it out, and nothing else depends on it. */
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
  // some write `"error":null` beside a result
  const failed = error !== undefined && (error !== null || result === undefined);
  if (isId(id)) return { kind: "response", id, failed };
  if (id === null || id === undefined) return { kind: "response", id: null, failed };
  throw new FrameError(RpcCode.invalidRequest, "its id is neither a string nor an integer");
}

function isId(value: unknown): value is Id {
  return typeof value === "string" || Number.isInteger(value);
}

/** An envelope, and where the bytes that it is made of stand: start and end are the same for what is not there. */
export interface Scanned {
  readonly envelope: Envelope;
  readonly idStart: number;
  readonly idEnd: number;
  readonly methodStart: number;
  readonly methodEnd: number;
  /** The value of the params; 0 where there are none. */
  readonly paramsStart: number;
  /**
   * All members but `jsonrpc` and `id`, though perhaps with a second `jsonrpc`; 0 when they do not stand side by side.
   */
  readonly bodyStart: number;
  readonly bodyEnd: number;
  /** What is in a proxy's envelope, where it was come across. */
  readonly inside: Kept | undefined;
}

/** Reads the envelope of one line, which may have spaces and a newline at its end. Throws `FrameError`. */
export function scanEnvelope(line: Buffer): Scanned {
  let id: unknown, method: unknown, result: unknown, error: unknown, inside: Kept | undefined;
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
    // or each of many members would be searched to the end of the line
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
 * A key of the envelope, and an escaped letter, which could be part of one. Two searches are faster than one for both.
 */
const SPELLED = [/"(?:id|method|result|error)"/, /\\u00[67]/],
  SPELLED_TOO = [...SPELLED, /"jsonrpc"/];

/** Whether nothing that counts comes behind the beginning of this value. A second `jsonrpc` does not. */
function isLast(line: Buffer, start: number, close: number, isVersioned: boolean): boolean {
  return nothingMore(line, start, close, isVersioned ? SPELLED : SPELLED_TOO);
}

/** Of a result or an error it only matters whether it is `null`. */
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
