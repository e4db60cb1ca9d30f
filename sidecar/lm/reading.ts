/**
 * A request's messages as a conversation: turns that are over, and the one at hand. Only what survives the host's rewriting counts: system
 * messages, thinking, images, cache marks, context that is rendered anew and the bodies of tool results do not.
 *
 * A turn begins with words of the user and holds everything until the next: texts and calls of the agent, and results. One whose answer failed has
 * none; one whose beginning was taken away by a compaction has no words. Pure.
 */
import { createHash } from "node:crypto";
import type { ChatMessage, ChatPart } from "../../src/protocol/lm";
import { normal, withoutContext, wordsIn } from "./words";

/** Of a text, white space aside. */
export type Digest = string;

export function digest(text: string): Digest { return createHash("sha256").update(normal(text)).digest().subarray(0, 16).toString("base64url"); }

/** A turn that is over. */
export interface Turn {
  readonly user: Digest | undefined;
  /** All texts of its rounds together. */
  readonly answer: Digest | undefined;
  /** Of a turn that was stopped: the answer that a later history may show instead, when results bring back what was cut off with their calls. */
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
}

/** What one of our responses said. */
export interface Round { readonly text: string; readonly calls: readonly string[] }

export interface Reading {
  /** Before the turn at hand. */
  readonly turns: readonly ReadTurn[];
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

interface Draft { readonly user: Digest | undefined; readonly rounds: Round[]; readonly results: string[]; readonly messages: ChatMessage[] }

export function read(messages: readonly ChatMessage[]): Reading {
  const talk = messages.filter(({ role }) => role !== "system"), users = talk.filter(({ role }) => role === "user").map(({ content }) => textOf(content));
  const isTagged = users.some(text => wordsIn(text) !== undefined), last = talk.at(-1), drafts: Draft[] = [];
  let results: readonly string[] = [], isNew = false;
  for (const run of runs(talk)) {
    if (run[0]?.role === "user") {
      const begun = userRun(run, isTagged, drafts);
      // Before a turn that nobody answered they are of one that is over.
      [results, isNew] = [begun > 1 ? [] : resultsIn(run).map(({ callId }) => callId), begun > 0];
    } else {
      if (drafts.length === 0) drafts.push({ user: undefined, rounds: [], results: [], messages: [] });
      drafts.at(-1)?.rounds.push(...run.map(({ content }) => ({ text: textOf(content), calls: content.flatMap(part => part.type === "tool_call" ? [part.toolCallId] : []) })));
      drafts.at(-1)?.messages.push(...run);
      [results, isNew] = [[], false];
    }
  }
  const atHand = drafts.at(-1);
  return {
    turns: drafts.slice(0, -1).map(draft => ({ ...turnOf(draft), text: normal(draft.rounds.map(({ text }) => text).join("")), messages: draft.messages })),
    asked: atHand?.user, isNew, rounds: atHand?.rounds ?? [], messages: atHand?.messages ?? [], results, isTagged,
    summary: users.findLast(text => text.startsWith(SUMMARY)),
    endsTagged: last?.role === "user" && wordsIn(textOf(last.content)) !== undefined,
    lastText: users.at(-1) ?? "",
  };
}

const SUMMARY = "<conversation-summary>";

/** What the user's messages bring: results for the turn before, and turns of their own: so many. */
function userRun(run: readonly ChatMessage[], isTagged: boolean, drafts: Draft[]): number {
  const before = drafts.at(-1), words = run.map(({ content }) => wordsIn(textOf(content)));
  for (const message of run) {
    const ids = resultsIn([message]).map(({ callId }) => callId);
    before?.results.push(...ids);
    if (ids.length > 0) before?.messages.push(message);
  }
  // Where one is in tags, what is not was put there by the chat. An empty one is what a command of the chat's leaves behind.
  const tagged = run.flatMap((message, i) => words[i] ? [{ text: words[i], messages: [message] }] : []);
  const plain = words.some(each => each !== undefined) ? [] : run.map(message => ({ text: withoutContext(textOf(message.content), isTagged), message })).filter(({ text }) => text !== "");
  const begun = plain.length === 0 ? tagged : [{ text: plain.map(({ text }) => text).join("\n"), messages: plain.map(({ message }) => message) }];
  drafts.push(...begun.map(({ text, messages }): Draft => ({ user: digest(text), rounds: [], results: [], messages })));
  return begun.length;
}

/** Results of calls, in their order. */
export function resultsIn(messages: readonly ChatMessage[]): readonly { readonly callId: string; readonly result: unknown; readonly isError: boolean }[] {
  return messages.flatMap(({ content }) => content.flatMap(part => part.type === "tool_result" ? [{ callId: part.toolCallId, result: part.result, isError: part.isError ?? false }] : []));
}

/** Those behind the last answer: what the request brings. */
export function newResults(messages: readonly ChatMessage[]): ReturnType<typeof resultsIn> {
  return resultsIn(messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1));
}

/** The turn as it is compared with what is echoed of it. Calls without a result vanish from a history: those with one count, or, of our own, all. */
export function turnOf({ user, rounds, results }: { readonly user: Digest | undefined; readonly rounds: readonly Round[]; readonly results?: readonly string[] }): Turn {
  const last = rounds.at(-1);
  return { user, answer: last && digest(rounds.map(({ text }) => text).join("")), last: last && digest(last.text), calls: results ?? rounds.flatMap(({ calls }) => calls) };
}

export function textOf(content: readonly ChatPart[]): string { return content.map(part => part.type === "text" ? part.value : "").join(""); }

/** Messages of one side that follow each other. */
function runs(talk: readonly ChatMessage[]): readonly (readonly ChatMessage[])[] {
  const all: ChatMessage[][] = [];
  for (const message of talk) {
    const run = all.at(-1);
    if (run?.[0]?.role === message.role) run.push(message);
    else all.push([message]);
  }
  return all;
}
