/**
 * A request's messages as a conversation: turns that are over, and the one at hand. Only what survives the host's
 * rewriting counts: system messages, thinking, images, cache marks, context that is rendered anew and the bodies of
 * tool results do not.
 *
 * A turn begins with words of the user and holds everything until the next: texts and calls of the agent, and results.
 * One whose answer failed has none; one whose beginning was taken away by a compaction has no words. Pure.
 *
 * A request repeats the history of the one before, so `readOn` starts from an earlier reading: runs of messages that
 * are the same objects are not read again. `read` is the same from nothing.
 */
import { hash } from "node:crypto";
import type { ChatMessage, ChatPart } from "../../../src/protocol/lm";
import { normal, withoutContext, wordsIn } from "./extract-user-text";

/** Of a text, white space aside. */
export type Digest = string;

export function digest(text: string): Digest {
  return hash("sha256", normal(text), "buffer").subarray(0, 16).toString("base64url");
}

/** A turn that is over. */
export interface Turn {
  readonly user: Digest | undefined;
  /** All texts of its rounds together. */
  readonly answer: Digest | undefined;
  /**
   * Of a turn that was stopped: the answer that a later history may show instead, when results bring back what was cut
   * off with their calls.
   */
  readonly fuller?: Digest;
  /** The text of its last round, for when a compaction leaves no more. */
  readonly last: Digest | undefined;
  /** Ids of the calls that have results, or that we made. */
  readonly calls: readonly string[];
}

/** With what was said, for who has to compare more than the whole, or to tell somebody of it. */
export interface ReadTurn extends Turn {
  readonly text: string;
  /** Its own: the user's, then those of its rounds. */
  readonly messages: readonly ChatMessage[];
  /** Without the two above; the same object in each reading that starts from this one, and in `Reading.records`. */
  readonly record: Turn;
}

/** What one of our responses said. */
export interface Round {
  readonly text: string;
  readonly calls: readonly string[];
}

export interface Reading {
  /** Before the turn at hand. */
  readonly turns: readonly ReadTurn[];
  /** Of the turns. */
  readonly records: readonly Turn[];
  /** The words that began the turn at hand; `undefined` when they are not there any more. */
  readonly asked: Digest | undefined;
  /** They are the request's last: nobody has answered them yet. */
  readonly isNew: boolean;
  /** What the turn at hand has already. */
  readonly rounds: readonly Round[];
  /** Of the turn at hand. */
  readonly messages: readonly ChatMessage[];
  /** Calls of the turn at hand, or of the one just before it, that are answered behind the last answer. */
  readonly results: readonly string[];
  /** What stands in the place of a part of the history. */
  readonly summary: string | undefined;
  /** Somewhere words are in tags, as the host's chat writes them; and whether the last message's are. */
  readonly isTagged: boolean;
  readonly endsTagged: boolean;
  /** The last message of the user, as it is. */
  readonly lastText: string;
}

/** Immutable: earlier readings share it. */
interface Draft {
  readonly user: Digest | undefined;
  readonly rounds: readonly Round[];
  readonly results: readonly string[];
  readonly messages: readonly ChatMessage[];
}

/** The reading before a run of the user's. */
interface Start {
  /** Index of the run's first message. */
  readonly at: number;
  readonly drafts: number;
  /** The last of them, which the run may extend. */
  readonly last: Draft | undefined;
  readonly summary: string | undefined;
}

/** A reading, and what the reading of a longer history needs of it. */
export interface Progress {
  readonly reading: Reading;
  /** System messages at the beginning, and behind it. */
  readonly leading: number;
  readonly scattered: number;
  /** Without system messages. */
  readonly talk: readonly ChatMessage[];
  /** Index of the first message with tags; -1: none has any. */
  readonly taggedAt: number;
  readonly drafts: readonly Draft[];
  readonly starts: readonly Start[];
}

export function read(messages: readonly ChatMessage[]): Reading {
  return readOn(messages, undefined).reading;
}

