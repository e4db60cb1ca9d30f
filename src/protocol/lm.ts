/**
 * The language-model provider: VS Code's side ↔ sidecar. The names and shapes of `LmToSidecar` and `LmToHost` are
 * public: another program may speak them to `symposium-acp-agent vscodelm`, one JSON value a line, so they do not
 * change; what is marked as ours was added, is optional, and means nothing to who does not know it. `requestId` is the
 * request's own (`ChatRequest.requestId`), or the JSON-RPC id of the `lm/provideLanguageModelChatResponse` that it
 * belongs to. `lm-read.ts` reads what strangers send.
 */
import { ELIZA, type AgentConfig } from "./agents";
import { typedCommand, type Distribution } from "./distribution";
import type { Fields } from "./json";
import type { Call, Note } from "./wire";

export type RequestId = number | string;

export type ChatPart =
  | { readonly type: "text"; readonly value: string }
  | { readonly type: "tool_call"; readonly toolCallId: string; readonly toolName: string; readonly parameters: unknown }
  /** `result`: a text, parts (`text` and `data`), or whatever a tool returned. */
  | { readonly type: "tool_result"; readonly toolCallId: string; readonly result: unknown; readonly isError?: boolean }
  /** Ours. `data` is base64. */
  | { readonly type: "data"; readonly mimeType: string; readonly data: string }
  /** Ours. */
  | { readonly type: "thinking"; readonly value: string; readonly id?: string; readonly metadata?: unknown };

/** `system`: VS Code sends such messages, although its types do not know them. */
export interface ChatMessage {
  readonly role: "user" | "assistant" | "system";
  readonly content: readonly ChatPart[];
}

/** Some have no schema, or one that says nothing. */
export interface ChatTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: unknown;
}

export interface ChatOptions {
  readonly tools?: readonly ChatTool[];
  /** Absent: `auto`. */
  readonly toolMode?: "auto" | "required";
  readonly modelOptions?: Readonly<Record<string, unknown>>;
  /**
   * Ours. Which extension asks, as VS Code itself says; `core` is VS Code. Unlike `modelOptions`, a caller cannot write
   * it.
   */
  readonly requestInitiator?: string;
}

export type AgentDefinition =
  | { readonly eliza: { readonly deterministic?: boolean } }
  | { readonly mcp_server: McpServerStdio };

