/**
 * Extension host ↔ sidecar. The only declaration of these messages; vscode-jsonrpc carries them over the sidecar's
 * stdio. The first message is `hello`: both programs are built together, and any other pair is refused.
 */
import type { AgentsHostToSidecar, AgentsSidecarToHost } from "./agent-service";
import type { AgentConfig } from "./agents";
import type { Attachment } from "./attachments";
import type { ChatEvent, Conversation, Entry, SessionId } from "./chat";
import type { ControlValue, ControlValues } from "./controls";
import type { Position } from "./delivery";
import type { ElicitationChoice } from "./elicitation";
import type { ExtensionConfig } from "./extensions";
import type { IdeAnswer, IdeRequest } from "./ide";
import type { LmHostToSidecar, LmSidecarToHost } from "./lm";
import type { LogLevel, LogLine } from "./log";
import type { Call, Note } from "./wire";

/** Raised with each incompatible change of this file. */
export const PROTOCOL = 8;

export interface Hello {
  readonly protocol: number;
  /** The version of the package that both programs were built from. */
  readonly build: string;
}

export interface HelloFromHost extends Hello {
  readonly logLevel: LogLevel;
  /** Folder of this extension for all windows; the ledger of child processes is below it. */
  readonly storage: string;
  /**
   * Folder for a trace of every message between the components of a chain; empty for none. Taken from the home folder
   * unless absolute.
   */
  readonly traceDir: string;
  /** Agents whose requests are allowed without asking. */
  readonly bypass: readonly string[];
  /** As in `settings/extensions`. */
  readonly extensions: readonly ExtensionConfig[];
  /** The editor's own proxy (`http.proxy`); empty: it has none. */
  readonly proxy: string;
  /** Of an extension under test: archives may come by http from this computer. */
  readonly httpArchives?: true;
}

export interface HelloFromSidecar extends Hello {
  readonly pid: number;
  /** Fresh at each start; events carry it, so that numbers that start again hide nothing. */
  readonly bootId: string;
}

/**
 * Enough to find a process group again, and not to mistake another for it. Times are what the system reports, opaque.
 */
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

/** A prompt's content; what is attached becomes what the agent takes: the thing itself, or a link to it. */
export type PromptBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "attachment"; readonly attachment: Attachment };

export interface PermissionChoice {
  readonly kind: "option";
  readonly optionId: string;
}

/** When a bypass ends: with the session, or when the user takes `bypassPermissions` back in the settings. */
export type BypassUntil = "sessionEnds" | "revoked";

/** What a conversation wants of its user: an answer to a question, that its answer is read, or nothing. */
export type Attention = "answer" | "reading" | "nothing";

export interface NewChat {
  readonly agent: AgentConfig;
  readonly cwd: string;
  /** All folders of the workspace: what is in none of them is outside. Absent: `cwd` alone. */
  readonly folders?: readonly string[];
  /** What a page still shows of this tab from a process that is gone; becomes the beginning of the conversation. */
  readonly shown: readonly Entry[];
  /** What the tab was called. */
  readonly title?: string;
  /** A sentence that says why the agent does not remember `shown`; absent when `shown` is empty. */
  readonly why?: string;
  /** What the user chose for this agent before, set again before the first prompt. */
  readonly controls?: ControlValues;
  /** The highest version of ACP that the agent is offered; absent: 1. */
  readonly protocol?: 1 | 2;
}

