/**
 * Parses a request's messages into completed turns and the current turn. Uses only content that the host does not
 * rewrite. Ignores system messages, thinking, images, cache marks, re-rendered context and the bodies of tool results.
 *
 * A turn begins with user text and contains all content up to the next user text: texts and calls of the agent, and
 * results. A turn whose answer failed has no answer. A turn whose start was removed by a compaction has no user text.
 * Pure.
 *
 * A request repeats the history of the previous request, so `readOn` continues from an earlier reading. Messages that
 * are the same objects are not parsed again. `read` parses the whole history and returns the same result.
 */
import { hash } from "node:crypto";
import type { ChatMessage, ChatPart } from "../../../src/protocol/lm/lm";
import { normal, withoutContext, userTextIn } from "./extract-user-text";

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
   * For a stopped turn: the answer that a later history may contain instead. Late results restore their calls and the
   * cut-off text.
   */
  readonly fuller?: Digest;
  /** Digest of the last round's text, for a compacted history that contains nothing else of the turn. */
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
   * The turn without `text` and `messages`. The same object in `Reading.records` and in each reading that continues
   * this reading.
   */
  readonly record: Turn;
}

/** Content of one response. */
export interface Round {
  readonly text: string;
  readonly calls: readonly string[];
}

export interface Reading {
  /** Turns before the current turn. */
  readonly turns: readonly ReadTurn[];
  /** Records of `turns`. */
  readonly records: readonly Turn[];
  /** Digest of the user text that began the current turn; `undefined` if the history no longer contains it. */
  readonly requestDigest: Digest | undefined;
  /** The user text is the last content of the request and has no answer yet. */
  readonly isNew: boolean;
  /** Rounds of the current turn so far. */
  readonly rounds: readonly Round[];
  /** Messages of the current turn. */
  readonly messages: readonly ChatMessage[];
  /** Calls of the current or the previous turn whose results follow the last answer. */
  readonly results: readonly string[];
  /** Text that replaces a part of the history. */
  readonly summary: string | undefined;
  /**
   * `isTagged`: some message contains user text in the tags of the host's chat. `endsTagged`: the last message does.
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

/** A reading, and the parser state to continue with a longer history. */
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
 * The messages that equal those of `before`. `talk`: their number without system messages. `messages`: the number of
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
  // Tags determine how every message is parsed. The run before `common` may have grown, so it is parsed again.
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
      // If more than one turn starts, the results belong to a completed turn.
      [results, isNew] = [startedAt > 1 ? [] : resultsIn(run).map(({ callId }) => callId), startedAt > 0];
      summary = run.map(({ content }) => textOf(content)).findLast(text => text.startsWith(SUMMARY)) ?? summary;
    } else {
      const { user, rounds, ...rest } = drafts.pop() ?? { user: undefined, rounds: [], results: [], messages: [] };
      drafts.push({ ...rest, user, rounds: [...rounds, ...run.map(roundOf)], messages: [...rest.messages, ...run] });
      [results, isNew] = [[], false];
    }
  }
  const current = drafts.at(-1),
    last = talk.at(-1),
    lastUser = talk.findLast(({ role }) => role === "user");
  const turns = before?.reading.turns.slice(0, unchanged) ?? [];
  for (const draft of drafts.slice(unchanged, -1)) {
    const existing = before?.drafts[turns.length] === draft ? before.reading.turns[turns.length] : undefined;
    turns.push(existing ?? readTurn(draft));
  }
  const reading: Reading = {
    turns,
    records: recordsOf(turns, before?.reading, unchanged),
    requestDigest: current?.user,
    isNew,
    rounds: current?.rounds ?? [],
    messages: current?.messages ?? [],
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

/** The origin of each list of records: the first `count` records equal those of `records`. */
const ORIGINS = new WeakMap<readonly Turn[], { readonly records: readonly Turn[]; readonly count: number }>();

/** `unchanged`: at least this many turns are the objects of `before`. */
function recordsOf(turns: readonly ReadTurn[], before: Reading | undefined, unchanged: number): readonly Turn[] {
  let count = unchanged;
  while (before && count < turns.length && turns[count] === before.turns[count]) count++;
  const records = (before?.records.slice(0, count) ?? []).concat(turns.slice(count).map(({ record }) => record));
  if (before) {
    ORIGINS.set(records, { records: before.records, count });
    ORIGINS.delete(before.records); // prevents a chain of earlier lists
  }
  return records;
}

/**
 * Returns the same result as `commonLength`, but does not compare records that `after` shares with its origin `before`.
 */
export function commonRecords(before: readonly Turn[], after: readonly Turn[]): number {
  const origin = ORIGINS.get(after);
  return before === after ? after.length : origin?.records === before ? origin.count : commonLength(before, after);
}

/** Number of leading elements that are the same objects in both lists. */
export function commonLength<T>(before: readonly T[], after: readonly T[]): number {
  const length = Math.min(before.length, after.length);
  let common = 0;
  while (common < length && before[common] === after[common]) common++;
  return common;
}

function isTaggedUser({ role, content }: ChatMessage): boolean {
  return role === "user" && userTextIn(textOf(content)) !== undefined;
}

/** Index after the run of messages with the same role. */
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

/** Adds the results to the previous turn and appends the new turns. Returns the number of new turns. */
function userRun(run: readonly ChatMessage[], isTagged: boolean, drafts: Draft[]): number {
  const before = drafts.pop(),
    userTexts = run.map(({ content }) => userTextIn(textOf(content)));
  if (before) {
    const withResults = run.filter(message => resultsIn([message]).length > 0);
    const results = [...before.results, ...resultsIn(withResults).map(({ callId }) => callId)];
    drafts.push(
      withResults.length === 0 ? before : { ...before, results, messages: [...before.messages, ...withResults] },
    );
  }
  // If one message has tags, all text without tags is the chat's. A chat command leaves a message with empty tags.
  const tagged = run.flatMap((message, i) => (userTexts[i] ? [{ text: userTexts[i], messages: [message] }] : []));
  const plain = userTexts.some(each => each !== undefined)
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

/** The new results of the request, which follow the last answer. */
export function newResults(messages: readonly ChatMessage[]): ReturnType<typeof resultsIn> {
  return resultsIn(messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1));
}

/**
 * The turn in comparable form. A history omits calls without a result, so `calls` are those with a result. Without
 * `results`, for a turn of this process, all calls are used.
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
