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

export function digest(text: string): Digest { return createHash("sha256").update(normal(text)).digest("base64url").slice(0, 22); }

/** A turn that is over. */
export interface Turn {
  readonly user: Digest | undefined;
  /** All texts of its rounds together. */
  readonly answer: Digest | undefined;
  /** The text of its last round, for when a compaction leaves no more. */
  readonly last: Digest | undefined;
  /** Ids of the calls that have results, or that we made. */
  readonly calls: readonly string[];
}

/** With the text, for who has to compare more than the whole. */
export interface ReadTurn extends Turn { readonly text: string }

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
  /** Calls that are answered behind the last answer. */
  readonly results: readonly string[];
  /** A summary stands in the place of a part of the history. */
  readonly isCompacted: boolean;
  /** Somewhere words are in tags, as the host's chat writes them; and whether the last message's are. */
  readonly isTagged: boolean;
  readonly endsTagged: boolean;
  /** The last message of the user, as it is. */
  readonly lastText: string;
}

interface Draft { user: Digest | undefined; readonly rounds: { text: string; readonly calls: string[] }[]; readonly results: string[] }

export function read(messages: readonly ChatMessage[]): Reading {
  const talk = messages.filter(({ role }) => role !== "system");
  const users = talk.filter(({ role }) => role === "user").map(({ content }) => textOf(content));
  const isTagged = users.some(text => wordsIn(text) !== undefined), drafts: Draft[] = [];
  let results: string[] = [], isNew = false;
  for (const run of runs(talk)) {
    if (run.role === "user") {
      results = run.contents.flatMap(content => content.flatMap(part => part.type === "tool_result" ? [part.toolCallId] : []));
      drafts.at(-1)?.results.push(...results);
      const words = wordsOf(run.contents, isTagged);
      drafts.push(...words.map((text): Draft => ({ user: digest(text), rounds: [], results: [] })));
      isNew = words.length > 0;
    } else {
      if (drafts.length === 0) drafts.push({ user: undefined, rounds: [], results: [] });
      drafts.at(-1)?.rounds.push(...run.contents.map(content => ({ text: textOf(content), calls: content.flatMap(part => part.type === "tool_call" ? [part.toolCallId] : []) })));
      [results, isNew] = [[], false];
    }
  }
  const atHand = drafts.at(-1), last = talk.at(-1);
  return {
    turns: drafts.slice(0, -1).map(turnOf), asked: atHand?.user, isNew, rounds: atHand?.rounds ?? [], results, isTagged,
    isCompacted: users.some(text => text.startsWith("<conversation-summary>")),
    endsTagged: last?.role === "user" && wordsIn(textOf(last.content)) !== undefined,
    lastText: users.at(-1) ?? "",
  };
}

/** The turn as it is compared with what is echoed of it. */
export function turnOf({ user, rounds, results }: { readonly user: Digest | undefined; readonly rounds: readonly Round[]; readonly results?: readonly string[] }): ReadTurn {
  const text = rounds.map(round => round.text).join(""), last = rounds.at(-1);
  return {
    user, text: normal(text),
    answer: last && digest(text), last: last && digest(last.text),
    calls: results ?? rounds.flatMap(({ calls }) => calls),
  };
}

export function textOf(content: readonly ChatPart[]): string { return content.map(part => part.type === "text" ? part.value : "").join(""); }

/** Messages of one side that follow each other. An empty assistant message is none. */
function runs(talk: readonly ChatMessage[]): readonly { readonly role: ChatMessage["role"]; readonly contents: (readonly ChatPart[])[] }[] {
  const all: { role: ChatMessage["role"]; contents: (readonly ChatPart[])[] }[] = [];
  for (const { role, content } of talk) {
    const last = all.at(-1);
    if (last?.role === role) last.contents.push(content);
    else all.push({ role, contents: [content] });
  }
  return all;
}

/** Each text with which the user began a turn. Where one is in tags, what is not was put there by the chat. */
function wordsOf(contents: readonly (readonly ChatPart[])[], isTagged: boolean): readonly string[] {
  const texts = contents.map(textOf), tagged = texts.map(wordsIn).filter(words => words !== undefined);
  if (tagged.length > 0) return tagged.filter(words => words !== "");
  const plain = texts.map(text => withoutContext(text, isTagged)).filter(text => text !== "").join("\n");
  return plain === "" ? [] : [plain];
}
