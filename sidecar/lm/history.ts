/**
 * Which session does this request continue? VS Code resends the whole history each time, rewritten now and then; agents keep their own. A call id
 * is proof, a conversation id a strong hint, the digests of turns are evidence, nothing else counts. A wrong "new session" costs tokens, a wrong
 * "same session" leaks one chat into another: when unsure, a new session.
 *
 * Side requests and compactions (classify.ts) are sorted out before this. Pure.
 */
import { normal } from "./words";
import { turnOf, type ReadTurn, type Turn } from "./reading";
import { whole, type Asking, type Session } from "./session-record";

export type Verdict =
  /** Results that this session waits for. */
  | { readonly kind: "resume"; readonly session: Session }
  /** Results that it has had: the round is tried again, repeat its reply. */
  | { readonly kind: "repeat"; readonly session: Session }
  /** The whole history, echoed: send the new turn. What the session still does is to be stopped first. */
  | { readonly kind: "continue"; readonly session: Session }
  /** The same, but another model answered the turns from `from` on: quote those, then send the new turn. */
  | { readonly kind: "behind"; readonly session: Session; readonly from: number }
  /**
   * Its first `keep` turns: an edit, a retry, a restored checkpoint, a fork. Begin another session after them. `isWhole`: it knows nothing beyond
   * them, so the agent's own session can be forked. `supersedes`: it is the same chat, and this one is left behind there.
   */
  | { readonly kind: "fork"; readonly session: Session; readonly keep: number; readonly isWhole: boolean; readonly supersedes: boolean }
  /** Unrelated, or not sure: a new session, seeded with the transcript. `isBeside`: under the id of a conversation that goes on. */
  | { readonly kind: "new"; readonly isBeside: boolean };

/** `sessions`: the most recently used first. */
export function match(asking: Asking, sessions: readonly Session[]): Verdict {
  const { agent, identity, reading } = asking;
  const own = sessions.filter(s => s.agent === agent && s.caller === identity.caller && s.conversationId === identity.conversationId);

  const resumed = own.find(({ batch }) => reading.results.some(id => batch.has(id)));
  if (resumed) return { kind: "resume", session: resumed };
  const repeated = reading.isNew ? undefined : own.find(({ consumed, provisional }) => provisional !== undefined && reading.results.some(id => consumed.has(id)));
  if (repeated) return { kind: "repeat", session: repeated };

  const chats = own.filter(s => !s.isBeside), isBeside = chats.some(s => isOtherLoop(s, asking)), candidates = chats.filter(s => !isAnswering(s, asking));
  if (isBeside) return { kind: "new", isBeside };
  return (identity.conversationId === undefined ? soleEcho(asking, candidates) : best(asking, candidates)) ?? { kind: "new", isBeside: false };
}

/** Sub-agents have their parent's conversation and turn, and a loop of their own. */
function isOtherLoop({ trace, span }: Session, { identity }: Asking): boolean {
  return trace !== undefined && trace === identity.trace && span !== undefined && identity.span !== undefined && span !== identity.span;
}

/** The very request that it is answering: from a twin, or a sub-agent with the same task. Tried again, it would be another turn of the chat. */
function isAnswering({ provisional: p, trace }: Session, { identity, reading }: Asking): boolean {
  if (p?.state !== "streaming" && p?.state !== "waiting") return false;
  return p.user === reading.asked && (trace === undefined || identity.trace === undefined || trace === identity.trace);
}

function best(asking: Asking, candidates: readonly Session[]): Compared | undefined {
  const verdicts = candidates.map(s => compare(s, asking, candidates)).filter(verdict => verdict !== undefined);
  const continued = verdicts.filter(verdict => verdict.kind === "continue");
  const behind = verdicts.filter(verdict => verdict.kind === "behind").sort((a, b) => b.from - a.from);
  const forks = verdicts.filter(verdict => verdict.kind === "fork").sort((a, b) => b.keep - a.keep || Number(a.session.isSuperseded) - Number(b.session.isSuperseded));
  return continued.find(({ session }) => !session.isSuperseded) ?? continued[0] ?? forks.find(({ keep }) => keep > (behind[0]?.from ?? -1)) ?? behind[0];
}

type Compared = Exclude<Verdict, { readonly kind: "resume" | "repeat" | "new" }>;

