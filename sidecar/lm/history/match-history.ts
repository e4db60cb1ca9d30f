/**
 * Finds the session that a request continues. VS Code resends the whole history with each request and sometimes
 * rewrites it. Agents keep their own history. A call id is proof, a conversation id is a strong hint, and digests of
 * turns are evidence. Nothing else is used.
 *
 * An uncertain match yields a new session. A wrong new session costs tokens, but a wrong match leaks one chat into
 * another.
 *
 * `classify-request.ts` has already removed side requests and compactions. Pure.
 */
import { assertNever } from "../../../src/protocol/wire/wire";
import { normal } from "./extract-user-text";
import type { Identity } from "./request-identity";
import { commonRecords, turnOf, type ReadTurn, type Round, type Turn } from "./parse-history";
import {
  begin,
  isTail,
  proceed,
  repeat,
  resume,
  supersede,
  whole,
  type RequestKey,
  type SessionRecord,
} from "./session-record";

export type Verdict =
  /** The request contains results that this session waits for. */
  | { readonly kind: "resume"; readonly session: SessionRecord }
  /**
   * The request contains results that the session has already received. The round is retried, so its reply is repeated.
   */
  | { readonly kind: "repeat"; readonly session: SessionRecord }
  /** The history equals the session's. A running turn is cancelled before the new turn is sent. */
  | { readonly kind: "continue"; readonly session: SessionRecord }
  /** Like `continue`, but another model answered the turns from index `from`. The prompt quotes these turns. */
  | { readonly kind: "behind"; readonly session: SessionRecord; readonly from: number }
  /**
   * The history equals the session's first `keep` turns: an edit, a retry, a restored checkpoint or a fork. A new
   * session continues after these turns. `isWhole`: the session has no further turns, so the agent can fork its own
   * session. `supersedes`: the new session replaces this session in the same chat.
   */
  | {
      readonly kind: "fork";
      readonly session: SessionRecord;
      readonly keep: number;
      readonly isWhole: boolean;
      readonly supersedes: boolean;
    }
  /**
   * No certain match. The new session starts with the transcript. `isBeside`: the new session shares the id of a
   * conversation that continues in another session. `supersedes`: sessions that the new session replaces in a chat
   * whose summary cannot be compared.
   */
  | { readonly kind: "new"; readonly isBeside: boolean; readonly supersedes: readonly SessionRecord[] };

/** `sessions`: the most recently used first. */
export function match(asking: RequestKey, sessions: readonly SessionRecord[]): Verdict {
  const { agent, identity, reading } = asking;
  const own = sessions.filter(
    s => s.agent === agent && s.caller === identity.caller && s.conversationId === identity.conversationId,
  );

  const resumed = own.find(({ batch }) => reading.results.some(id => batch.has(id)));
  if (resumed) return { kind: "resume", session: resumed };
  const repeated = reading.isNew
    ? undefined
    : own.find(
        ({ consumed, provisional }) => provisional !== undefined && reading.results.some(id => consumed.has(id)),
      );
  if (repeated) return { kind: "repeat", session: repeated };

  const chats = own.filter(s => !s.isBeside),
    isBeside = chats.some(s => isOtherLoop(s, asking)),
    candidates = chats.filter(s => !isAnswering(s, asking));
  if (isBeside) return { kind: "new", isBeside, supersedes: [] };
  const newest = sessions.find(s => !s.isBeside && isSameChat(s, identity));
  return (
    (identity.conversationId === undefined
      ? onlyMatch(asking, candidates)
      : best(
          asking,
          candidates,
          newest,
          chats.find(s => isSameChat(s, identity)),
        )) ??
    unrelated(
      asking,
      chats.filter(s => isSameChat(s, identity)),
    )
  );
}

/**
 * `chat`: the sessions of the same chat. A turn that another process began, in a chat without a matching session, is
 * most likely a sub-agent's.
 */
