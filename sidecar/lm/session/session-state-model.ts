/**
 * States, events and effects of `session-state.ts`, the state machine of an agent session behind the model picker.
 * Pure.
 */
import type { TurnOutcome } from "../../agent-session/agent-message";
import type { Step, Unexpected } from "../../agent-session/state-machine";
import type { ChatPart, RequestId } from "../../../src/protocol/lm/lm";
import type { ContentBlock } from "../../acp/schema";
import type { ChatContext } from "../history/chat-context";

/**
 * An open request of the agent that the host answers: a call of one of VS Code's tools, or a permission. `callId` is
 * assigned by Symposium and unique.
 */
export interface Question {
  readonly callId: string;
  readonly kind: "tool" | "permission";
  /** VS Code's name of the tool. For a permission, the permission tool that asks for it. */
  readonly toolName: string;
  readonly parameters: unknown;
}

export interface Result {
  readonly callId: string;
  readonly result: unknown;
  readonly isError: boolean;
}

export type Answer =
  | { readonly kind: "result"; readonly result: unknown; readonly isError: boolean }
  /** Allows a permission. Only a decision in Symposium's own tool leads to this answer. */
  | { readonly kind: "allowed" }
  /** `reason`: a sentence for the agent. */
  | { readonly kind: "refused"; readonly reason: string };

/**
 * The agent that receives a prompt. `images`, `embedded`: accepted content beside text and links. `remembers`: its
 * session already contains this chat.
 */
export interface Recipient {
  readonly images: boolean;
  readonly embedded: boolean;
  readonly remembers: boolean;
  /** The agent has requested the list of VS Code's tools in this session. */
  readonly hasTools: boolean;
  /** The user's choices for the chat that this session has not received yet. */
  readonly context: readonly ContentBlock[];
}

export interface ModelPrompt {
  readonly requestId: RequestId;
  /** The user's text. */
  readonly text: string;
  /** The user's choices for the chat. Parsed when the prompt is sent. */
  readonly context: () => ChatContext;
  /** Whether the blocks mention tools if the agent has tools. */
  readonly namesTools: () => boolean;
  /** ACP content blocks, which quote the conversation if the agent does not remember it. */
  readonly blocks: (to: Recipient) => readonly ContentBlock[];
}

/** A sentence for the user. */
export interface ModelFailure {
  readonly message: string;
}

/** An event of the agent. Each can occur while no request is open. */
export type AgentActivity =
  | { readonly kind: "spoke"; readonly part: ChatPart }
  | { readonly kind: "asked"; readonly question: Question }
  /** The agent no longer waits for the answer. */
  | { readonly kind: "withdrew"; readonly callId: string }
  | { readonly kind: "turnEnded"; readonly outcome: TurnOutcome<ModelFailure> }
  /** `message`: a sentence for the user, here and below. */
  | { readonly kind: "agentDown"; readonly message: string };

export type ModelSessionEvent =
  | AgentActivity
  | { readonly kind: "opened" }
  | { readonly kind: "openFailed"; readonly message: string }
  | { readonly kind: "prompted"; readonly prompt: ModelPrompt }
  /** The results that arrived, and the user's new text, if any. */
  | {
      readonly kind: "resumed";
      readonly requestId: RequestId;
      readonly results: readonly Result[];
      readonly prompt: ModelPrompt | undefined;
    }
  /** Another request retries the current round. */
  | { readonly kind: "repeated"; readonly requestId: RequestId }
  /** Symposium's own tool was invoked for this permission. */
  | { readonly kind: "decided"; readonly callId: string }
  /** No further question has arrived within the debounce time. */
  | { readonly kind: "quiet" }
  | { readonly kind: "cancelled"; readonly requestId: RequestId }
  /** The user removed the running turn, so another session has replaced this session in the chat. */
  | { readonly kind: "takenBack" }
  /** The time limit of `watch` has passed. */
  | { readonly kind: "overdue" }
  | { readonly kind: "closed"; readonly message: string };

export type ModelSessionEffect =
  | { readonly kind: "open" }
  | { readonly kind: "prompt"; readonly prompt: ModelPrompt }
  | { readonly kind: "emit"; readonly requestId: RequestId; readonly part: ChatPart }
  | { readonly kind: "askHost"; readonly requestId: RequestId; readonly question: Question }
  /** `error`: the request failed with this sentence. `goesOn`: the turn continues with the next request. */
  | { readonly kind: "finish"; readonly requestId: RequestId; readonly error?: string; readonly goesOn?: true }
  /** Ends the turn of the last `prompt`. Emitted once for each prompt. */
  | { readonly kind: "turnOver"; readonly how: "answered" | "cut" }
  | { readonly kind: "answer"; readonly callId: string; readonly answer: Answer }
  | { readonly kind: "cancelAgent" }
  /** Starts or restarts the wait for `quiet`. */
  | { readonly kind: "awaitQuiet" }
  /** Replaces a running watch. */
  | { readonly kind: "watch"; readonly ms: number }
  | { readonly kind: "unwatch" }
  /** Stops and resumes reading from the agent for this session. */
  | { readonly kind: "pause" | "release" }
  /** Closes the agent's session. */
  | { readonly kind: "leave" }
  /** Output of a stopped turn, or output outside a turn. */
  | { readonly kind: "discard"; readonly part: ChatPart }
  | Unexpected;

