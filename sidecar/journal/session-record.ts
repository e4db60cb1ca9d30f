/** The record with which a later process continues a chat session with its agent's memory (issue 16 item 1). Pure. */
import * as v from "valibot";
import { parseJson } from "../../src/protocol/wire/json";
import { filled, list, parsed, type Infer } from "../../src/protocol/wire/schema";

const sessionRecord = v.object({
  type: v.literal("session"),
  /** Format of the journal, as in `stored-conversation.ts`. */
  format: v.literal(1),
  agentId: filled(1_000),
  cwd: filled(4_096),
  /** The ACP version that was offered to the agent. */
  protocol: v.picklist([1, 2]),
  /** Ids of the extensions with which the session began. */
  extensions: list(filled(1_000), 1_000),
  /** The agent's own id of the session. */
  agentSession: filled(4_096),
  /** Title in the agent's own list, for a session that was not created here. */
  title: v.exactOptional(filled(1_000)),
  /** The session does not exist yet: it starts as a fork of `agentSession`. */
  isFork: v.exactOptional(v.literal(true)),
});
export type SessionRecord = Infer<typeof sessionRecord>;

/** Starts with a line break, so that a torn line before it costs only itself. */
export function lineOf(record: SessionRecord): string {
  return `\n${JSON.stringify(record)}\n`;
}

/** The newest record of a journal. Torn, damaged and unknown lines are skipped. */
export function newestRecord(text: string): SessionRecord | undefined {
  return recordsIn(text).at(-1);
}

/** The records of a journal, the oldest first. Torn, damaged and unknown lines are skipped. */
export function recordsIn(text: string): readonly SessionRecord[] {
  return text
    .split("\n")
    .flatMap(line => (line.startsWith(START) ? (parsed(sessionRecord, parseJson(line)) ?? []) : []));
}
/** Start of each record; all other lines need no parsing. */
const START = '{"type":"session"';
