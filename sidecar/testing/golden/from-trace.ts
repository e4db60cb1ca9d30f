/**
 * Converts a trace (`--trace-dir`, `symposium.traceDir`; `sidecar/conductor/trace.ts`) into a golden transcript. Pure.
 *
 * Invariants:
 * - Every value passes through the redactor again, because the trace may come from an older version.
 * - Ids, paths of the user, UUIDs, ports and times are replaced by stable names. Two traces of the same conversation
 *   therefore give the same transcript.
 */
import { redactText, redactValue } from "../../../src/protocol/redaction/redact";
import { AGENT_METHODS, PROTOCOL_METHODS } from "../../acp/methods";
import type { TraceEvent } from "../../conductor/trace";
import { arrayOr, isObject, objectOr, stringOr } from "../../rpc/json";
import { StableNames, TranscriptLines, traceText } from "./lines";

export interface FromTraceOptions {
  /** First line of the transcript, after `# `. */
  readonly title: string;
  /** Keeps this session and the messages before it. MCP messages name no session and are kept only without this. */
  readonly session?: string | undefined;
}

type TracedEvent = Exclude<TraceEvent, { readonly type: "dropped" }>;

/** Members whose text values are ids, with the names that replace them. */
const IDS: Readonly<Record<string, string>> = {
  sessionId: "session",
  session: "session",
  toolCallId: "call",
  messageId: "message",
  terminalId: "terminal",
  elicitationId: "elicitation",
  connectionId: "connection",
  serverId: "server",
  acpId: "server",
};
/** Ids of this length are also replaced elsewhere, for example in a text. */
const UNMISTAKABLE = 8;

/** Throws an `Error` with the line number if a line is no trace event, or if the trace has no such session. */
export function goldenFromTrace(trace: string, { title, session }: FromTraceOptions): readonly string[] {
  const events = readTrace(trace),
    selected = session === undefined ? events : eventsOfSession(session, events);
  const names = new StableNames(placesIn(events)),
    renamed = new Renaming(names),
    lines = new TranscriptLines();
  for (const event of selected) {
    if (event.type === "dropped") {
      lines.add("trace", "trace", traceText(event));
      continue;
    }
    lines.add(event.from, event.to, withoutTimes(names.in(traceText(renamed.event(event)))));
  }
  return [`# ${redactText(title)}`, ...lines.all];
}

/** Ids of the sessions in the trace, in order of appearance. */
export function sessionsIn(trace: string): readonly string[] {
  return [...new Set(readTrace(trace).flatMap(event => sessionOf(event)))];
}

function readTrace(trace: string): readonly TraceEvent[] {
  return trace.split("\n").flatMap((line, i) => {
    if (line.trim() === "") return [];
    const event = parsed(line);
    if (!isTraceEvent(event)) throw new Error(`Line ${i + 1} is no event of a trace.`);
    return [event];
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isTraceEvent(value: unknown): value is TraceEvent {
  if (!isObject(value)) return false;
  const { type, from, to, method, id } = value;
  if (type === "dropped") return typeof value.count === "number";
  if (typeof from !== "string" || typeof to !== "string") return false;
  const isCall = typeof method === "string" && typeof value.protocol === "string";
  switch (type) {
    case "request":
      return isCall && (typeof id === "string" || typeof id === "number");
    case "notification":
      return isCall;
    case "response":
      return typeof value.is_error === "boolean";
    default:
      return false;
  }
}

/** The session that the event names, also as the result of its setup. */
function sessionOf(event: TraceEvent): readonly string[] {
  if (event.type === "dropped") return [];
  if (event.type !== "response") return event.session === undefined ? [] : [event.session];
  const id = objectOr(event.payload).sessionId;
  return typeof id === "string" ? [id] : [];
}

/** `initialize` precedes every session. Responses are kept with their requests. */
function eventsOfSession(session: string, events: readonly TraceEvent[]): readonly TraceEvent[] {
  if (!events.some(event => sessionOf(event).includes(session)))
    throw new Error(`The trace has no session ${session}.`);
  const requests = new Set<string>(),
    opening = new Set(
      events
        .filter(isResponse)
        .filter(event => sessionOf(event).includes(session))
        .map(key),
    );
  return events.filter(event => {
    if (event.type === "dropped") return true;
    if (isResponse(event)) return requests.has(key(event));
    const isKept =
      event.session === session ||
      event.method === AGENT_METHODS.initialize ||
      (event.type === "request" && opening.has(key(event))) ||
      (event.method === PROTOCOL_METHODS.cancel_request && hasRequest(requests, event.params));
    if (isKept && event.type === "request") requests.add(key(event));
    return isKept;
  });
}

const isResponse = (event: TraceEvent): event is Extract<TraceEvent, { readonly type: "response" }> =>
  event.type === "response";

/** Key of a request and its response: both ends of the hop, the requester first, and the id. */
function key(event: Exclude<TracedEvent, { readonly type: "notification" }>): string {
  const [first, second] = event.type === "request" ? [event.from, event.to] : [event.to, event.from];
  return JSON.stringify([first, second, event.id]);
}

function hasRequest(requests: ReadonlySet<string>, params: unknown): boolean {
  const { requestId } = objectOr(params);
  return [...requests].some(request => arrayOr(parsed(request))[2] === requestId);
}

/** Folders of the sessions and the home folders in them, longest first. */
function placesIn(events: readonly TraceEvent[]): readonly (readonly [string, string])[] {
  const folders = new Set(
    events.flatMap(event =>
      event.type === "request" ? [stringOr(objectOr(event.params).cwd, "")].filter(cwd => cwd.length > 1) : [],
    ),
  );
  const homes = new Set(
    [...folders].flatMap(folder => /^(?:\/home|\/Users|[A-Z]:\\Users)[\\/][^\\/]+/i.exec(folder)?.slice(0, 1) ?? []),
  );
  return [
    ...[...folders].map((folder, i): readonly [string, string] => [folder, i === 0 ? "/project" : `/project-${i + 1}`]),
    ...[...homes].map((home): readonly [string, string] => [home, "~"]),
  ]
    .sort(([a], [b]) => b.length - a.length)
    .map(([place, name]) => [JSON.stringify(place).slice(1, -1), name]);
}

class Renaming {
  readonly #stableIds = new Map<string, string>();

  constructor(private readonly names: StableNames) {}

  event(event: TracedEvent): TracedEvent {
    if (event.type === "response")
      return { ...event, id: this.#requestId(event.id), payload: this.#clean(event.payload) };
    const params = this.#clean(event.params);
    return event.type === "request" ? { ...event, id: this.#requestId(event.id), params } : { ...event, params };
  }

  #requestId<Id extends string | number | null>(id: Id): Id | string {
    return typeof id === "string" ? this.names.of(id, "request") : id;
  }

  #clean(value: unknown): unknown {
    return this.#in(redactValue(value), "");
  }

  #in(value: unknown, name: string): unknown {
    if (typeof value === "string") return this.#text(value, name);
    if (Array.isArray(value)) return value.map(item => this.#in(item, name));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, this.#in(inner, member)]));
  }

  #text(value: string, name: string): string {
    const kind = Object.hasOwn(IDS, name) ? IDS[name] : name === "requestId" ? "request" : undefined;
    if (kind !== undefined) {
      const stable = this.names.of(value, kind);
      if (value.length >= UNMISTAKABLE) this.#stableIds.set(value, stable);
      return stable;
    }
    let text = value;
    for (const [id, stable] of this.#stableIds) text = text.replaceAll(id, stable);
    return text;
  }
}

function withoutTimes(text: string): string {
  return text.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g, "TIME");
}
