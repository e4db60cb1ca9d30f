/**
 * What is remembered of a session, so that a later request finds it: the turns that its agent knows. What VS Code has
 * sent back is committed (`turns`); our last exchange is provisional until a request shows it.
 *
 *              continued, begun                waits              resumed
 *   committed ─────────────────▶ streaming ─────────▶ waiting ─────────────▶ streaming
 *       ▲                            │ ended             │ ended
 *       └──── the next request ── answered, cut ◀────────┘
 *
 * Values: each function gives another record. Pure: no clock, no made-up ids.
 */
import type { ChatPart } from "../../../src/protocol/lm";
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
  /** A request is open; or our response ended in calls whose results we wait for. */
  | { readonly state: "streaming" | "waiting"; readonly user: Digest | undefined; readonly rounds: readonly Round[] }
  /** Stopped, failed, or without an answer: VS Code keeps all of it, a part, only the question, or nothing. */
  | { readonly state: "cut"; readonly user: Digest | undefined; readonly rounds: readonly Round[] }
  | { readonly state: "answered"; readonly turn: Turn };

export interface Session {
  readonly id: string;
  /** `agentKey` of the requests that it serves. */
  readonly agent: string;
  readonly caller: string | undefined;
  readonly conversationId: string | undefined;
  readonly chatSession: string | undefined;
  readonly turns: readonly Turn[];
  /** It began with a summary in the place of the turns before those: so many, as far as the host counts them. */
  readonly summarised: { readonly turns: number | undefined } | undefined;
  readonly provisional: Provisional | undefined;
  /** Calls of the response that ended last: their results come with the next request. */
  readonly batch: ReadonlySet<string>;
  /** The batch before: its results coming again mean that the round is tried again. */
  readonly consumed: ReadonlySet<string>;
  /** Of the last request. */
  readonly trace: string | undefined;
  readonly span: string | undefined;
  /** A loop beside the conversation's own, under its id: only its call ids lead to it. */
  readonly isBeside: boolean;
  /** Another session has taken its place in the chat; it may be wanted again. */
  readonly isSuperseded: boolean;
  /** Its agent remembers a turn that was stopped and that VS Code has dropped. */
  readonly knowsMore: boolean;
}

/** What a request is matched by. */
export interface Asking {
  readonly agent: string;
  readonly identity: Identity;
  readonly reading: Reading;
}

/** Characters kept of an answer that was cut off, to recognise its beginning. */
const CUT_LIMIT = 20_000;

export function begin(id: string, { agent, identity, reading }: Asking, isBeside: boolean): Session {
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
 * The turn at hand is another one: what the request shows of those before is committed, or, of a compacted history,
 * what we know.
 */
export function proceed(session: Session, { identity, reading }: Asking): Session {
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

/** The results that it waits for have come; with new words the turn at hand is another one. */
export function resume(session: Session, asking: Asking): Session {
  if (asking.reading.isNew) return proceed(session, asking);
  const { trace, span } = asking.identity,
    before = session.provisional;
  const { user, rounds } =
    before === undefined || before.state === "answered"
      ? { user: asking.reading.asked, rounds: asking.reading.rounds }
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

/** The last round is tried again: what was said in it is said anew. */
export function repeat(session: Session): Session {
  const { provisional } = session;
  if (provisional === undefined || provisional.state === "answered") return session;
  return {
    ...session,
    provisional: { ...provisional, state: "streaming", rounds: [...provisional.rounds.slice(0, -1), NOTHING] },
    batch: new Set(),
  };
}

/** What really went out; nothing else is expected to come back. */
export function emitted(session: Session, part: ChatPart): Session {
  const { provisional } = session;
  if (provisional?.state !== "streaming") return session;
  const last = provisional.rounds.at(-1) ?? NOTHING,
    said = (round: Round): Provisional => ({ ...provisional, rounds: [...provisional.rounds.slice(0, -1), round] });
  switch (part.type) {
    case "text":
      return { ...session, provisional: said({ ...last, text: last.text + part.value }) };
    case "tool_call":
      return {
        ...session,
        provisional: said({ ...last, calls: [...last.calls, part.toolCallId] }),
        batch: new Set(session.batch).add(part.toolCallId),
      };
    default:
      return session;
  }
}

/** The response is over, and its calls wait for their results. */
export function waits(session: Session): Session {
  return session.provisional?.state === "streaming"
    ? { ...session, provisional: { ...session.provisional, state: "waiting" } }
    : session;
}

export function ended(session: Session, how: "answered" | "cut"): Session {
  const { provisional } = session;
  if (provisional === undefined || provisional.state === "answered") return session;
  if (how === "answered") return { ...session, provisional: { state: "answered", turn: turnOf(provisional) } };
  let room = CUT_LIMIT;
  const rounds = provisional.rounds.map(({ text, calls }) => {
    const kept = text.slice(0, room);
    room -= kept.length;
    return { text: kept, calls };
  });
  return { ...session, provisional: { state: "cut", user: provisional.user, rounds }, batch: new Set() };
}

export function supersede(session: Session): Session {
  return { ...session, isSuperseded: true };
}

/** All that its agent knows, as far as it is over. */
export function whole({ turns, provisional }: Session): readonly Turn[] {
  return provisional === undefined
    ? turns
    : [...turns, provisional.state === "answered" ? provisional.turn : turnOf(provisional)];
}

/** Of a compacted history: all that we know, but for a last turn that did not end well and that VS Code has dropped. */
function shown(session: Session, { turn }: Identity, { turns: theirs }: Reading): readonly Turn[] {
  const { turns, provisional: p, summarised } = session,
    last = theirs.at(-1),
    hidden = summarised ? summarised.turns : 0;
  if (!p || p.state === "answered") return whole(session);
  const isCounted = turn === undefined || hidden === undefined || turn > hidden + turns.length + 1;
  return isCounted && (!last || last.user === p.user || isTail(turnOf(p), last)) ? whole(session) : turns;
}

/** The end of the same turn, whose words went into a summary: known by its calls, or by its last text. */
export function isTail(ours: Turn, theirs: ReadTurn): boolean {
  if (theirs.user !== undefined) return false;
  return theirs.calls.length > 0
    ? theirs.calls.every(id => ours.calls.includes(id))
    : theirs.text !== "" && theirs.last === ours.last;
}

/**
 * A call that was stopped has no result at first, and is in no history, nor is a round of nothing else; its result may
 * come, and both with it, in a later one.
 */
function withOwnCalls(theirs: readonly Turn[], session: Session): readonly Turn[] {
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

/** The rounds that are there already were made by a process that is gone. */
function streaming({ asked, rounds }: Reading): Provisional {
  return { state: "streaming", user: asked, rounds: [...rounds, NOTHING] };
}
