/**
 * Parses a request's messages into completed turns and the turn at hand. Only content that survives the host's
 * rewriting counts. System messages, thinking, images, cache marks, re-rendered context and the bodies of tool results
 * are ignored.
 *
 * A turn begins with words of the user and contains everything up to the next such words: texts and calls of the agent,
 * and results. A turn whose answer failed has no answer. A turn whose start was removed by a compaction has no words.
 * Pure.
 *
 * A request repeats the history of the one before, so `readOn` continues from an earlier reading. Runs of messages that
 * are the same objects are not parsed again. `read` starts from scratch and gives the same result.
 */
import { hash } from "node:crypto";
import type { ChatMessage, ChatPart } from "../../../src/protocol/lm/lm";
import { normal, withoutContext, wordsIn } from "./extract-user-text";

/** Digest of a text, ignoring white space. */
export type Digest = string;

export function digest(text: string): Digest {
  return hash("sha256", normal(text), "buffer").subarray(0, 16).toString("base64url");
}

/** A completed turn. */
export interface Turn {
  readonly user: Digest | undefined;
  /** Digest of the texts of all rounds together. */
  readonly answer: Digest | undefined;
  /**
   * For a stopped turn: the answer that a later history may show instead. Late results bring back their calls and the
   * text that was cut off.
   */
  readonly fuller?: Digest;
  /** Digest of the last round's text, for a history whose compaction leaves nothing else. */
  readonly last: Digest | undefined;
  /** Ids of the calls that have results, or that this session made. */
  readonly calls: readonly string[];
}

/** A turn with its content, for partial comparison and for transcripts. */
export interface ReadTurn extends Turn {
  readonly text: string;
  /** Messages of this turn: the user's, then those of its rounds. */
  readonly messages: readonly ChatMessage[];
  /**
   * The turn without `text` and `messages`. The same object in each reading that continues this one, and in
   * `Reading.records`.
   */
  readonly record: Turn;
}

/** Content of one of our responses. */
export interface Round {
  readonly text: string;
  readonly calls: readonly string[];
}

export interface Reading {
  /** Turns before the turn at hand. */
  readonly turns: readonly ReadTurn[];
  /** Records of `turns`. */
  readonly records: readonly Turn[];
  /** Digest of the words that began the turn at hand; `undefined` if they are no longer in the history. */
  readonly requestDigest: Digest | undefined;
  /** The words are the last content of the request and have no answer yet. */
  readonly isNew: boolean;
  /** Rounds of the turn at hand so far. */
  readonly rounds: readonly Round[];
  /** Messages of the turn at hand. */
  readonly messages: readonly ChatMessage[];
  /** Calls of the turn at hand, or of the one just before it, whose results follow the last answer. */
  readonly results: readonly string[];
  /** Text that replaces a part of the history. */
  readonly summary: string | undefined;
  /**
   * `isTagged`: some message has its words in tags, as the host's chat writes them. `endsTagged`: the last message has.
   */
  readonly isTagged: boolean;
  readonly endsTagged: boolean;
  /** The last user message, unchanged. */
  readonly lastText: string;
}

/** Immutable, because earlier readings share it. */
interface Draft {
  readonly user: Digest | undefined;
  readonly rounds: readonly Round[];
  readonly results: readonly string[];
  readonly messages: readonly ChatMessage[];
}

/** State of the parser before a run of user messages. */
interface Start {
  /** Index of the run's first message. */
  readonly at: number;
  readonly drafts: number;
  /** The last draft, which the run may extend. */
  readonly last: Draft | undefined;
  readonly summary: string | undefined;
}

/** A reading, and the state that the reading of a longer history needs. */
export interface Progress {
  readonly reading: Reading;
  /** Number of system messages: `leading` at the start, `scattered` after other messages. */
  readonly leading: number;
  readonly scattered: number;
  /** All messages except system messages. */
  readonly talk: readonly ChatMessage[];
  /** Index of the first message with tags; -1 if none has any. */
  readonly taggedAt: number;
  readonly drafts: readonly Draft[];
  readonly starts: readonly Start[];
}

export function read(messages: readonly ChatMessage[]): Reading {
  return readOn(messages, undefined).reading;
}

/**
 * Messages known to equal those of `before`. `talk`: their number without system messages; `messages`: the number of
 * all messages up to their end.
 */
