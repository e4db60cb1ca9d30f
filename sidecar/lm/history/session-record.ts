/**
 * The record by which a later request finds its session: the turns that its agent knows. Turns that VS Code has sent
 * back are committed (`turns`). The last exchange is provisional until a request shows it.
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
  /** Stopped, failed or without an answer. VS Code keeps all of it, a part, only the question, or nothing. */
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
  /** The batch before. If its results arrive again, the round is being retried. */
  readonly consumed: ReadonlySet<string>;
  /** `trace` and `span` of the last request. */
  readonly trace: string | undefined;
  readonly span: string | undefined;
  /** A loop that runs under the conversation's id but outside its main loop. Only its call ids match it. */
  readonly isBeside: boolean;
  /** Another session has replaced this one in the chat. It can become current again. */
  readonly isSuperseded: boolean;
  /** The agent remembers a stopped turn that VS Code has dropped. */
  readonly knowsMore: boolean;
}

/** The parts of a request that are used for matching. */
export interface Asking {
  readonly agent: string;
  readonly identity: Identity;
  readonly reading: Reading;
}

/** Characters kept of an answer that was cut off, to recognise its start. */
const CUT_LIMIT = 20_000;

export function begin(id: string, { agent, identity, reading }: Asking, isBeside: boolean): SessionRecord {
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
 * Begins another turn. Commits the earlier turns as the request shows them or, for a compacted history, as the session
 * recorded them.
 */
export function proceed(session: SessionRecord, { identity, reading }: Asking): SessionRecord {
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

/** The awaited results have arrived. If the request also has new words, it begins another turn. */
export function resume(session: SessionRecord, asking: Asking): SessionRecord {
  if (asking.reading.isNew) return proceed(session, asking);
  const { trace, span } = asking.identity,
    before = session.provisional;
  const { user, rounds } =
    before === undefined || before.state === "answered"
      ? { user: asking.reading.requestDigest, rounds: asking.reading.rounds }
      : before;
  return {
    ...session,
    provisional: { state: "streaming", user, rounds: [...rounds, NOTHING] },
    batch: new Set(),
    consumed: session.batch,
    trace,
    span,
    isSuperseded: false,
  };
}

/** Retries the last round: its text and calls are replaced by new ones. */
export function repeat(session: SessionRecord): SessionRecord {
  const { provisional } = session;
  if (provisional === undefined || provisional.state === "answered") return session;
  return {
    ...session,
    provisional: { ...provisional, state: "streaming", rounds: [...provisional.rounds.slice(0, -1), NOTHING] },
    batch: new Set(),
  };
}

/** Records a part that was sent to VS Code. Only such parts are expected to come back. */
export function emitted(session: SessionRecord, part: ChatPart): SessionRecord {
  const { provisional } = session;
  if (provisional?.state !== "streaming") return session;
  const last = provisional.rounds.at(-1) ?? NOTHING,
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

/** The response has ended, and its calls wait for their results. */
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

/** All turns that the agent knows, including the provisional one. */
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
 * Whether `theirs` is the end of the same turn after its words went into a summary. It matches by calls or last text.
 */
export function isTail(ours: Turn, theirs: ReadTurn): boolean {
  if (theirs.user !== undefined) return false;
  return theirs.calls.length > 0
    ? theirs.calls.every(id => ours.calls.includes(id))
    : theirs.text !== "" && theirs.last === ours.last;
}

/**
 * Adds the session's own calls. A stopped call has no result at first, and the history lacks it and any round without
 * text. If its result arrives later, a later history may show both.
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

const NOTHING: Round = { text: "", calls: [] };

/** An earlier process, which has exited, made the existing rounds. */
function streaming({ requestDigest: user, rounds }: Reading): Provisional {
  return { state: "streaming", user, rounds: [...rounds, NOTHING] };
}
