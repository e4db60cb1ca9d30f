/**
 * What kind of request this is, before anybody looks for its session. The host's chat also asks its model for things that are no part of a conversation;
 * one of them, the compaction in the background, carries the conversation's id and the calls that wait for results, and comes just before the
 * request that really brings them. Pure.
 */
import type { ChatRequest } from "../../src/protocol/lm";
import type { Identity } from "./identity";
import { textOf, type Reading } from "./reading";

export type Kind =
  /** A turn of a conversation, or a round of one. */
  | { readonly kind: "turn" }
  /** A title, a commit message, …: what it needs is all in it. */
  | { readonly kind: "side"; readonly what: "title" | "progress" | "other" }
  /** The history is to be summed up. `ofConversation`: it is that of a conversation, whole. */
  | { readonly kind: "summary"; readonly ofConversation: boolean };

const SUMMARY_INSTRUCTIONS = /^Your task is to create a comprehensive, detailed summary\b/;
const SUMMARY_WORDS = /^(The conversation has grown too large for the context window|Summarize the conversation history so far)\b/;

export function classify({ messages, options }: ChatRequest, reading: Reading, identity: Identity): Kind {
  if (!identity.isFromChat) return { kind: "turn" };
  const hasId = identity.conversationId !== undefined, instructions = messages.find(({ role }) => role === "system");
  const about = instructions ? textOf(instructions.content) : "";
  if (SUMMARY_INSTRUCTIONS.test(about) || SUMMARY_WORDS.test(reading.lastText) || (hasId && isUncountedAside(reading, identity))) return { kind: "summary", ofConversation: hasId };
  if (hasId || (options?.tools ?? []).length > 0) return { kind: "turn" };
  return { kind: "side", what: /\btitles?\b/i.test(about) ? "title" : /\bprogress messages\b/.test(about) ? "progress" : "other" };
}

/** Words that are no turn of the user's: without a number, and without the tags that all the user's words have. */
function isUncountedAside({ isNew, isTagged, endsTagged }: Reading, { turn }: Identity): boolean {
  return turn === undefined && isNew && isTagged && !endsTagged;
}
