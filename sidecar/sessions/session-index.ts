/**
 * The index of a journal: what the list of sessions shows, and the searchable text. It is a file beside the journal, a
 * copy that is made anew whenever the journal has changed (issue 17 item 1). Pure.
 *
 * Invariant: an index whose `bytes` differ from the size of the journal is not used.
 */
import * as v from "valibot";
import { chatTitle } from "../../src/protocol/chat/chat-title";
import { objectOr, parseJson } from "../../src/protocol/wire/json";
import { count, finite, parsed, text, type Infer } from "../../src/protocol/wire/schema";
import { newestRecord, recordsIn } from "../journal/session-record";
import { restored, storedIn } from "../journal/stored-conversation";
import { searchableText } from "../journal/session-text";

/** Incremented with each change of the index, so that earlier ones are made anew. */
const VERSION = 1;
const line = text(10_000);

const indexHead = v.object({
  version: v.literal(VERSION),
  /** Size of the journal. */
  bytes: count,
  /** Absent if the journal contains no conversation. */
  agent: v.exactOptional(v.object({ id: line, name: line })),
  title: line,
  cwd: text(4_096),
  /** Time of the last start or end of a turn, in milliseconds since 1970; absent if unknown. */
  activeAt: v.exactOptional(finite),
  /** Neither a prompt nor an answer. */
  isEmpty: v.boolean(),
  /** The last entry reports an error. */
  hasFailed: v.boolean(),
  isArchived: v.boolean(),
  cost: v.exactOptional(v.object({ amount: finite, currency: line })),
  origin: v.exactOptional(line),
  /** Ids of the agents' sessions in which the conversation took place. */
  agentSessions: v.array(v.object({ agentId: line, id: text(4_096) })),
});
export type IndexHead = Infer<typeof indexHead>;

export interface SessionIndex {
  readonly head: IndexHead;
  /** See `session-text.ts`. */
  readonly text: string;
}

/** The index of a journal with this content. `bytes`: its size. */
export function indexOf(journal: string, bytes: number): SessionIndex {
  const stored = storedIn(journal),
    { agent, title, chosenTitle, entries, usage, terminals } = restored(stored, ""),
    { isArchived, cwd, origin } = objectOr(stored.version);
  const last = entries.at(-1),
    named = chatTitle({
      ...(title === undefined ? {} : { title }),
      ...(chosenTitle === undefined ? {} : { chosenTitle }),
      entries,
    });
  const originTitle = objectOr(origin)["title"];
  return {
    head: {
      version: VERSION,
      bytes,
      ...(agent === undefined ? {} : { agent: { id: agent.id, name: agent.name } }),
      title: (named ?? "").slice(0, 1_000),
      cwd: typeof cwd === "string" ? cwd : (newestRecord(journal)?.cwd ?? ""),
      ...(stored.activeAt === undefined ? {} : { activeAt: stored.activeAt }),
      isEmpty: entries.every(({ kind }) => kind === "notice"),
      hasFailed: last?.kind === "notice" && last.severity === "error",
      isArchived: isArchived === true,
      ...(usage?.cost === undefined ? {} : { cost: usage.cost }),
      ...(typeof originTitle === "string" ? { origin: originTitle } : {}),
      agentSessions: uniqueSessions(agentSessionsIn(journal)),
    },
    text: searchableText(entries, terminals),
  };
}

/**
 * The head of an open session after its journal has grown. Only the members that the open conversation does not contain
 * are new. `added`: whole lines. `bytes`: the size of the journal with them.
 */
export function grownHead(head: IndexHead, added: string, bytes: number): IndexHead {
  let { activeAt, isArchived } = head;
  for (const line of added.split("\n")) {
    const { at, change } = objectOr(CHANGE.test(line) ? parseJson(line) : undefined);
    if (typeof at === "number") activeAt = at;
    const stored = objectOr(objectOr(objectOr(change)["."])["isArchived"])["="];
    if (typeof stored === "boolean") isArchived = stored;
  }
  return {
    ...head,
    bytes,
    isArchived,
    ...(activeAt === undefined ? {} : { activeAt }),
    agentSessions: uniqueSessions([...head.agentSessions, ...agentSessionsIn(added)]),
  };
}
/** Start of the lines that change a conversation or its time. */
const CHANGE = /^\{"type":"(?:change|active)"/;

/** Content of the file: the head as one line of JSON, and the text. */
export function indexFile({ head, text }: SessionIndex): string {
  return `${JSON.stringify(head)}\n${text}`;
}

/** Undefined if the file begins with no head of this version. `start`: at least the first line of the file. */
export function headIn(start: string): IndexHead | undefined {
  const end = start.indexOf("\n");
  return end === -1 ? undefined : parsed(indexHead, parseJson(start.slice(0, end)));
}

type AgentSession = IndexHead["agentSessions"][number];

function agentSessionsIn(journal: string): readonly AgentSession[] {
  return recordsIn(journal)
    .filter(({ isFork }) => !isFork)
    .map(({ agentId, agentSession }) => ({ agentId, id: agentSession }));
}

function uniqueSessions(sessions: readonly AgentSession[]): AgentSession[] {
  return [...new Map(sessions.map(session => [`${session.agentId} ${session.id}`, session])).values()];
}