export interface Repeated {
  readonly talk: number;
  readonly messages: number;
}

export function readOn(messages: readonly ChatMessage[], before: Progress | undefined, repeated?: Repeated): Progress {
  const leading = leadingSystems(messages),
    after = talkOf(repeated ? messages.slice(repeated.messages) : messages);
  const talk = before && repeated ? before.talk.slice(0, repeated.talk).concat(after) : after;
  const common = before ? (repeated?.talk ?? commonLength(before.talk, talk)) : 0;
  const isKnownTagged = before !== undefined && before.taggedAt !== -1 && before.taggedAt < common;
  const taggedAt = isKnownTagged
    ? before.taggedAt
    : talk.findIndex((message, i) => i >= common && isTaggedUser(message));
  const isTagged = taggedAt !== -1,
    isReadAlike = before !== undefined && isTagged === (before.taggedAt !== -1);
  // Tags decide how every message is parsed. At `common` itself, a run of the other role may have been joined.
  const from = isReadAlike ? before.starts.findLastIndex(({ at }) => at < common) : -1,
    start = before?.starts[from];
  const unchanged = Math.max(0, (start?.drafts ?? 0) - 1),
    drafts = before?.drafts.slice(0, unchanged) ?? [];
  const starts = before && start ? before.starts.slice(0, from) : [];
  if (start?.last) drafts.push(start.last);
  let results: readonly string[] = [],
    isNew = false,
    summary = start?.summary;
  for (let at = start?.at ?? 0, end: number; at < talk.length; at = end) {
    end = endOfRun(talk, at);
    const run = talk.slice(at, end);
    if (run[0]?.role === "user") {
      starts.push({ at, drafts: drafts.length, last: drafts.at(-1), summary });
      const startedAt = userRun(run, isTagged, drafts);
      // If a turn without an answer follows, the results belong to a completed turn.
      [results, isNew] = [startedAt > 1 ? [] : resultsIn(run).map(({ callId }) => callId), startedAt > 0];
      summary = run.map(({ content }) => textOf(content)).findLast(text => text.startsWith(SUMMARY)) ?? summary;
    } else {
      const { user, rounds, ...rest } = drafts.pop() ?? { user: undefined, rounds: [], results: [], messages: [] };
      drafts.push({ ...rest, user, rounds: [...rounds, ...run.map(roundOf)], messages: [...rest.messages, ...run] });
      [results, isNew] = [[], false];
    }
  }
  const atHand = drafts.at(-1),
    last = talk.at(-1),
    lastUser = talk.findLast(({ role }) => role === "user");
  const turns = before?.reading.turns.slice(0, unchanged) ?? [];
  for (const draft of drafts.slice(unchanged, -1)) {
    const known = before?.drafts[turns.length] === draft ? before.reading.turns[turns.length] : undefined;
    turns.push(known ?? readTurn(draft));
  }
  const reading: Reading = {
    turns,
    records: recordsOf(turns, before?.reading, unchanged),
    requestDigest: atHand?.user,
    isNew,
    rounds: atHand?.rounds ?? [],
    messages: atHand?.messages ?? [],
    results,
    isTagged,
    summary,
    endsTagged: last !== undefined && isTaggedUser(last),
    lastText: lastUser ? textOf(lastUser.content) : "",
  };
  return { reading, leading, scattered: messages.length - talk.length - leading, talk, taggedAt, drafts, starts };
}

function talkOf(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  return messages.filter(({ role }) => role !== "system");
}

function leadingSystems(messages: readonly ChatMessage[]): number {
  let leading = 0;
  while (messages[leading]?.role === "system") leading++;
  return leading;
}

/** The origin of each list of records: its first `count` records are those of `records`. */
const ORIGINS = new WeakMap<readonly Turn[], { readonly records: readonly Turn[]; readonly count: number }>();

/** `kept`: at least this many turns equal those of `before`. */
function recordsOf(turns: readonly ReadTurn[], before: Reading | undefined, unchanged: number): readonly Turn[] {
  let count = unchanged;
  while (before && count < turns.length && turns[count] === before.turns[count]) count++;
  const records = (before?.records.slice(0, count) ?? []).concat(turns.slice(count).map(({ record }) => record));
  if (before) {
    ORIGINS.set(records, { records: before.records, count });
    ORIGINS.delete(before.records); // no chain
  }
  return records;
}

