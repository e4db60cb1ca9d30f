/**
 * Session records that outlive the process, so that a reopened chat finds its agent's session. Finished turns are
 * stored as digests, and only a cut-off answer as text. The host may return records of another version or source.
 * Invalid records are dropped. Pure.
 */
import * as v from "valibot";
import { finite, list, parsed, type Infer } from "../../src/protocol/wire/schema";
import type { Turn } from "./history/parse-history";
import type { ModeReturn } from "./session/session-mode";
import { ended, type SessionRecord } from "./history/session-record";

export interface Saved {
  readonly session: SessionRecord;
  /** The agent's id of the session. */
  readonly agentSession: string;
  /** Time of last use, in milliseconds since 1970. */
  readonly at: number;
  readonly modeReturn?: ModeReturn;
}

/** Maximum age in days, and maximum number of records. */
const DAYS = 30,
  MAX_SESSIONS = 200;
const DAY_MS = 86_400_000;
/** Maximum length of a list in a record. A longer list is a sign of damage. */
const MAX_ITEMS = 1_000_000;

const text = v.optional(v.string()),
  calls = list(v.string(), MAX_ITEMS),
  turn = v.object({ user: text, answer: text, fuller: text, last: text, calls });

const stored = v.object({
  version: v.literal(1),
  at: finite,
  agentSession: v.string(),
  id: v.string(),
  agent: v.string(),
  caller: text,
  conversationId: text,
  chatSession: text,
  turns: list(turn, MAX_ITEMS),
  isBeside: v.boolean(),
  isSuperseded: v.boolean(),
  knowsMore: v.boolean(),
  summarised: v.optional(v.object({ turns: v.optional(finite) })),
  modeReturn: v.optional(v.object({ from: v.string(), to: v.string() })),
  /** The last exchange, answered or cut off. */
  last: v.optional(
    v.union([
      v.object({ turn }),
      v.object({ user: text, rounds: list(v.object({ text: v.string(), calls }), MAX_ITEMS) }),
    ]),
  ),
});
/** A record as JSON. */
export type StoredRecord = Infer<typeof stored>;

/** A running turn is saved as cut off. */
export function save(session: SessionRecord, agentSession: string, at: number, modeReturn?: ModeReturn): StoredRecord {
  const { batch, consumed, trace, span, provisional, ...persistent } = ended(session, "cut");
  return { version: 1, at, agentSession, modeReturn, ...persistent, last: lastOf(provisional) };
}

function lastOf(last: SessionRecord["provisional"]): StoredRecord["last"] {
  return last?.state === "answered" ? { turn: last.turn } : last && { user: last.user, rounds: last.rounds };
}

export function restore(value: unknown): Saved | undefined {
  const record = parsed(stored, value);
  if (!record) return undefined;
  const { version, at, agentSession, modeReturn, last, ...persistent } = record;
  const session: SessionRecord = {
    ...persistent,
    caller: record.caller,
    conversationId: record.conversationId,
    chatSession: record.chatSession,
    turns: record.turns.map(turnOf),
    summarised: record.summarised && { turns: record.summarised.turns },
    provisional:
      last &&
      ("turn" in last ? { state: "answered", turn: turnOf(last.turn) } : { ...last, state: "cut", user: last.user }),
    batch: new Set(),
    consumed: new Set(),
    trace: undefined,
    span: undefined,
  };
  return { session, agentSession, at, ...(modeReturn ? { modeReturn } : {}) };
}

/** Restores the undefined members that JSON omits. */
function turnOf({ user, answer, fuller, last, calls }: StoredRecord["turns"][number]): Turn {
  return { user, answer, last, calls, ...(fuller === undefined ? {} : { fuller }) };
}

/** Keeps at most `MAX_SESSIONS` records of the last `DAYS` days, and returns the ids of the others. */
export function prune(
  saved: readonly Saved[],
  now: number,
): { readonly valid: readonly Saved[]; readonly forgotten: readonly string[] } {
  const valid = saved
    .filter(({ at }) => at > now - DAYS * DAY_MS)
    .sort((a, b) => b.at - a.at)
    .slice(0, MAX_SESSIONS);
  return { valid, forgotten: saved.filter(each => !valid.includes(each)).map(({ session }) => session.id) };
}
