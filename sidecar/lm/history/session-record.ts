/**
 * The record that matches a later request to its session: the turns in the agent's memory. Turns that VS Code has
 * returned in a history are committed (`turns`). The last exchange is provisional until a request contains it.
 *
 *              continued, begun                waits              resumed
 *   committed ─────────────────▶ streaming ─────────▶ waiting ─────────────▶ streaming
 *       ▲                            │ ended             │ ended
 *       └──── the next request ── answered, cut ◀────────┘
 *
 * Records are values: each function returns a new record. Pure: no clock and no generated ids.
 */
import type { ChatPart } from "../../../src/protocol/lm/lm";
import type { Identity } from "./request-identity";
import {
  commonRecords,
  turnOf,
  type Digest,
  type Reading,
  type ReadTurn,
  type Round,
  type Turn,
} from "./parse-history";

export type Provisional =
  /** A request is open, or the response ended in calls whose results are awaited. */
  | { readonly state: "streaming" | "waiting"; readonly user: Digest | undefined; readonly rounds: readonly Round[] }
  /** Stopped, failed or without an answer. VS Code keeps the whole exchange, a part, only the question, or nothing. */
  | { readonly state: "cut"; readonly user: Digest | undefined; readonly rounds: readonly Round[] }
  | { readonly state: "answered"; readonly turn: Turn };

export interface SessionRecord {
  readonly id: string;
  /** `agentKey` of the requests that this session serves. */
  readonly agent: string;
  readonly caller: string | undefined;
  readonly conversationId: string | undefined;
  readonly chatSession: string | undefined;
  readonly turns: readonly Turn[];
  /** The session began with a summary that replaces earlier turns. `turns`: their number, if the host counts them. */
  readonly summarised: { readonly turns: number | undefined } | undefined;
  readonly provisional: Provisional | undefined;
  /** Calls of the response that ended last. Their results arrive with the next request. */
  readonly batch: ReadonlySet<string>;
  /** The previous batch. If its results arrive again, the round is retried. */
  readonly consumed: ReadonlySet<string>;
  /** `trace` and `span` of the last request. */
  readonly trace: string | undefined;
  readonly span: string | undefined;
  /** An agent loop with the conversation's id, outside its main loop. Requests match it only by call ids. */
  readonly isBeside: boolean;
  /** Another session has replaced this session in the chat. This session can become current again. */
  readonly isSuperseded: boolean;
  /** The agent remembers a stopped turn that VS Code has dropped. */
  readonly knowsMore: boolean;
}

/** The parts of a request that are used for matching. */
export interface RequestKey {
  readonly agent: string;
  readonly identity: Identity;
  readonly reading: Reading;
}

/** Maximum characters stored of a cut-off answer, to recognise its start. */
const CUT_LIMIT = 20_000;

export function begin(id: string, { agent, identity, reading }: RequestKey, isBeside: boolean): SessionRecord {
  const { caller, conversationId, chatSession, turn, trace, span } = identity,
    hidden = turn === undefined ? undefined : turn - 1 - reading.turns.length;
  return {
    id,
    agent,
    caller,
    conversationId,
    chatSession,
    trace,
    span,
    isBeside,
    isSuperseded: false,
    knowsMore: false,
    turns: reading.records,
    summarised: reading.summary !== undefined ? { turns: hidden } : undefined,
    provisional: streaming(reading),
    batch: new Set(),
    consumed: new Set(),
  };
}

/**
 * Begins another turn. Commits the earlier turns from the request or, for a compacted history, from the session's
 * record.
 */
export function proceed(session: SessionRecord, { identity, reading }: RequestKey): SessionRecord {
  const { trace, span } = identity,
    chatSession = identity.chatSession ?? session.chatSession;
  const turns =
    reading.summary !== undefined ? shown(session, identity, reading) : withOwnCalls(reading.records, session);
  return {
    ...session,
    turns,
    chatSession,
    provisional: streaming(reading),
    batch: new Set(),
    consumed: session.batch,
    trace,
    span,
    isSuperseded: false,
    knowsMore: session.knowsMore || turns.length < whole(session).length,
  };
}

/** Continues the turn with the awaited results. If the request has new user text, begins another turn. */
export function resume(session: SessionRecord, asking: RequestKey): SessionRecord {
  if (asking.reading.isNew) return proceed(session, asking);
  const { trace, span } = asking.identity,
    before = session.provisional;
  const { user, rounds } =
    before === undefined || before.state === "answered"
      ? { user: asking.reading.requestDigest, rounds: asking.reading.rounds }
      : before;
  return {
    ...session,
    provisional: { state: "streaming", user, rounds: [...rounds, EMPTY_ROUND] },
    batch: new Set(),
    consumed: session.batch,
    trace,
    span,
    isSuperseded: false,
  };
}

