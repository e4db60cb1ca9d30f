/**
 * Recording of a conversation with a program under test: every line in both directions, and the end of the
 * conversation. Rules judge recordings, so a recording holds no handle to the program. Pure, except for `Recorder.at`.
 */
import type { Clock } from "../rpc/clock";
import { isObject, type JsonObject } from "../rpc/json";
import type { Version } from "./schema";

/** Direction relative to the program under test. */
export type Direction = "toProgram" | "fromProgram";

export type WireMessage =
  | {
      readonly kind: "request";
      readonly id: unknown;
      readonly method: string;
      readonly params: unknown;
      readonly raw: JsonObject;
    }
  | { readonly kind: "notification"; readonly method: string; readonly params: unknown; readonly raw: JsonObject }
  | {
      readonly kind: "response";
      readonly id: unknown;
      readonly result?: unknown;
      readonly error?: unknown;
      readonly raw: JsonObject;
    };

export interface RecordedLine {
  readonly kind: "line";
  /** Milliseconds since the conversation started. */
  readonly at: number;
  readonly direction: Direction;
  /** Without its newline. */
  readonly text: string;
  /** Several messages for a batch. Empty if the line is not a message. */
  readonly messages: readonly WireMessage[];
  readonly isBatch: boolean;
  /** Violation of JSON-RPC 2.0, if any. */
  readonly problem: string | undefined;
}

export type RecordedEvent =
  | RecordedLine
  /** The time limit for the response to the request with this id expired. */
  | { readonly kind: "noResponse"; readonly at: number; readonly id: unknown }
  | { readonly kind: "inputClosed"; readonly at: number }
  /** `status`: the exit code or the signal. */
  | { readonly kind: "exited"; readonly at: number; readonly status: string }
  /** The program did not exit within the limit after its stdin closed. The kit stopped it. */
  | { readonly kind: "stillRunning"; readonly at: number; readonly afterMs: number }
  /** The program wrote more than the limit. The kit stopped it. */
  | { readonly kind: "tooMuchOutput"; readonly at: number; readonly bytes: number };

export interface Conversation {
  /** Unique in a run of the kit, for example `session-v1`. */
  readonly scenario: string;
  /** `protocolVersion` that the client side requested. */
  readonly requested: number;
  /** Version that this conversation tests. Rules for other versions skip it. */
  readonly version: Version;
  readonly events: readonly RecordedEvent[];
}

export class Recorder {
  readonly #events: RecordedEvent[] = [];
  readonly #started: number;

  constructor(
    readonly scenario: string,
    readonly requested: number,
    readonly version: Version,
    private readonly clock: Clock,
    private readonly onEvent: (event: RecordedEvent) => void = () => undefined,
  ) {
    this.#started = clock.now();
  }

  get at(): number {
    return Math.round(this.clock.now() - this.#started);
  }
  get conversation(): Conversation {
    return { scenario: this.scenario, requested: this.requested, version: this.version, events: this.#events };
  }

  line(direction: Direction, text: string): RecordedLine {
    const line = readLine(direction, text, this.at, this.version);
    this.event(line);
    return line;
  }

  event(event: RecordedEvent): void {
    this.#events.push(event);
    this.onEvent(event);
  }
}

/** Parses one line of a conversation in this version. Never throws. */
export function readLine(direction: Direction, text: string, at: number, version: Version): RecordedLine {
  const line = { kind: "line", at, direction, text } as const;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ...line, messages: [], isBatch: false, problem: "The line is not JSON." };
  }
  const isBatch = Array.isArray(value),
    parsed = (isBatch ? (value as unknown[]) : [value]).map(raw => readMessage(raw, version));
  const messages = parsed.flatMap(({ message }) => (message ? [message] : []));
  const problem =
    isBatch && parsed.length === 0
      ? "The batch is empty."
      : parsed.find(message => message.problem !== undefined)?.problem;
  return { ...line, messages, isBatch, problem };
}

interface ParsedMessage {
  readonly message?: WireMessage;
  readonly problem?: string | undefined;
}

/** `params: null` counts as absent, because the types of ACP allow it. */
function readMessage(raw: unknown, version: Version): ParsedMessage {
  if (!isObject(raw)) return { problem: "The message is not a JSON object." };
  const { id, method } = raw,
    params = raw.params ?? undefined,
    wrongVersion = raw.jsonrpc === "2.0" ? undefined : `"jsonrpc" is not "2.0".`;
  // An object or array can be nested too deeply to compare or write.
  if (typeof id === "boolean" || (typeof id === "object" && id !== null))
    return { problem: `The "id" is neither a string nor an integer.` };
  if (typeof method === "string") {
    const structured = params === undefined || typeof params === "object";
    const problem = wrongVersion ?? (structured ? undefined : `"params" is neither an object nor an array.`);
    if (!("id" in raw)) return { message: { kind: "notification", method, params, raw }, problem };
    const wrongId = isId(id, version) ? undefined : `The "id" of a request is neither a string nor an integer.`;
    return { message: { kind: "request", id, method, params, raw }, problem: problem ?? wrongId };
  }
  if (!("result" in raw) && !("error" in raw))
    return { problem: "The message is no request, notification or response." };
  const message: WireMessage = {
    kind: "response",
    id,
    raw,
    ...("result" in raw ? { result: raw.result } : {}),
    ...("error" in raw ? { error: raw.error } : {}),
  };
  return { message, problem: wrongVersion ?? responseProblem(raw, version) };
}

function responseProblem(raw: JsonObject, version: Version): string | undefined {
  const { id, error } = raw;
  if ("result" in raw && "error" in raw) return `The response has both "result" and "error".`;
  if (!isId(id, version) && !(id === null && "error" in raw)) return `The response has no "id".`;
  if (!("error" in raw)) return undefined;
  if (isObject(error) && Number.isInteger(error.code) && typeof error.message === "string") return undefined;
  return `The "error" has no integer "code" and string "message".`;
}

/** Version 1 allows null. */
function isId(id: unknown, version: Version): boolean {
  return typeof id === "string" || Number.isInteger(id) || (id === null && version === 1);
}