function unrelated({ reading }: RequestKey, chat: readonly SessionRecord[]): Verdict {
  const isBeside = !reading.isNew && chat.length > 0;
  return { kind: "new", isBeside, supersedes: isBeside || reading.summary === undefined ? [] : chat };
}

/** Returns the updated record of the request's session, then the records of the superseded sessions. */
export function admit(
  verdict: Verdict,
  asking: RequestKey,
  freshId: () => string,
): readonly [admitted: SessionRecord, ...superseded: readonly SessionRecord[]] {
  switch (verdict.kind) {
    case "resume":
      return [resume(verdict.session, asking)];
    case "repeat":
      return [repeat(verdict.session)];
    case "continue":
    case "behind":
      return [proceed(verdict.session, asking)];
    case "fork":
      return [begin(freshId(), asking, false), ...(verdict.supersedes ? [supersede(verdict.session)] : [])];
    case "new":
      return [begin(freshId(), asking, verdict.isBeside), ...verdict.supersedes.map(supersede)];
    default:
      return assertNever(verdict, "verdict");
  }
}

/** Sub-agents share their parent's conversation and turn, but run in a separate loop. */
function isOtherLoop({ trace, span }: SessionRecord, { identity }: RequestKey): boolean {
  return (
    trace !== undefined &&
    trace === identity.trace &&
    span !== undefined &&
    identity.span !== undefined &&
    span !== identity.span
  );
}

/**
 * Whether the session is already answering an equal request. The new request is a duplicate, or a sub-agent has the
 * same task. A retry has another trace.
 */
function isAnswering({ provisional: p, trace }: SessionRecord, { identity, reading }: RequestKey): boolean {
  if (p?.state !== "streaming" && p?.state !== "waiting") return false;
  return (
    p.user === reading.requestDigest &&
    (trace === undefined || identity.trace === undefined || trace === identity.trace)
  );
}

/** `newest`: the session of any model that served this chat last. `latest`: the chat's latest session of this agent. */
function best(
  asking: RequestKey,
  candidates: readonly SessionRecord[],
  newest: SessionRecord | undefined,
  latest: SessionRecord | undefined,
): Compared | undefined {
  const verdicts = candidates
    .map(s => compare(s, asking, commonTurns(s, asking, s === latest), s === newest))
    .filter(verdict => verdict !== undefined);
  const continued = verdicts.filter(verdict => verdict.kind === "continue"),
    current = continued.filter(({ session }) => !session.isSuperseded);
  // Parent and fork may be identical so far. If the host does not distinguish them, neither is selected.
  if (current.length > 1)
    return current.find(
      ({ session }) => session.chatSession !== undefined && session.chatSession === asking.identity.chatSession,
    );
  if (continued.length > 0) return current[0] ?? continued[0];
  const currentFirst = (a: Compared, b: Compared): number =>
    Number(a.session.isSuperseded) - Number(b.session.isSuperseded);
  const behind = verdicts
    .filter(verdict => verdict.kind === "behind")
    .sort((a, b) => b.from - a.from || currentFirst(a, b));
  const forks = verdicts
    .filter(verdict => verdict.kind === "fork")
    .sort((a, b) => b.keep - a.keep || currentFirst(a, b));
  return forks.find(({ keep }) => keep > (behind[0]?.from ?? -1)) ?? behind[0];
}

type Compared = Exclude<Verdict, { readonly kind: "resume" | "repeat" | "new" }>;

/** `common`: number of equal leading turns. */
function compare(session: SessionRecord, asking: RequestKey, common: number, isNewest: boolean): Compared | undefined {
  const {
      identity,
      reading: { turns: theirs, summary },
    } = asking,
    ours = whole(session);
  const isHere = isSameChat(session, identity),
    isElsewhere = !isHere && session.chatSession !== undefined && identity.chatSession !== undefined;
  if (mayBeSubAgent(session, asking, common)) return undefined;
  if (summary !== undefined)
    return isHere && !session.isSuperseded && continuesCompacted(session, asking, common, isNewest)
      ? { kind: "continue", session }
      : undefined;
  if (session.summarised) return undefined; // the start of its history cannot be compared
  if (!isElsewhere && hasSameHistory(session, asking, common)) return { kind: "continue", session };
  if (common === theirs.length) {
    return {
      kind: "fork",
      session,
      keep: common,
      isWhole: common === ours.length && !isRunning(session) && !session.knowsMore,
      supersedes: isHere,
    };
  }
  if (isElsewhere || common === 0) return undefined;
  return common === ours.length || (common === session.turns.length && mayLack(session, asking))
    ? { kind: "behind", session, from: common }
    : undefined;
}