/** An ACP agent, in the words of the documents: a command that is spoken to on stdio. `name` is for sentences. */
export interface McpServerStdio {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

export interface ChatRequest {
  readonly modelId: string;
  readonly messages: readonly ChatMessage[];
  readonly agent: AgentDefinition;
  readonly options?: ChatOptions;
  /** Ours, for those who cannot see the JSON-RPC id of what they send; unique among the open requests. */
  readonly requestId?: RequestId;
  /** Ours. Of the agent, as in the settings: without it nothing that the settings say of an agent counts. */
  readonly agentId?: string;
  /** Ours. Of the agent, as in the settings: what is installed of it is started, in place of the command in `agent`. */
  readonly distribution?: Distribution;
  /**
   * Ours. The agent's group of permission tools (`permission-tools.ts`). Absent: it has none, and each question is
   * asked with `ASK_EACH_TIME`.
   */
  readonly permissionGroup?: string;
  /** Ours. The folder the agent works in, absolute. Absent: the sidecar's own. */
  readonly cwd?: string;
}

export interface ModelInformation {
  readonly id: string;
  readonly name: string;
  readonly family: string;
  readonly version: string;
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
  readonly capabilities: { readonly imageInput?: boolean; readonly toolCalling?: boolean | number };
}

export interface LmToSidecar {
  /** What is known without starting anything. */
  "lm/provideLanguageModelChatInformation": Call<
    { readonly silent: boolean },
    { readonly models: readonly ModelInformation[] }
  >;
  /** Answers after `lm/responseComplete`. */
  "lm/provideLanguageModelChatResponse": Call<ChatRequest, Record<string, never>>;
  "lm/provideTokenCount": Call<{ readonly modelId: string; readonly text: string }, { readonly count: number }>;
  /** Of a request that is not open (any more) it changes nothing; the request is answered all the same. */
  "lm/cancel": Note<{ readonly requestId: RequestId }>;
}

export interface LmToHost {
  "lm/responsePart": Note<{ readonly requestId: RequestId; readonly part: ChatPart }>;
  /** After the last part, before the answer to the request. Also after a failure, which the answer tells. */
  "lm/responseComplete": Note<{ readonly requestId: RequestId }>;
}

/**
 * What an agent wants to do, as a person has to read it before it is allowed. `message` is Markdown that is safe to
 * show, `whole` the same with what was too long for it.
 */
export interface PermissionQuestion {
  readonly title: string;
  readonly message: string;
  readonly whole?: string;
}

/** Who answers titles, summaries and the like: we from what we know, the agent in a session of its own, or nobody. */
export const SIDE_REQUESTS = ["local", "agent", "refuse"] as const;
export type SideRequests = (typeof SIDE_REQUESTS)[number];

export interface LmSettings {
  readonly sideRequests: SideRequests;
  /** Also offer agents those of VS Code's tools that they have themselves. */
  readonly bridgeDuplicates: boolean;
}

export const LM_DEFAULTS: LmSettings = { sideRequests: "local", bridgeDuplicates: false };

/** Ids count up, from one host process; the sidecar keeps nothing under an id longer than it likes. */
export type KnownId = number;

/** A `ChatRequest` without the messages and tools that earlier ones have brought. Between our two programs only. */
export interface ChatRequestDelta extends Omit<ChatRequest, "messages" | "options"> {
  readonly requestId: RequestId;
  /**
   * The messages of this request are known as `id` from now on. `base`: the history that runs are of. `forget`:
   * histories that the host has let go.
   */
  readonly history: { readonly id: KnownId; readonly base?: KnownId; readonly forget: readonly KnownId[] };
  readonly messages: readonly (Run | ChatMessage)[];
  /** `list` is absent where an earlier request has brought it. */
  readonly tools: { readonly id: KnownId; readonly list?: readonly ChatTool[] };
  readonly options: Omit<ChatOptions, "tools">;
}

/** Histories and tool lists that each end remembers, and characters of all histories. */
export const MAX_HISTORIES = 64,
  MAX_TOOL_LISTS = 8,
  MAX_HISTORY_CHARACTERS = 32 * 1024 * 1024;

export interface Decision {
  readonly questionId: string;
  readonly callId?: string;
  readonly toolName?: string;
}

/**
 * Between our two programs only. A permission is given by `lm/decide`, which the host sends from inside the tool that
 * VS Code ran after it had asked the user; what a history says of that tool's result gives none.
 */
export interface LmHostToSidecar extends LmToSidecar {
  /**
   * As `lm/provideLanguageModelChatResponse`, for the size of what is new. `isUnknown`: the sidecar has not what the
   * delta refers to (it was restarted, or has dropped it); nothing has happened then, and the host sends everything.
   */
  "lm/requestDelta": Call<ChatRequestDelta, { readonly isUnknown?: true }>;
  /** `question` is absent when nobody waits for an answer (any more). */
  "lm/question": Call<{ readonly questionId: string }, { readonly question?: PermissionQuestion }>;
  /**
   * The user agreed. `callId`: the call that VS Code ran, where it says so; `toolName`: the tool that it ran. Taken
   * once; false: no such question is open, or it was asked with another call or tool.
   */
  "lm/decide": Call<Decision, { readonly isTaken: boolean }>;
  /** In place of `LM_DEFAULTS`, and of what was said before; counts from the next request on. */
  "settings/languageModel": Note<LmSettings>;
}

/** What an agent of the settings said of itself. `contextTokens`: the size of its context window. */
export interface AgentFacts {
  readonly agentId: string;
  readonly images?: boolean;
  readonly contextTokens?: number;
}

/** Between our two programs only. */
export interface LmSidecarToHost extends LmToHost {
  /** What an agent said it can do, when it was started. */
  "lm/learned": Note<AgentFacts>;
  /** What `lm/keepSession` gave, of this workspace; opaque. */
  "lm/keptSessions": Call<Record<string, never>, { readonly sessions: readonly unknown[] }>;
  /** In place of what was kept under this id, but for its first `turns.from` turns, which stay. */
  "lm/keepSession": Note<{
    readonly id: string;
    readonly session: Fields;
    readonly turns: { readonly from: number; readonly added: readonly unknown[] };
  }>;
  "lm/forgetSessions": Note<{ readonly ids: readonly string[] }>;
}

/**
 * How the documents' protocol names an agent of the settings: by what a person would type. What has to be installed
 * first goes by its program, and `ChatRequest.distribution` says the rest. `undefined`: there is nothing that could be
 * started.
 */
export function agentDefinition({ name, distribution }: AgentConfig): AgentDefinition | undefined {
  const { symposium, cargo, binary } = distribution,
    typed = typedCommand(distribution);
  const server = ({ command, args = [], env = {} }: NonNullable<Distribution["local"]>): AgentDefinition => ({
    mcp_server: { name, command, args, env: Object.entries(env).map(([key, value]) => ({ name: key, value })) },
  });
  if (typed) return server(typed);
  if (symposium?.subcommand === ELIZA.distribution.symposium?.subcommand)
    return { eliza: symposium?.args?.includes("--deterministic") ? { deterministic: true } : {} };
  if (cargo) return server({ ...cargo, command: cargo.binary ?? cargo.crate });
  const [archive] = Object.values(binary ?? {});
  return archive && server({ ...archive, command: archive.cmd });
}
/** `count` messages of the earlier list, beginning with `from`. */

export interface Run {
  readonly from: number;
  readonly count: number;
}
