/**
 * Session records that outlive the process, so that a reopened chat finds its agent's session. They hold digests, not
 * text. The host may return records of another version or from another source: they are validated, and invalid ones are
 * dropped. Pure.
 */
import { arrayOr, isObject, stringOr, type JsonObject } from "../rpc/json";
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

const VERSION = 1;
/** Maximum age in days, and maximum number of records. */
const DAYS = 30,
  MAX_SESSIONS = 200;
const DAY_MS = 86_400_000;

/** The record as plain JSON. A running turn is saved as cut off. */
export function save(session: SessionRecord, agentSession: string, at: number, modeReturn?: ModeReturn): JsonObject {
  const {
    id,
    agent,
    caller,
    conversationId,
    chatSession,
    turns,
    summarised,
    provisional: last,
    isBeside,
    isSuperseded,
    knowsMore,
  } = ended(session, "cut");
  return {
    version: VERSION,
    at,
    agentSession,
    id,
    agent,
    caller,
    conversationId,
    chatSession,
    turns,
    isBeside,
    isSuperseded,
    knowsMore,
    ...(summarised ? { summarised } : {}),
    ...(modeReturn ? { modeReturn } : {}),
    ...(last
      ? { last: last.state === "answered" ? { turn: last.turn } : { user: last.user, rounds: last.rounds } }
      : {}),
  };
}

export function restore(value: unknown): Saved | undefined {
  if (!isObject(value) || value.version !== VERSION) return undefined;
  const {
    at,
    agentSession,
    id,
    agent,
    caller,
    conversationId,
    chatSession,
    isBeside,
    isSuperseded,
    knowsMore,
    summarised,
  } = value;
  const turns = turnsIn(value.turns),
    last = lastIn(value.last);
  if (
    typeof at !== "number" ||
    typeof agentSession !== "string" ||
    typeof id !== "string" ||
    typeof agent !== "string" ||
    !turns ||
    last === "wrong"
  )
    return undefined;
  const session: SessionRecord = {
    id,
    agent,
    caller: stringOr(caller, undefined),
    conversationId: stringOr(conversationId, undefined),
    chatSession: stringOr(chatSession, undefined),
    turns,
    summarised: isObject(summarised)
      ? { turns: typeof summarised.turns === "number" ? summarised.turns : undefined }
      : undefined,
    provisional: last,
    batch: new Set(),
    consumed: new Set(),
    trace: undefined,
    span: undefined,
    isBeside: isBeside === true,
    isSuperseded: isSuperseded === true,
    knowsMore: knowsMore === true,
  };
  const modeReturn = modeReturnIn(value.modeReturn);
  return { session, agentSession, at, ...(modeReturn ? { modeReturn } : {}) };
}

function modeReturnIn(value: unknown): ModeReturn | undefined {
  if (!isObject(value)) return undefined;
  const { from, to } = value;
  return typeof from === "string" && typeof to === "string" ? { from, to } : undefined;
}

/** Keeps the newest records that are not too old, and returns the ids of the others. */
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

function turnsIn(value: unknown): readonly Turn[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const turns = value.map(turnIn);
  return turns.every(turn => turn !== undefined) ? turns : undefined;
}

function turnIn(value: unknown): Turn | undefined {
  if (!isObject(value)) return undefined;
  const { user, answer, fuller, last, calls } = value;
  return {
    user: stringOr(user, undefined),
    answer: stringOr(answer, undefined),
    last: stringOr(last, undefined),
    calls: texts(calls),
    ...(typeof fuller === "string" ? { fuller } : {}),
  };
}

function lastIn(value: unknown): SessionRecord["provisional"] | "wrong" {
  if (value === undefined) return undefined;
  if (!isObject(value)) return "wrong";
  const { turn, user, rounds } = value;
  if (turn === undefined)
    return {
      state: "cut",
      user: stringOr(user, undefined),
      rounds: arrayOr(rounds)
        .filter(isObject)
        .map(({ text, calls }) => ({ text: stringOr(text, ""), calls: texts(calls) })),
    };
  const read = turnIn(turn);
  return read ? { state: "answered", turn: read } : "wrong";
}

function texts(value: unknown): readonly string[] {
  return arrayOr(value).filter(text => typeof text === "string");
}