/** Retries the last round. New text and calls replace the earlier text and calls. */
export function repeat(session: SessionRecord): SessionRecord {
  const { provisional } = session;
  if (provisional === undefined || provisional.state === "answered") return session;
  return {
    ...session,
    provisional: { ...provisional, state: "streaming", rounds: [...provisional.rounds.slice(0, -1), EMPTY_ROUND] },
    batch: new Set(),
  };
}

/** Records a part that was sent to VS Code. A later history can contain only such parts. */
export function emitted(session: SessionRecord, part: ChatPart): SessionRecord {
  const { provisional } = session;
  if (provisional?.state !== "streaming") return session;
  const last = provisional.rounds.at(-1) ?? EMPTY_ROUND,
    withRound = (round: Round): Provisional => ({
      ...provisional,
      rounds: [...provisional.rounds.slice(0, -1), round],
    });
  switch (part.type) {
    case "text":
      return { ...session, provisional: withRound({ ...last, text: last.text + part.value }) };
    case "tool_call":
      return {
        ...session,
        provisional: withRound({ ...last, calls: [...last.calls, part.toolCallId] }),
        batch: new Set(session.batch).add(part.toolCallId),
      };
    default:
      return session;
  }
}

/** Marks the response as ended. Its calls wait for their results. */
export function waits(session: SessionRecord): SessionRecord {
  return session.provisional?.state === "streaming"
    ? { ...session, provisional: { ...session.provisional, state: "waiting" } }
    : session;
}

export function ended(session: SessionRecord, how: "answered" | "cut"): SessionRecord {
  const { provisional } = session;
  if (provisional === undefined || provisional.state === "answered") return session;
  if (how === "answered") return { ...session, provisional: { state: "answered", turn: turnOf(provisional) } };
  let remaining = CUT_LIMIT;
  const rounds = provisional.rounds.map(({ text, calls }) => {
    const fitting = text.slice(0, remaining);
    remaining -= fitting.length;
    return { text: fitting, calls };
  });
  return { ...session, provisional: { state: "cut", user: provisional.user, rounds }, batch: new Set() };
}

export function supersede(session: SessionRecord): SessionRecord {
  return { ...session, isSuperseded: true };
}

/** All turns in the agent's memory, including the provisional turn. */
export function whole({ turns, provisional }: SessionRecord): readonly Turn[] {
  return provisional === undefined
    ? turns
    : [...turns, provisional.state === "answered" ? provisional.turn : turnOf(provisional)];
}

/**
 * The turns of a compacted history: all recorded turns, except a stopped or failed last turn that VS Code has dropped.
 */
function shown(session: SessionRecord, { turn }: Identity, { turns: theirs }: Reading): readonly Turn[] {
  const { turns, provisional: p, summarised } = session,
    last = theirs.at(-1),
    hidden = summarised ? summarised.turns : 0;
  if (!p || p.state === "answered") return whole(session);
  const isCounted = turn === undefined || hidden === undefined || turn > hidden + turns.length + 1;
  return isCounted && (!last || last.user === p.user || isTail(turnOf(p), last)) ? whole(session) : turns;
}

/**
 * Whether `theirs` is the end of the turn `ours` after a summary replaced its user text. Compares the calls, or the
 * last text if there are none.
 */
export function isTail(ours: Turn, theirs: ReadTurn): boolean {
  if (theirs.user !== undefined) return false;
  return theirs.calls.length > 0
    ? theirs.calls.every(id => ours.calls.includes(id))
    : theirs.text !== "" && theirs.last === ours.last;
}

/**
 * Adds the session's own calls. A history omits a stopped call until its result arrives, and a round without text and
 * results.
 */
function withOwnCalls(theirs: readonly Turn[], session: SessionRecord): readonly Turn[] {
  const from = commonRecords(session.turns, theirs),
    ours = whole(session),
    others = theirs.slice(from);
  const turns = others.map((turn, i) => {
    const own = ours[from + i];
    if (!own || own.user !== turn.user || own.calls.every(id => turn.calls.includes(id))) return turn;
    const fuller = own.fuller ?? own.answer;
    return { ...turn, calls: [...new Set([...turn.calls, ...own.calls])], ...(fuller === undefined ? {} : { fuller }) };
  });
  return turns.every((turn, i) => turn === others[i]) ? theirs : [...theirs.slice(0, from), ...turns];
}

const EMPTY_ROUND: Round = { text: "", calls: [] };

/** Existing `rounds` come from a process that has exited. */
function streaming({ requestDigest: user, rounds }: Reading): Provisional {
  return { state: "streaming", user, rounds: [...rounds, EMPTY_ROUND] };
}