/** Events buffered for the next response, in order. */
export interface Held {
  readonly events: readonly Extract<AgentActivity, { readonly kind: "spoke" | "asked" | "turnEnded" | "agentDown" }>[];
  readonly characters: number;
}

/** The questions of a response. `settled`: decided, withdrawn or refused before the results arrived. */
export interface Batch {
  readonly open: ReadonlyMap<string, Question>;
  readonly settled: ReadonlySet<string>;
}

export interface Streaming extends Batch {
  readonly kind: "streaming";
  readonly requestId: RequestId;
  /** Events after the questions of this response, buffered for the next response. */
  readonly held: Held;
}

/** No request is open, and the turn continues. */
export interface Blocked extends Batch {
  readonly kind: "blocked";
  readonly held: Held;
}

export type ModelSessionPhase =
  | { readonly kind: "opening"; readonly waiting: ModelPrompt | undefined }
  | { readonly kind: "idle"; readonly held: Held }
  | Streaming
  | Blocked
  | { readonly kind: "cancelling"; readonly waiting: ModelPrompt | undefined }
  | { readonly kind: "down" }
  | { readonly kind: "closed" };

/** Output of the current round. `parts` is undefined if it is too long to be sent again. */
export interface Reply {
  readonly parts: readonly ChatPart[] | undefined;
  readonly characters: number;
  readonly isEmpty: boolean;
}

export interface ModelSessionState {
  readonly phase: ModelSessionPhase;
  readonly reply: Reply;
  /** The agent's name, for sentences. */
  readonly agent: string;
}

export type ModelSessionStep = Step<ModelSessionState, ModelSessionEffect>;

export const HELD_EVENTS = 1_000,
  HELD_CHARACTERS = 4 * 1024 * 1024;
/** Maximum number of questions that are open or buffered in a session at a time. */
export const MAX_QUESTIONS = 64;
/** Limits of a reply that can be sent again. */
export const REPEATABLE_CHARACTERS = 1024 * 1024,
  REPEATABLE_PARTS = 1_000;

export const EMPTY_BUFFER: Held = { events: [], characters: 0 };
export const NO_REPLY: Reply = { parts: [], characters: 0, isEmpty: true };

/** Buffers an event. Merges adjacent texts. */
export function bufferEvent({ events, characters }: Held, event: Held["events"][number]): Held {
  const last = events.at(-1);
  const joined = event.kind === "spoke" && last?.kind === "spoke" ? join(last.part, event.part) : undefined;
  return {
    events: joined ? [...events.slice(0, -1), { kind: "spoke", part: joined }] : [...events, event],
    characters: characters + (event.kind === "spoke" ? charactersOf(event.part) : 0),
  };
}

export function isBufferFull({ events, characters }: Held): boolean {
  return events.length >= HELD_EVENTS || characters >= HELD_CHARACTERS;
}

export function grown({ parts, characters, isEmpty }: Reply, part: ChatPart): Reply {
  const last = parts?.at(-1),
    joined = last && join(last, part),
    size = characters + charactersOf(part);
  const all = parts && (joined ? [...parts.slice(0, -1), joined] : [...parts, part]);
  // VS Code treats an answer without text and calls as a failure.
  const hasContent = part.type === "tool_call" || (part.type === "text" && part.value !== "");
  return {
    parts: all && size <= REPEATABLE_CHARACTERS && all.length <= REPEATABLE_PARTS ? all : undefined,
    characters: size,
    isEmpty: isEmpty && !hasContent,
  };
}

function join(before: ChatPart, after: ChatPart): ChatPart | undefined {
  if (before.type === "text" && after.type === "text") return { type: "text", value: before.value + after.value };
  const isPlain =
    before.type === "thinking" &&
    after.type === "thinking" &&
    before.metadata === undefined &&
    after.metadata === undefined &&
    before.id === after.id;
  return isPlain ? { ...before, value: before.value + after.value } : undefined;
}

function charactersOf(part: ChatPart): number {
  switch (part.type) {
    case "text":
    case "thinking":
      return part.value.length;
    case "data":
      return part.data.length;
    case "tool_call":
    case "tool_result":
      return 0;
  }
}

export function partOf({ callId, toolName, parameters }: Question): ChatPart {
  return { type: "tool_call", toolCallId: callId, toolName, parameters };
}