/** Requests that the sidecar answers. Those that name a session unknown to it fail with `ErrorCode.unknownSession`. */
export interface HostToSidecar extends LmHostToSidecar, AgentsHostToSidecar {
  hello: Call<HelloFromHost, HelloFromSidecar>;
  /** Answers at once; the agent starts behind it, and its failure is a notice in the conversation. */
  "chat/new": Call<NewChat, { readonly sessionId: SessionId }>;
  /**
   * Answers when the prompt is in the conversation, or in its queue while a turn runs; not when the turn ends. A
   * repeated `messageId` changes nothing.
   */
  "chat/prompt": Call<
    { readonly sessionId: SessionId; readonly messageId: string; readonly blocks: readonly PromptBlock[] },
    Record<string, never>
  >;
  /** Takes a prompt out of the queue; one that is not in it (any more) changes nothing. */
  "chat/withdraw": Call<{ readonly sessionId: SessionId; readonly messageId: string }, Record<string, never>>;
  /** Lets a queue that is held go on. */
  "chat/sendQueued": Call<{ readonly sessionId: SessionId }, Record<string, never>>;
  /** The queue is held, if there is one. */
  "chat/cancel": Call<{ readonly sessionId: SessionId }, Record<string, never>>;
  "chat/close": Call<{ readonly sessionId: SessionId }, Record<string, never>>;
  /** A second answer, or one to a request that is settled, changes nothing. */
  "chat/answerPermission": Call<
    { readonly sessionId: SessionId; readonly permissionId: string; readonly choice: PermissionChoice },
    Record<string, never>
  >;
  /** The user has confirmed: all permission requests of the agent are allowed, the open ones of this session too. */
  "chat/bypass": Call<{ readonly sessionId: SessionId; readonly until: BypassUntil }, Record<string, never>>;
  /** Ends the bypass of this session; the setting stays. */
  "chat/endBypass": Call<{ readonly sessionId: SessionId }, Record<string, never>>;
  /** Values that are wrong leave the question open, and a notice says why; else as `chat/answerPermission`. */
  "chat/answerElicitation": Call<
    { readonly sessionId: SessionId; readonly elicitationId: string; readonly choice: ElicitationChoice },
    Record<string, never>
  >;
  /** Answers at once; what the agent makes of it comes as an event. */
  "chat/setOption": Call<
    { readonly sessionId: SessionId; readonly controlId: string; readonly value: ControlValue },
    Record<string, never>
  >;
  /** Starts the session's agent anew; other tabs that share the process are told. */
  "chat/restartAgent": Call<{ readonly sessionId: SessionId }, Record<string, never>>;
  /** Answered by `chat/event`s or a `chat/snapshot`, in order with all others. `asked` as in `delivery.ts`. */
  "chat/replay": Note<{ readonly sessionId: SessionId; readonly at?: Position; readonly asked: number }>;
  /** The settings changed: the complete list, in place of the one before. */
  "settings/bypass": Note<{ readonly agentIds: readonly string[] }>;
  "settings/logLevel": Note<{ readonly level: LogLevel }>;
}

export interface SidecarToHost extends LmSidecarToHost, AgentsSidecarToHost {
  "chat/event": Note<{
    readonly sessionId: SessionId;
    readonly bootId: string;
    readonly seq: number;
    readonly event: ChatEvent;
  }>;
  /** `asked` is absent when nobody asked. */
  "chat/snapshot": Note<{
    readonly sessionId: SessionId;
    readonly bootId: string;
    readonly seq: number;
    readonly asked?: number;
    readonly conversation: Conversation;
  }>;
  /** Whenever it changes; `name`: of the agent, `title`: of the conversation. A new session wants nothing. */
  "chat/attention": Note<{
    readonly sessionId: SessionId;
    readonly wants: Attention;
    readonly name: string;
    readonly title?: string;
  }>;
  "process/started": Note<ChildProcessRecord>;
  "process/ended": Note<{ readonly pid: number }>;
  /** The user allowed the agent everything until it is revoked: keep it in the settings. */
  "settings/setBypass": Note<{ readonly agentId: string }>;
  /** What the user chose for this agent, and the agent took: keep it for its next sessions. */
  "settings/setControl": Note<{ readonly agentId: string; readonly controlId: string; readonly value: ControlValue }>;
  /**
   * The text as the user sees it, unsaved changes too. Fails with `ErrorCode.noFile`, or as `ErrorCode.refused` with a
   * sentence.
   */
  "editor/readTextFile": Call<{ readonly path: string }, { readonly text: string }>;
  /** Saved, in the encoding of the file; folders on the way are made. Fails as above. */
  "editor/writeTextFile": Call<{ readonly path: string; readonly text: string }, Record<string, never>>;
  /**
   * In a terminal of the editor's, shown; answers when the program has ended. No `exitCode`: it was closed before.
   * Fails as `ErrorCode.refused` with a sentence.
   */
  "editor/runInTerminal": Call<
    {
      readonly title: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string;
    },
    { readonly exitCode?: number }
  >;
  /** What the editor knows of the code. Fails as `ErrorCode.refused` with a sentence for a model. */
  "editor/ideOperation": Call<IdeRequest, IdeAnswer>;
  /** Keys that the user gave for this agent, from the editor's secret storage. */
  "secrets/environment": Call<{ readonly agentId: string }, { readonly env: Readonly<Record<string, string>> }>;
  /** In place of those before; none: forgotten. */
  "secrets/keepEnvironment": Call<
    { readonly agentId: string; readonly env: Readonly<Record<string, string>> },
    Record<string, never>
  >;
  /** A sentence for the user: what is wrong, and what to do. */
  "editor/showWarning": Note<{ readonly message: string }>;
  /** In the user's browser; `url` is http or https, and the user has agreed. */
  "editor/openPage": Note<{ readonly url: string }>;
  log: Note<LogLine>;
}