function isSameChat({ chatSession }: SessionRecord, identity: Identity): boolean {
  return chatSession !== undefined && chatSession === identity.chatSession;
}

/** Whether the request's history equals the session's whole history. */
function hasSameHistory(session: SessionRecord, asking: RequestKey, common: number): boolean {
  const isEnd = common === whole(session).length || (common === session.turns.length && mayLack(session, asking));
  return isEnd && common === asking.reading.turns.length;
}

/**
 * Whether the history may lack the session's last turn. That turn may be the current turn, or the caller may be a
 * program without marks that drops stopped turns. A chat keeps stopped turns, so the user has removed a missing turn.
 * The agent still remembers it, so the session must not be continued.
 */
function mayLack(session: SessionRecord, { identity, reading: { rounds } }: RequestKey): boolean {
  return mayOmitAnswer(session, identity) && (hasNoMarks(identity) || madeCallsOf(session, rounds));
}

/**
 * Whether the history need not contain an answer of the session's last turn. The request must belong to the session's
 * chat or carry no mark. A program that uses `vscodelm` sends only its history, without marks.
 */
function mayOmitAnswer(session: SessionRecord, identity: Identity): boolean {
  const { provisional: p } = session;
  return p !== undefined && p.state !== "answered" && (hasNoMarks(identity) || isSameChat(session, identity));
}

function hasNoMarks({ caller, isFromChat }: Identity): boolean {
  return caller === undefined && !isFromChat;
}

/** Whether the last turn is still running. */
function isRunning({ provisional }: SessionRecord): boolean {
  return provisional?.state === "streaming" || provisional?.state === "waiting";
}

/**
 * Whether the request may belong to a sub-agent instead of this session.
 *
 * Rounds that the session did not make belong to a turn of another process, most likely a sub-agent. This rule applies
 * if no turn precedes the rounds, or if the history lacks the session's last turn. An empty history fits an edit of the
 * first message, and also a sub-agent of a running or failed turn unless the host distinguishes them.
 */
function mayBeSubAgent(session: SessionRecord, asking: RequestKey, common: number): boolean {
  const {
    identity,
    reading: { turns, rounds, summary },
  } = asking;
  if (identity.conversationId === undefined || summary !== undefined || madeCallsOf(session, rounds)) return false;
  if (rounds.length > 0 && turns.length === 0) return true;
  if (!mayOmitAnswer(session, identity)) return false;
  return rounds.length > 0
    ? common < whole(session).length
    : turns.length === 0 && (session.trace === undefined || identity.trace === undefined);
}

/**
 * Number of equal leading turns. `isLatest`: the session is the chat's latest session of its agent. Only its last turn
 * may match in part, because a superseded session may have been stopped after the same user text.
 */
function commonTurns(
  session: SessionRecord,
  { identity, reading: { turns: theirs, records } }: RequestKey,
  isLatest: boolean,
): number {
  const { turns, provisional: p } = session,
    unchanged = commonRecords(turns, records);
  const differ = turns
    .slice(unchanged)
    .findIndex((turn, i) => !records[unchanged + i] || !isSame(turn, records[unchanged + i] as Turn));
  if (differ !== -1) return unchanged + differ;
  const last = theirs[turns.length];
  if (!p || !last) return turns.length;
  if (p.state === "answered") return turns.length + (isSame(p.turn, last) ? 1 : 0);
  const isEnough = isSame(turnOf(p), last) || (isLatest && isSameChat(session, identity) && isPart(p, last));
  return turns.length + (isEnough ? 1 : 0);
}