/** Messages that are known to be those of `before`: so many of the talk, which end behind so many of all. */
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
  // Tags decide how every message is read. At `common` itself a run of the other side may have been joined.
  const from = isReadAlike ? before.starts.findLastIndex(({ at }) => at < common) : -1,
    start = before?.starts[from];
  const kept = Math.max(0, (start?.drafts ?? 0) - 1),
    drafts = before?.drafts.slice(0, kept) ?? [];
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
      const begun = userRun(run, isTagged, drafts);
      // Before a turn that nobody answered they are of one that is over.
      [results, isNew] = [begun > 1 ? [] : resultsIn(run).map(({ callId }) => callId), begun > 0];
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
  const turns = before?.reading.turns.slice(0, kept) ?? [];
  for (const draft of drafts.slice(kept, -1)) {
    const known = before?.drafts[turns.length] === draft ? before.reading.turns[turns.length] : undefined;
    turns.push(known ?? readTurn(draft));
  }
  const reading: Reading = {
    turns,
    records: recordsOf(turns, before?.reading, kept),
    asked: atHand?.user,
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

/** Lists of records by the list that they were made from: so many of its records are theirs. */
const ORIGINS = new WeakMap<readonly Turn[], { readonly records: readonly Turn[]; readonly count: number }>();

/** `kept`: so many turns are those of `before`, at least. */
function recordsOf(turns: readonly ReadTurn[], before: Reading | undefined, kept: number): readonly Turn[] {
  let count = kept;
  while (before && count < turns.length && turns[count] === before.turns[count]) count++;
  const records = (before?.records.slice(0, count) ?? []).concat(turns.slice(count).map(({ record }) => record));
  if (before) {
    ORIGINS.set(records, { records: before.records, count });
    ORIGINS.delete(before.records); // no chain
  }
  return records;
}

/** As `commonLength`, without a look at what the second list has taken over from the first. */
export function commonRecords(before: readonly Turn[], after: readonly Turn[]): number {
  const origin = ORIGINS.get(after);
  return before === after ? after.length : origin?.records === before ? origin.count : commonLength(before, after);
}

/** How many of both, from the first on, are the same objects. */
export function commonLength<T>(before: readonly T[], after: readonly T[]): number {
  const length = Math.min(before.length, after.length);
  let common = 0;
  while (common < length && before[common] === after[common]) common++;
  return common;
}

function isTaggedUser({ role, content }: ChatMessage): boolean {
  return role === "user" && wordsIn(textOf(content)) !== undefined;
}

/** Behind the messages of one side that follow each other. */
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

/** What the user's messages bring: results for the turn before, and turns of their own: so many. */
function userRun(run: readonly ChatMessage[], isTagged: boolean, drafts: Draft[]): number {
  const before = drafts.pop(),
    words = run.map(({ content }) => wordsIn(textOf(content)));
  if (before) {
    const brought = run.filter(message => resultsIn([message]).length > 0);
    const results = [...before.results, ...resultsIn(brought).map(({ callId }) => callId)];
    drafts.push(brought.length === 0 ? before : { ...before, results, messages: [...before.messages, ...brought] });
  }
  // Where one is in tags, what is not was put there by the chat. An empty one is what a command of the chat's leaves
  // behind.
  const tagged = run.flatMap((message, i) => (words[i] ? [{ text: words[i], messages: [message] }] : []));
  const plain = words.some(each => each !== undefined)
    ? []
    : run
        .map(message => ({ text: withoutContext(textOf(message.content), isTagged), message }))
        .filter(({ text }) => text !== "");
  const begun =
    plain.length === 0
      ? tagged
      : [{ text: plain.map(({ text }) => text).join("\n"), messages: plain.map(({ message }) => message) }];
  drafts.push(...begun.map(({ text, messages }): Draft => ({ user: digest(text), rounds: [], results: [], messages })));
  return begun.length;
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

/** Those behind the last answer: what the request brings. */
export function newResults(messages: readonly ChatMessage[]): ReturnType<typeof resultsIn> {
  return resultsIn(messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1));
}

/**
 * The turn as it is compared with what is echoed of it. Calls without a result vanish from a history: those with one
 * count, or, of our own, all.
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
