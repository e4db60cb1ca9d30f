/**
 * Who asks, and in which conversation, as far as a request tells. `requestInitiator` comes from VS Code itself;
 * `modelOptions` are whatever the caller put there, so they count only when that is the host's chat, or when a host of
 * before does not say who it is. They are private names of the chat's: each may be missing. Pure.
 */
import { createHash } from "node:crypto";
import { ELIZA, type AgentConfig } from "../../../src/protocol/agents";
import { isObject } from "../../../src/protocol/json";
import type { ChatMessage, ChatRequest } from "../../../src/protocol/lm";
import { textOf } from "./parse-history";

export interface Identity {
  /** The extension that asks; `undefined`: a host, or a program, that does not say. */
  readonly caller: string | undefined;
  /** Another extension than the host's chat: it may ask, and has no user before a chat of ours. */
  readonly isForeign: boolean;
  /**
   * The host's chat asks: VS Code says so, or, in versions that do not, the request carries any private key of the
   * chat's.
   */
  readonly isFromChat: boolean;
  /** Of the conversation; forks and sub-agents carry their parent's. */
  readonly conversationId: string | undefined;
  /** Of the chat that is on screen; a fork has its own, a sub-agent its parent's. */
  readonly chatSession: string | undefined;
  /** Counts the user's turns, from 1. Not sent with a background compaction. */
  readonly turn: number | undefined;
  /** One turn of a conversation, and one loop of an agent within it: each sub-agent has one of its own. */
  readonly trace: string | undefined;
  readonly span: string | undefined;
}

const CHATS: ReadonlySet<string> = new Set([
  "github.copilot-chat",
  "github.copilot",
  "vscode.copilot",
  "vscode.copilot-chat",
]);
const CORE = "core";
/** Names in `modelOptions` that the chat's requests have, in the versions up to 0.67; each of them in most. */
const PRIVATE_KEYS = [
  "_capturingTokenCorrelationId",
  "_otelTraceContext",
  "_telemetryTurn",
  "_enableThinking",
  "_conversationId",
] as const;

export function identityOf({ messages, options }: ChatRequest): Identity {
  const caller = options?.requestInitiator?.toLowerCase(),
    isChat = caller === undefined || CHATS.has(caller);
  const given = isChat ? (options?.modelOptions ?? {}) : {},
    trace = given["_otelTraceContext"];
  const { traceId, spanId } = isObject(trace) ? trace : {};
  const conversationId = text(given["_conversationId"]),
    turn = given["_telemetryTurn"];
  return {
    caller,
    isForeign: !isChat && caller !== CORE,
    conversationId,
    isFromChat: caller === undefined ? PRIVATE_KEYS.some(key => key in given) : isChat,
    chatSession: conversationId === undefined ? undefined : chatSession(messages),
    turn: typeof turn === "number" ? turn : undefined,
    trace: text(traceId),
    span: text(spanId),
  };
}

/** The last part of the path of the chat's log, which the instructions of its agent modes name. */
const LOG = /^- VSCODE_TARGET_SESSION_LOG: .*[\\/]([\w-]+)\s*$/gm;

function chatSession(messages: readonly ChatMessage[]): string | undefined {
  const last = messages.findLast(message => message.role === "system" && chatSessionIn(message) !== undefined);
  return last && chatSessionIn(last);
}

/** By the message itself: the next request brings the same system text again. `null`: it names none. */
const CHAT_SESSIONS = new WeakMap<ChatMessage, string | null>();

function chatSessionIn(message: ChatMessage): string | undefined {
  const known = CHAT_SESSIONS.get(message),
    found = known === undefined ? ([...textOf(message.content).matchAll(LOG)].at(-1)?.[1] ?? null) : known;
  CHAT_SESSIONS.set(message, found);
  return found ?? undefined;
}

/** What decides which agent process a session needs. A digest, because the definition holds secrets. */
export function agentKey({ agent, cwd }: Pick<ChatRequest, "agent" | "cwd">): string {
  const text = JSON.stringify({ agent, cwd }),
    known = KEYS.get(text) ?? canonicalKey(agent, cwd);
  KEYS.delete(text);
  KEYS.set(text, known);
  const [oldest] = KEYS.keys();
  if (KEYS.size > MAX_KEYS && oldest !== undefined) KEYS.delete(oldest);
  return known;
}

/** Of the agents that were asked last. */
const KEYS = new Map<string, string>(),
  MAX_KEYS = 16;

function canonicalKey(agent: ChatRequest["agent"], cwd: string | undefined): string {
  const canonical = JSON.stringify({ agent, cwd }, (_, value: unknown) =>
    isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
  return createHash("sha256").update(canonical).digest("base64url").slice(0, 22);
}

/** The agent that a request names, as the settings would have it. */
export function agentOf({
  agent,
  agentId,
  distribution,
}: Pick<ChatRequest, "agent" | "agentId" | "distribution">): AgentConfig {
  if ("eliza" in agent)
    return agent.eliza.deterministic
      ? { ...ELIZA, distribution: { symposium: { subcommand: "eliza", args: ["--deterministic"] } } }
      : ELIZA;
  const { name, command, args, env } = agent.mcp_server;
  return {
    id: agentId ?? name,
    name,
    distribution: distribution ?? {
      local: { command, args, env: Object.fromEntries(env.map(({ name: key, value }) => [key, value])) },
    },
  };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
