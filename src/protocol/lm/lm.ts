/**
 * The language-model provider: VS Code ↔ sidecar. `LmToSidecar` and `LmToHost` are public and stable, because other
 * programs may use them with `symposium-acp-agent vscodelm` (one JSON value per line). Members marked "Addition." are
 * additions of Symposium: optional, and ignored by other programs. `requestId` is `ChatRequest.requestId`, or the
 * JSON-RPC id of the corresponding `lm/provideLanguageModelChatResponse`. `lm-schema.ts` declares and validates
 * untrusted messages.
 */
import { ELIZA, type AgentConfig } from "../agents/agents";
import type { Distribution } from "../agents/distribution";
import { typedCommand } from "../agents/typed-command";
import type { Fields } from "../wire/json";
import type { Call, Note } from "../wire/wire";
import type {
  AgentDefinition,
  Decision,
  ChatMessage,
  ChatOptions,
  ChatPart,
  ChatRequest,
  ChatTool,
  RequestId,
} from "./lm-schema";

export type {
  AgentDefinition,
  ChatMessage,
  ChatOptions,
  ChatPart,
  ChatRequest,
  ChatTool,
  Decision,
  McpServerStdio,
  RequestId,
} from "./lm-schema";

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
  /** Returns the models without starting a process. */
  "lm/provideLanguageModelChatInformation": Call<
    { readonly silent: boolean },
    { readonly models: readonly ModelInformation[] }
  >;
  /** Responds after `lm/responseComplete`. */
  "lm/provideLanguageModelChatResponse": Call<ChatRequest, Record<string, never>>;
  "lm/provideTokenCount": Call<{ readonly modelId: string; readonly text: string }, { readonly count: number }>;
  /** No effect if the request is not open. A cancelled request is still answered. */
  "lm/cancel": Note<{ readonly requestId: RequestId }>;
}

export interface LmToHost {
  "lm/responsePart": Note<{ readonly requestId: RequestId; readonly part: ChatPart }>;
  /**
   * After the last part and before the response to the request. Also sent after a failure, which the response reports.
   */
  "lm/responseComplete": Note<{ readonly requestId: RequestId }>;
}

/**
 * An agent's permission request as shown to the user. `message` is safe Markdown; `whole`: the complete text if
 * `message` is shortened.
 */
export interface PermissionQuestion {
  readonly title: string;
  readonly message: string;
  readonly whole?: string;
}

/** Provider for titles, summaries and similar requests: Symposium itself, the agent in a separate session, or none. */
export const SIDE_REQUESTS = ["local", "agent", "refuse"] as const;
export type SideRequests = (typeof SIDE_REQUESTS)[number];

export interface LmSettings {
  readonly sideRequests: SideRequests;
  /** Whether to offer VS Code tools to agents that have their own. */
  readonly bridgeDuplicates: boolean;
  /** The highest version of ACP that new conversations offer to their agents; 1 if absent. */
  readonly protocol?: 1 | 2;
}

export const LM_DEFAULTS: LmSettings = { sideRequests: "local", bridgeDuplicates: false };

/** Increasing ids of one host process. The sidecar may drop the data of an id at any time. */
export type ReferenceId = number;

/** A `ChatRequest` without messages and tools of earlier requests. Only between extension host and sidecar. */
export interface ChatRequestDelta extends Omit<ChatRequest, "messages" | "options"> {
  readonly requestId: RequestId;
  /**
   * From now on `id` denotes the messages of this request. `base`: the history to which runs refer. `forget`: histories
   * that the host has dropped.
   */
  readonly history: { readonly id: ReferenceId; readonly base?: ReferenceId; readonly forget: readonly ReferenceId[] };
  readonly messages: readonly (Run | ChatMessage)[];
  /** `list` is absent if an earlier request contained it. */
  readonly tools: { readonly id: ReferenceId; readonly list?: readonly ChatTool[] };
  readonly options: Omit<ChatOptions, "tools">;
}

/** Maximum numbers of histories and tool lists that each side stores, and of characters of all histories. */
export const MAX_HISTORIES = 64,
  MAX_TOOL_LISTS = 8,
  MAX_HISTORY_CHARACTERS = 32 * 1024 * 1024;

/**
 * Only between extension host and sidecar. `lm/decide` grants a permission: the host sends it from within the tool that
 * VS Code runs after asking the user. A tool result in a history never grants a permission.
 */
export interface LmHostToSidecar extends LmToSidecar {
  /**
   * Like `lm/provideLanguageModelChatResponse`, with only the new messages. `isUnknown`: the sidecar lacks the data to
   * which the delta refers (restart or dropped data). The request then had no effect, and the host sends a complete
   * request.
   */
  "lm/requestDelta": Call<ChatRequestDelta, { readonly isUnknown?: true }>;
  /** `question` is absent if the question is no longer open. */
  "lm/question": Call<{ readonly questionId: string }, { readonly question?: PermissionQuestion }>;
  /**
   * The user agreed. `callId`: the call that VS Code ran, if reported. `toolName`: the tool of that call. Valid once
   * per question. `isTaken` is false if the question is not open, or if it was asked with another call or tool.
   */
  "lm/decide": Call<Decision, { readonly isTaken: boolean }>;
  /** Replaces `LM_DEFAULTS` and earlier settings; applies from the next request on. */
  "settings/languageModel": Note<LmSettings>;
}

/** Capabilities reported by a configured agent. `contextTokens`: size of its context window. */
export interface AgentFacts {
  readonly agentId: string;
  readonly images?: boolean;
  readonly contextTokens?: number;
}

/** Only between extension host and sidecar. */
export interface LmSidecarToHost extends LmToHost {
  /** Capabilities that an agent reported when it was started. */
  "lm/agentFacts": Note<AgentFacts>;
  /** Sessions stored by `lm/keepSession` for this workspace; opaque. */
  "lm/persistedSessions": Call<Record<string, never>, { readonly sessions: readonly unknown[] }>;
  /** Replaces the stored session with this id, except for its first `turns.from` turns, which are kept. */
  "lm/keepSession": Note<{
    readonly id: string;
    readonly session: Fields;
    readonly turns: { readonly from: number; readonly added: readonly unknown[] };
  }>;
  "lm/forgetSessions": Note<{ readonly ids: readonly string[] }>;
}

/**
 * Converts a configured agent to the documents' protocol: the command that starts it without installation. An agent
 * that must be installed first is named by its program, and `ChatRequest.distribution` contains the rest. `undefined`
 * if the agent has no start command.
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

/** `count` messages of the earlier list, starting with `from`. */
export interface Run {
  readonly from: number;
  readonly count: number;
}
