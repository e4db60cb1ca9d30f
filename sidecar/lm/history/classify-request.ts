/**
 * Classifies a request before its session is looked up. VS Code's chat also sends requests outside conversations. One
 * of them, the background compaction, carries the conversation's id and its pending calls. It arrives just before the
 * request with their results.
 *
 * No single mark is decisive, because each mark may be missing in another version of the chat. The marks are
 * `requestInitiator`, the keys of `modelOptions`, the tools, the tags around the user's text, and the host's own
 * wording. `classify-request.property.test.ts` removes each mark and each pair of marks. Pure.
 */
import type { ChatRequest } from "../../../src/protocol/lm/lm";
import type { Identity } from "./request-identity";
import { textOf, type Reading } from "./parse-history";

export type Kind =
  /** A turn of a conversation, or a round of a turn. */
  | { readonly kind: "turn" }
  /** A title, a commit message or similar. The request is self-contained. */
  | { readonly kind: "side"; readonly what: "title" | "progress" | "other" }
  /** A request to summarise the history. `ofConversation`: it carries the conversation's id. */
  | { readonly kind: "summary"; readonly ofConversation: boolean };

export function classify(request: ChatRequest, reading: Reading, identity: Identity): Kind {
  if (!identity.isFromChat) return { kind: "turn" };
  const system = request.messages.find(({ role }) => role === "system"),
    instructions = system ? textOf(system.content) : "";
  const ofConversation = identity.conversationId !== undefined;
  if (isSummary(request, instructions, reading, identity)) return { kind: "summary", ofConversation };
  const isShaped = !SIDE_INSTRUCTIONS.test(instructions) && hasTurnShape(request, reading, identity);
  const isTurn = hasTurnIdentity(request, instructions, identity) || isShaped;
  return isTurn ? { kind: "turn" } : { kind: "side", what: subjectOf(instructions, reading.lastText) };
}

const SUMMARY_INSTRUCTIONS = /^Your task is to create a comprehensive, detailed summary\b/;
const SUMMARY_TEXT =
  /^(?:The conversation has grown too large for the context window|Summarize the conversation history so far)\b/;
/** The history of a summary request, sent as text instead of messages. */
const COMPRESSED_HISTORY = /^The following is a compressed version of the prec\w+ history\b/;

function isSummary(request: ChatRequest, instructions: string, reading: Reading, identity: Identity): boolean {
  if (SUMMARY_INSTRUCTIONS.test(instructions) || SUMMARY_TEXT.test(reading.lastText)) return true;
  if (isHostInstruction(request, reading, identity)) return true;
  return reading.messages.some(({ role, content }) => role === "user" && COMPRESSED_HISTORY.test(textOf(content)));
}

/**
 * Whether the request ends with an instruction of the host: it has no turn number, and its last text lacks the tags of
 * user text.
 */
function isHostInstruction(
  { options }: ChatRequest,
  { isNew, isTagged, endsTagged }: Reading,
  { turn, conversationId }: Identity,
): boolean {
  const isConversation = conversationId !== undefined || (options?.tools ?? []).length > 0;
  return isConversation && turn === undefined && isNew && isTagged && !endsTagged;
}

/** The instructions of the chat's agent modes name the chat's log. */
const AGENT_INSTRUCTIONS = /^- VSCODE_TARGET_SESSION_LOG: /m;

/** Marks that only turns have. */
function hasTurnIdentity({ options }: ChatRequest, instructions: string, identity: Identity): boolean {
  const { conversationId, turn } = identity;
  return (
    conversationId !== undefined ||
    turn !== undefined ||
    (options?.tools ?? []).length > 0 ||
    AGENT_INSTRUCTIONS.test(instructions)
  );
}

/** The chat's instructions for a small text or a commit message, in versions up to 0.67. */
const SIDE_INSTRUCTIONS = /^You are an expert in (?:crafting|writing|file editing)\b|^.*\bgit commit message\b/;
const ENDS_IN_USER_TEXT = /<\/(?:userRequest|prompt)>\s*$/;

/** Marks of turns that side requests may also have: a trace, a thinking option, tagged user text, answers. */
function hasTurnShape({ messages, options }: ChatRequest, { lastText }: Reading, { span }: Identity): boolean {
  if (span !== undefined || typeof options?.modelOptions?.["_enableThinking"] === "boolean") return true;
  return ENDS_IN_USER_TEXT.test(lastText) || messages.some(({ role }) => role === "assistant");
}

const TITLE_TEXT = /^Please write a brief title\b/,
  PROGRESS_TEXT = /\bprogress messages?\b/;

function subjectOf(instructions: string, text: string): "title" | "progress" | "other" {
  if (/\btitles?\b/i.test(instructions) || TITLE_TEXT.test(text)) return "title";
  return PROGRESS_TEXT.test(instructions) || PROGRESS_TEXT.test(text) ? "progress" : "other";
}
