/**
 * Extension host ↔ sidecar. The only declaration of these messages; vscode-jsonrpc carries them over the sidecar's
 * stdio. The first message is `hello`: both programs are built together, and any other pair is refused.
 */
import type { AgentConfig } from "./agents";
import type { ChatEvent, Conversation, Entry, SessionId } from "./chat";
import type { Position } from "./delivery";
import type { LogLevel, LogLine } from "./log";
import type { Call, Note } from "./wire";

/** Raised with each incompatible change of this file. */
export const PROTOCOL = 1;

export interface Hello {
  readonly protocol: number;
  /** The version of the package that both programs were built from. */
  readonly build: string;
}

export interface HelloFromHost extends Hello {
  readonly logLevel: LogLevel;
  /** Folder of this extension for all windows; the ledger of child processes is below it. */
  readonly storage: string;
  /** Folder for a trace of every message between the components of a chain; empty for none. Taken from the home folder unless absolute. */
  readonly traceDir: string;
  /** Agents whose requests are allowed without asking. */
  readonly bypass: readonly string[];
}

export interface HelloFromSidecar extends Hello {
  readonly pid: number;
  /** Fresh at each start; events carry it, so that numbers that start again hide nothing. */
  readonly bootId: string;
}

/** Enough to find a process group again, and not to mistake another for it. Times are what the system reports, opaque. */
export interface ChildProcessRecord {
  readonly pid: number;
  /** Process group; equal to `pid` because each child leads its own. */
  readonly group: number;
  readonly started: string;
  /** Value of `SYMPOSIUM_RUN_ID` in its environment, inherited by what it starts. */
  readonly runId: string;
  /** For the log: the command, without arguments and environment. */
  readonly command: string;
}

/** A prompt's content. Later issues add files, images and selections. */
export type PromptBlock = { readonly type: "text"; readonly text: string };

export type PermissionChoice =
  | { readonly kind: "option"; readonly optionId: string }
  /** Allow this one, and set `bypassPermissions` for the agent. */
  | { readonly kind: "bypass" };

export interface NewChat {
  readonly agent: AgentConfig;
  readonly cwd: string;
  /** What a page still shows of this tab from a process that is gone; becomes the beginning of the conversation. */
  readonly shown: readonly Entry[];
  /** A sentence that says why the agent does not remember `shown`; absent when `shown` is empty. */
  readonly why?: string;
}

/** Requests that the sidecar answers. Those that name a session unknown to it fail with `ErrorCode.unknownSession`. */
export interface HostToSidecar {
  "hello": Call<HelloFromHost, HelloFromSidecar>;
  /** Answers at once; the agent starts behind it, and its failure is a notice in the conversation. */
  "chat/new": Call<NewChat, { readonly sessionId: SessionId }>;
  /** Answers when the prompt is in the conversation, not when the turn ends. A repeated `messageId` changes nothing. */
  "chat/prompt": Call<{ readonly sessionId: SessionId; readonly messageId: string; readonly blocks: readonly PromptBlock[] }, Record<string, never>>;
  "chat/cancel": Call<{ readonly sessionId: SessionId }, Record<string, never>>;
  "chat/close": Call<{ readonly sessionId: SessionId }, Record<string, never>>;
  /** A second answer, or one to a request that is settled, changes nothing. */
  "chat/answerPermission": Call<{ readonly sessionId: SessionId; readonly permissionId: string; readonly choice: PermissionChoice }, Record<string, never>>;
  /** Starts the session's agent anew; other tabs that share the process are told. */
  "chat/restartAgent": Call<{ readonly sessionId: SessionId }, Record<string, never>>;
  /** Answered by `chat/event`s or a `chat/snapshot`, in order with all others. `asked` as in `delivery.ts`. */
  "chat/replay": Note<{ readonly sessionId: SessionId; readonly at?: Position; readonly asked: number }>;
  /** The settings changed: the complete list, in place of the one before. */
  "settings/bypass": Note<{ readonly agentIds: readonly string[] }>;
  "settings/logLevel": Note<{ readonly level: LogLevel }>;
}

export interface SidecarToHost {
  "chat/event": Note<{ readonly sessionId: SessionId; readonly bootId: string; readonly seq: number; readonly event: ChatEvent }>;
  /** `asked` is absent when nobody asked. */
  "chat/snapshot": Note<{ readonly sessionId: SessionId; readonly bootId: string; readonly seq: number; readonly asked?: number; readonly conversation: Conversation }>;
  "process/started": Note<ChildProcessRecord>;
  "process/ended": Note<{ readonly pid: number }>;
  /** The user chose "Bypass permissions for this agent": keep it in the settings. */
  "settings/setBypass": Note<{ readonly agentId: string }>;
  "log": Note<LogLine>;
}