/** Same result as `commonLength`, without comparing records that the second list took over from the first. */
export function commonRecords(before: readonly Turn[], after: readonly Turn[]): number {
  const origin = ORIGINS.get(after);
  return before === after ? after.length : origin?.records === before ? origin.count : commonLength(before, after);
}

/** Number of leading elements that are the same objects in both. */
export function commonLength<T>(before: readonly T[], after: readonly T[]): number {
  const length = Math.min(before.length, after.length);
  let common = 0;
  while (common < length && before[common] === after[common]) common++;
  return common;
}

function isTaggedUser({ role, content }: ChatMessage): boolean {
  return role === "user" && wordsIn(textOf(content)) !== undefined;
}

/** Index after the messages of one role that follow each other. */
function endOfRun(talk: readonly ChatMessage[], from: number): number {
  let end = from + 1;
  while (end < talk.length && talk[end]?.role === talk[from]?.role) end++;
  return end;
}

function roundOf({ content }: ChatMessage): Round {
  return {
    text: textOf(content),
    calls: content.flatMap(part => (part.type === "tool_call" ? [part.toolCallId] : [])),
  };
}

function readTurn(draft: Draft): ReadTurn {
  const record = turnOf(draft);
  return {
    ...record,
    messages: draft.messages,
    record,
    get text() {
      return normal(draft.rounds.map(({ text }) => text).join(""));
    },
  };
}

const SUMMARY = "<conversation-summary>";

/** Adds the results to the turn before and appends the new turns. Returns the number of new turns. */
function userRun(run: readonly ChatMessage[], isTagged: boolean, drafts: Draft[]): number {
  const before = drafts.pop(),
    words = run.map(({ content }) => wordsIn(textOf(content)));
  if (before) {
    const brought = run.filter(message => resultsIn([message]).length > 0);
    const results = [...before.results, ...resultsIn(brought).map(({ callId }) => callId)];
    drafts.push(brought.length === 0 ? before : { ...before, results, messages: [...before.messages, ...brought] });
  }
  // If one message has tags, the chat wrote all text without tags. A message with empty tags remains from a command of
  // the chat.
  const tagged = run.flatMap((message, i) => (words[i] ? [{ text: words[i], messages: [message] }] : []));
  const plain = words.some(each => each !== undefined)
    ? []
    : run
        .map(message => ({ text: withoutContext(textOf(message.content), isTagged), message }))
        .filter(({ text }) => text !== "");
  const started =
    plain.length === 0
      ? tagged
      : [{ text: plain.map(({ text }) => text).join("\n"), messages: plain.map(({ message }) => message) }];
  drafts.push(
    ...started.map(({ text, messages }): Draft => ({ user: digest(text), rounds: [], results: [], messages })),
  );
  return started.length;
}

/** Results of calls, in their order. */
export function resultsIn(
  messages: readonly ChatMessage[],
): readonly { readonly callId: string; readonly result: unknown; readonly isError: boolean }[] {
  return messages.flatMap(({ content }) =>
    content.flatMap(part =>
      part.type === "tool_result"
        ? [{ callId: part.toolCallId, result: part.result, isError: part.isError ?? false }]
        : [],
    ),
  );
}

/** The results after the last answer: those that the request brings. */
export function newResults(messages: readonly ChatMessage[]): ReturnType<typeof resultsIn> {
  return resultsIn(messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1));
}

/**
 * The turn in the form in which it is compared with its echo. Calls without a result disappear from a history. Only
 * calls with a result count; for our own turns, all calls count.
 */
export function turnOf({
  user,
  rounds,
  results,
}: {
  readonly user: Digest | undefined;
  readonly rounds: readonly Round[];
  readonly results?: readonly string[];
}): Turn {
  const last = rounds.at(-1),
    lastDigest = last && digest(last.text);
  return {
    user,
    answer: rounds.length > 1 ? digest(rounds.map(({ text }) => text).join("")) : lastDigest,
    last: lastDigest,
    calls: results ?? rounds.flatMap(({ calls }) => calls),
  };
}

export function textOf(content: readonly ChatPart[]): string {
  return content.map(part => (part.type === "text" ? part.value : "")).join("");
}
