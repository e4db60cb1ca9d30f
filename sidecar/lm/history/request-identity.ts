/**
 * Identifies the caller and the conversation of a request.
 *
 * VS Code itself sets `requestInitiator`. The caller sets `modelOptions`, which are used only if the caller is the
 * host's chat or an older host does not identify the caller. Their keys are private to the chat, and each may be
 * missing. Pure.
 */
import { createHash } from "node:crypto";
import { ELIZA, type AgentConfig } from "../../../src/protocol/agents/agents";
import { isObject, textIn } from "../../rpc/json";
import type { ChatMessage, ChatRequest } from "../../../src/protocol/lm/lm";
import { textOf } from "./parse-history";

export interface Identity {
  /** The calling extension; `undefined` if the host or program does not identify it. */
  readonly caller: string | undefined;
  /** The caller is an extension other than the host's chat, so its user cannot be asked. */
  readonly isForeign: boolean;
  /** The caller is the host's chat. If VS Code does not report the caller, a private key of the chat identifies it. */
  readonly isFromChat: boolean;
  /** The conversation's id. Forks and sub-agents carry their parent's. */
  readonly conversationId: string | undefined;
  /** The id of the visible chat. A fork has a new id, and a sub-agent its parent's id. */
  readonly chatSession: string | undefined;
  /** Number of the user's turn, from 1. Absent from a background compaction. */
  readonly turn: number | undefined;
  /**
   * `trace` identifies a turn of a conversation, `span` one agent loop within it. Each sub-agent has a separate span.
   */
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
/** Keys of `modelOptions` in requests of the chat, up to version 0.67. Most requests have all of them. */
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
  const marks = isChat ? (options?.modelOptions ?? {}) : {},
    trace = marks["_otelTraceContext"];
  const { traceId, spanId } = isObject(trace) ? trace : {};
  const conversationId = textIn(marks["_conversationId"]),
    turn = marks["_telemetryTurn"];
  return {
    caller,
    isForeign: !isChat && caller !== CORE,
    conversationId,
    isFromChat: caller === undefined ? PRIVATE_KEYS.some(key => key in marks) : isChat,
    chatSession: conversationId === undefined ? undefined : chatSession(messages),
    turn: typeof turn === "number" ? turn : undefined,
    trace: textIn(traceId),
    span: textIn(spanId),
  };
}

/** Matches the path of the chat's log in the instructions of agent modes. Its last segment is the chat's id. */
const LOG = /^- VSCODE_TARGET_SESSION_LOG: .*[\\/]([\w-]+)\s*$/gm;

function chatSession(messages: readonly ChatMessage[]): string | undefined {
  const last = messages.findLast(message => message.role === "system" && chatSessionIn(message) !== undefined);
  return last && chatSessionIn(last);
}

/** Cache keyed by message object, because requests repeat their system messages. `null`: the message names no log. */
const CHAT_SESSIONS = new WeakMap<ChatMessage, string | null>();

function chatSessionIn(message: ChatMessage): string | undefined {
  const cached = CHAT_SESSIONS.get(message),
    found = cached === undefined ? ([...textOf(message.content).matchAll(LOG)].at(-1)?.[1] ?? null) : cached;
  CHAT_SESSIONS.set(message, found);
  return found ?? undefined;
}

/** Key of the agent process that a session needs: a digest, because the definition contains secrets. */
export function agentKey({ agent, cwd }: Pick<ChatRequest, "agent" | "cwd">): string {
  const text = JSON.stringify({ agent, cwd }),
    cached = KEYS.get(text) ?? canonicalKey(agent, cwd);
  KEYS.delete(text);
  KEYS.set(text, cached);
  const [oldest] = KEYS.keys();
  if (KEYS.size > MAX_KEYS && oldest !== undefined) KEYS.delete(oldest);
  return cached;
}

/** Keys of the most recently used agents. */
const KEYS = new Map<string, string>(),
  MAX_KEYS = 16;

function canonicalKey(agent: ChatRequest["agent"], cwd: string | undefined): string {
  const canonical = JSON.stringify({ agent, cwd }, (_, value: unknown) =>
    isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
  return createHash("sha256").update(canonical).digest("base64url").slice(0, 22);
}

/** The agent of a request, in the form of the settings. */
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