function compare(session: Session, asking: Asking, candidates: readonly Session[]): Compared | undefined {
  const { identity, reading: { turns: theirs, isCompacted } } = asking, ours = whole(session), common = commonTurns(session, theirs);
  const isElsewhere = session.chatSession !== undefined && identity.chatSession !== undefined && session.chatSession !== identity.chatSession;
  const supersedes = session.chatSession !== undefined && session.chatSession === identity.chatSession;
  if (common < ours.length && isUnsure(session, asking)) return undefined;
  if (!isElsewhere && echoes(session, asking)) return { kind: "continue", session };
  if (isCompacted) return !isElsewhere && sameEnd(session, theirs, supersedes || candidates.length === 1) ? { kind: "continue", session } : undefined;
  if (common === theirs.length) return { kind: "fork", session, keep: common, isWhole: common === ours.length && !isLive(session), supersedes };
  if (isElsewhere || common === 0) return undefined;
  // What it has beyond the history is the turn that did not end well, if anything.
  return common === ours.length || (common === session.turns.length && isLoose(session)) ? { kind: "behind", session, from: common } : undefined;
}

/** The history is what the session has, to its end; a last turn that did not end well may be missing. */
function echoes(session: Session, { reading: { turns: theirs } }: Asking): boolean {
  const common = commonTurns(session, theirs);
  return common === theirs.length && (common === whole(session).length || (common === session.turns.length && isLoose(session)));
}

/** Its last turn has no answer that VS Code must have kept. */
function isLoose({ provisional }: Session): boolean { return provisional !== undefined && provisional.state !== "answered"; }

/** Its last turn goes on. */
function isLive({ provisional }: Session): boolean { return provisional?.state === "streaming" || provisional?.state === "waiting"; }

/** A request that does not know of the turn that goes on: an edit, or, if it cannot be told apart, a sub-agent of that very turn. */
function isUnsure(session: Session, { identity }: Asking): boolean {
  return isLive(session) && identity.conversationId !== undefined && (session.trace === undefined || identity.trace === undefined);
}

/** How many turns of both, from the first on, are the same. */
function commonTurns(session: Session, theirs: readonly ReadTurn[]): number {
  const { turns, provisional: p } = session;
  const differ = turns.findIndex((turn, i) => !theirs[i] || !isSame(turn, theirs[i]));
  if (differ !== -1) return differ;
  const last = theirs[turns.length];
  if (!p || !last) return turns.length;
  if (p.state === "answered") return turns.length + (isSame(p.turn, last) ? 1 : 0);
  return turns.length + (isSameOrPart(turnOf(p), last) ? 1 : 0);
}

/** Calls without a result vanish from a history; none appear. */
function isSame(ours: Turn, theirs: Turn): boolean {
  return ours.user === theirs.user && ours.answer === theirs.answer && theirs.calls.every(id => ours.calls.includes(id));
}

/** Of a turn that did not end well the history has what VS Code took in of it. */
function isSameOrPart(ours: ReadTurn, theirs: ReadTurn): boolean {
  return ours.user === theirs.user && theirs.calls.every(id => ours.calls.includes(id)) && (theirs.answer === undefined || normal(ours.text).startsWith(theirs.text));
}

/** After a compaction what is left is our end, as far as it goes; when only the summary is left, there must be no doubt. */
function sameEnd(session: Session, theirs: readonly ReadTurn[], isCertain: boolean): boolean {
  const ours = whole(session), [end, shown] = [ours.at(-1), theirs.at(-1)], users = usersOf(theirs).slice(-8);
  if (shown === undefined) return isCertain;
  if (end === undefined || usersOf(ours).slice(-users.length).join() !== users.join() && users.length > 0) return false;
  if (shown.last === undefined) return shown.user !== undefined && shown.user === end.user && isLoose(session);
  return (shown.user === undefined || shown.user === end.user) && (shown.last === end.last || isLoose(session));
}

function usersOf(turns: readonly Turn[]): readonly string[] { return turns.flatMap(({ user }) => user ?? []); }

/** No id: the one session whose history this is, if no other shares as much of it. Two chats that both began "hi" tie. */
function soleEcho(asking: Asking, candidates: readonly Session[]): Verdict | undefined {
  const { turns } = asking.reading;
  if (turns.at(-1)?.answer === undefined) return undefined; // an empty history begins every conversation
  const [only, ...others] = candidates.filter(s => commonTurns(s, turns) === turns.length);
  return only && others.length === 0 && only.provisional?.state !== "streaming" && echoes(only, asking) ? { kind: "continue", session: only } : undefined;
}
