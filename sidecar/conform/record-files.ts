/**
 * Formats a recorded conversation as JSON lines without secrets. A proxy has a client and a successor, so its
 * conversation has two files. Pure.
 */
import { redactText, redactValue } from "../../src/protocol/redaction/redact";
import { objectOr, stringOr } from "../rpc/json";
import { idKey, opposite } from "./conversation";
import { readLine, type Conversation, type Direction, type RecordedEvent, type RecordedLine } from "./recording";
import type { ProgramKind } from "./rule";
import type { Version } from "./schema";

/** `text`: JSON lines `{at, from: "kit" | "program", line}`, or `{at, event, …}` for other events. */
export interface RecordFile {
  readonly name: string;
  readonly text: string;
}

export function recordFiles(program: ProgramKind, number: number, conversation: Conversation): readonly RecordFile[] {
  const name = `${String(number).padStart(2, "0")}-${conversation.scenario}`;
  const file = (end: string, events: readonly RecordedEvent[]): RecordFile => ({
    name: `${name}${end}.jsonl`,
    text: events.map(event => `${JSON.stringify(entryOf(event))}\n`).join(""),
  });
  if (program !== "proxy") return [file("", conversation.events)];
  const successor = successorLines(conversation);
  return [
    file(
      ".client",
      conversation.events.filter(event => event.kind !== "line" || !successor.has(event)),
    ),
    file(
      ".successor",
      conversation.events.filter(event => event.kind === "line" && successor.has(event)),
    ),
  ];
}

function entryOf(event: RecordedEvent): object {
  if (event.kind !== "line") return { ...event, kind: undefined, event: event.kind };
  return { at: event.at, from: event.direction === "toProgram" ? "kit" : "program", line: redactText(event.text) };
}

/** Lines between a proxy and its successor: envelopes and the responses to them. */
function successorLines({ events }: Conversation): ReadonlySet<RecordedLine> {
  const lines = new Set<RecordedLine>(),
    requests = new Set<string>();
  const key = (direction: Direction, id: unknown): string => `${direction} ${idKey(id)}`;
  for (const event of events) {
    if (event.kind !== "line") continue;
    const isSuccessorLine = event.messages.some(message => {
      if (message.kind === "response") return requests.has(key(opposite(event.direction), message.id));
      const isEnvelope = /^_?proxy\/successor/.test(message.method);
      if (isEnvelope && message.kind === "request") requests.add(key(event.direction, message.id));
      return isEnvelope;
    });
    if (isSuccessorLine) lines.add(event);
  }
  return lines;
}

/** Line of a file that the recording agent writes, without secrets. A JSON line remains JSON. */
export function writtenEvent(event: RecordedEvent): string {
  return event.kind === "line"
    ? JSON.stringify({ kind: "line", at: event.at, direction: event.direction, text: redactedLine(event.text) })
    : JSON.stringify(event);
}

function redactedLine(text: string): string {
  const redacted = redactText(text);
  if (redacted === text || !isJson(text) || isJson(redacted)) return redacted;
  return JSON.stringify(redactValue(JSON.parse(text)));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Parses the lines of `writtenEvent`. `version`: version of the conversation. Incomplete lines are skipped. */
export function readEvents(text: string, version: Version): readonly RecordedEvent[] {
  return text.split("\n").flatMap((line): readonly RecordedEvent[] => {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return [];
    }
    const { kind, at, direction, text, id } = objectOr(value),
      time = Number(at);
    if (kind === "noResponse") return [{ kind, at: time, id }];
    if (kind === "exited") return [{ kind, at: time, status: "closed" }];
    if (kind !== "line" || (direction !== "toProgram" && direction !== "fromProgram")) return [];
    return [readLine(direction, stringOr(text, ""), time, version)];
  });
}