/** Compares two turns. A history omits calls without a result and never adds calls. */
function isSame(ours: Turn, theirs: Turn): boolean {
  return (
    ours.user === theirs.user &&
    (ours.answer === theirs.answer || (ours.fuller !== undefined && ours.fuller === theirs.answer)) &&
    theirs.calls.every(id => ours.calls.includes(id))
  );
}

/** For a turn that was stopped or failed, the history shows the part that VS Code accepted. */
function isPart(
  { user, rounds }: { readonly user: string | undefined; readonly rounds: readonly Round[] },
  theirs: ReadTurn,
): boolean {
  const calls = rounds.flatMap(round => round.calls),
    text = normal(rounds.map(round => round.text).join(""));
  return (
    user === theirs.user &&
    theirs.calls.every(id => calls.includes(id)) &&
    (theirs.answer === undefined || text.startsWith(theirs.text))
  );
}

/**
 * Whether a compacted history continues the session. A summary replaces turns that cannot be compared. The history
 * continues the session of the same chat if both began with the summary, or if the turns after it match the session's
 * end. If no turns follow, it continues the session that served the chat last.
 *
 * The host's turn count includes summarised turns. A turn number before the session's end is an edit.
 */
function continuesCompacted(session: SessionRecord, asking: RequestKey, common: number, isNewest: boolean): boolean {
  const {
      identity: { turn },
      reading: { turns: theirs, rounds },
    } = asking,
    { summarised } = session,
    hidden = summarised ? summarised.turns : 0;
  const recorded =
    hidden === undefined ? undefined : hidden + (mayLack(session, asking) ? session.turns : whole(session)).length;
  if (recorded !== undefined && turn !== undefined && turn <= recorded) return false;
  if (theirs.length === 0)
    return (
      isNewest && recorded !== undefined && turn !== undefined && (rounds.length === 0 || madeCallsOf(session, rounds))
    );
  return (summarised !== undefined && hasSameHistory(session, asking, common)) || sameEnd(session, asking);
}

/** Whether the session's last turn made one of these calls. */
function madeCallsOf(session: SessionRecord, rounds: readonly Round[]): boolean {
  const ours = whole(session).at(-1)?.calls ?? [];
  return rounds.some(({ calls }) => calls.some(id => ours.includes(id)));
}

function sameEnd(session: SessionRecord, asking: RequestKey): boolean {
  const {
      identity,
      reading: { turns: theirs },
    } = asking,
    isOpenEnd = mayOmitAnswer(session, identity);
  return (
    isEndOf(whole(session), theirs, isOpenEnd) || (mayLack(session, asking) && isEndOf(session.turns, theirs, false))
  );
}

function isEndOf(ours: readonly Turn[], theirs: readonly ReadTurn[], isOpenEnd: boolean): boolean {
  const [end, shown] = [ours.at(-1), theirs.at(-1)],
    users = usersOf(theirs).slice(-8);
  if (!end || !shown || (users.length > 0 && usersOf(ours).slice(-users.length).join() !== users.join())) return false;
  return (
    isTail(end, shown) ||
    (shown.user !== undefined && shown.user === end.user && (isOpenEnd || shown.last === end.last))
  );
}

function usersOf(turns: readonly Turn[]): readonly string[] {
  return turns.flatMap(({ user }) => user ?? []);
}

/**
 * Matches without a conversation id: the session with this history, if no other session shares all its turns. Two chats
 * with the same turns match no session.
 */
function onlyMatch(asking: RequestKey, candidates: readonly SessionRecord[]): Verdict | undefined {
  const { turns } = asking.reading;
  if (turns.at(-1)?.answer === undefined) return undefined; // every conversation starts with an empty history
  const [only, ...others] = candidates.filter(s => commonTurns(s, asking, false) === turns.length);
  return only && others.length === 0 && hasSameHistory(only, asking, turns.length)
    ? { kind: "continue", session: only }
    : undefined;
}
