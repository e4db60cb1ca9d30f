/**
 * Extension host ↔ sidecar: the only declaration of these messages. vscode-jsonrpc carries them over the sidecar's
 * stdio. The first message is `hello`, which rejects a program of another build.
 */
import type { AgentsHostToSidecar, AgentsSidecarToHost } from "./agents/agent-service";
import type { AgentConfig } from "./agents/agents";
import type { RecommendationsHostToSidecar } from "./agents/recommendations";
import type { Attachment } from "./chat/attachments";
import type { ChatEvent, Conversation, SessionId } from "./chat/chat";
import type { ControlValue, ControlValues } from "./chat/controls";
import type { Position } from "./chat/delivery";
import type { ExtensionConfig } from "./agents/extensions";
import type { IdeAnswer, IdeRequest } from "./ide/ide";
import type { LmHostToSidecar, LmSidecarToHost } from "./lm/lm";
import type { LogLevels, LogLine } from "./wire/log";
import type { ActionMethods } from "./chat/session-actions";
import type { ReviewHostToSidecar, ReviewSidecarToHost } from "./review/review";
import type { SessionsHostToSidecar, SessionsSidecarToHost } from "./sessions/sessions";
import type { Call, Note } from "./wire/wire";

export type { PermissionChoice } from "./chat/session-actions";

/** Incremented with each incompatible change of this file. */
export const PROTOCOL = 17;

export interface Hello {
  readonly protocol: number;
  /** Version of the package from which both programs were built. */
  readonly build: string;
}

export interface HelloFromHost extends Hello, LogLevels {
  /** Global storage folder of this extension, for all windows; contains the ledger of child processes. */
  readonly storage: string;
  /**
   * Folder for a trace of all messages between the components of a chain; empty for none. Relative to the home
   * directory unless absolute.
   */
  readonly traceDir: string;
  /** Agents whose permission requests are allowed without asking. */
  readonly bypass: readonly string[];
  /** As in `settings/extensions`. */
  readonly extensions: readonly ExtensionConfig[];
  /** The editor's network proxy (`http.proxy`); empty if there is none. */
  readonly proxy: string;
  readonly history: HistoryLimits;
  /** The workspace is not trusted: conversations can be read, but not changed, and no process is started. */
  readonly restricted?: true;
  /** For an extension under test: allows http archives from this machine. */
  readonly httpArchives?: true;
}

/** Limits of the stored conversations. Both are checked when the sidecar starts. */
export interface HistoryLimits {
  /** Days since the last change of a conversation. */
  readonly days: number;
  /** Size of all conversations. Those that were changed least recently are removed first. */
  readonly megabytes: number;
}

export interface HelloFromSidecar extends Hello {
  readonly pid: number;
  /** Unique per start. Distinguishes equal sequence numbers of different starts. */
  readonly bootId: string;
}

/** Identifies a process group even if the system reuses its id. `started` is an opaque value of the system. */
export interface ChildProcessRecord {
  readonly pid: number;
  /** Process group id; equals `pid`, because each child leads its own group. */
  readonly group: number;
  readonly started: string;
  /** Value of `SYMPOSIUM_RUN_ID` in its environment, which its child processes inherit. */
  readonly runId: string;
  /** For the log: the command without arguments and environment. */
  readonly command: string;
}

/** Content of a prompt. The sidecar converts an attachment to content that the agent accepts, or to a link. */
export type PromptBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "attachment"; readonly attachment: Attachment };

/** End of a bypass: with the session, or when the user resets `bypassPermissions` in the settings. */
export type BypassUntil = "sessionEnds" | "revoked";

/**
 * Action that a conversation requires of the user: answering a question, reading the answer, reading the error that
 * ended the turn, or nothing.
 */
export type Attention = "answer" | "reading" | "failed" | "nothing";

export interface NewChat {
  /**
   * Stable UUID of the conversation. Its journal is the start of the conversation, and an agent that supports it
   * resumes its earlier session.
   */
  readonly conversation: string;
  /**
   * empty: without the journal's content, for a new tab, also one whose unanswered prompts go to another agent.
   * takeOver: also if another process writes the journal, which then stops.
   */
  readonly start?: "empty" | "takeOver";
  readonly agent: AgentConfig;
  readonly cwd: string;
  /** All workspace folders; other paths are outside the workspace. Default: `cwd` alone. */
  readonly folders?: readonly string[];
  /** The user's earlier choices for this agent, restored before the first prompt. */
  readonly controls?: ControlValues;
  /** The highest ACP version to offer to the agent; default: 1. */
  readonly protocol?: 1 | 2;
}

/** Requests to the sidecar. Requests for an unknown session fail with `ErrorCode.unknownSession`. */
export interface HostToSidecar
  extends LmHostToSidecar,
    AgentsHostToSidecar,
    RecommendationsHostToSidecar,
    SessionsHostToSidecar,
    ReviewHostToSidecar,
    ActionMethods {
  hello: Call<HelloFromHost, HelloFromSidecar>;
  /** Deletes all stored conversations. Open ones are stored again with their next change. */
  "history/delete": Call<Readonly<Record<string, never>>, { readonly count: number }>;
  /** Responds immediately. The agent starts asynchronously, and a failure becomes a notice in the conversation. */
  "chat/new": Call<NewChat, { readonly sessionId: SessionId }>;
  /**
   * Responds when the prompt is in the conversation, or in its queue while a turn is running; not when the turn ends. A
   * repeated `messageId` has no effect.
   */
  "chat/prompt": Call<
    { readonly sessionId: SessionId; readonly messageId: string; readonly blocks: readonly PromptBlock[] },
    Record<string, never>
  >;
  "chat/close": Call<{ readonly sessionId: SessionId }, Record<string, never>>;
  /**
   * After the user's confirmation: allows all permission requests of the agent, including the open ones of this
   * session.
   */
  "chat/bypass": Call<{ readonly sessionId: SessionId; readonly until: BypassUntil }, Record<string, never>>;
  /** Restarts the session's agent; other tabs that share the process show a notice. */
  "chat/restartAgent": Call<{ readonly sessionId: SessionId }, Record<string, never>>;
  /**
   * Answered with `chat/event`s or a `chat/snapshot`, in order with all others. `requestNumber` as in
   * `delivery.ts`.
   */
  "chat/replay": Note<{ readonly sessionId: SessionId; readonly at?: Position; readonly requestNumber: number }>;
  /** The complete list after a change of the settings; replaces the previous one. */
  "settings/bypass": Note<{ readonly agentIds: readonly string[] }>;
  "settings/logLevels": Note<LogLevels>;
}

export interface SidecarToHost
  extends LmSidecarToHost,
    AgentsSidecarToHost,
    SessionsSidecarToHost,
    ReviewSidecarToHost {
  "chat/event": Note<{
    readonly sessionId: SessionId;
    readonly bootId: string;
    readonly seq: number;
    readonly event: ChatEvent;
  }>;
  /** `requestNumber` is absent if the snapshot answers no request. */
  "chat/snapshot": Note<{
    readonly sessionId: SessionId;
    readonly bootId: string;
    readonly seq: number;
    readonly requestNumber?: number;
    readonly conversation: Conversation;
  }>;
  /** Sent on each change; initially `nothing`. `name`: the agent's name. `title`: the conversation's title. */
  "chat/attention": Note<{
    readonly sessionId: SessionId;
    readonly attention: Attention;
    readonly name: string;
    readonly title?: string;
  }>;
  "process/started": Note<ChildProcessRecord>;
  "process/ended": Note<{ readonly pid: number }>;
  /** The user allowed the agent everything until revoked; the host stores this in the settings. */
  "settings/setBypass": Note<{ readonly agentId: string }>;
  /** The user's choice for this agent, which the agent accepted; the host stores it for the next sessions. */
  "settings/setControl": Note<{ readonly agentId: string; readonly controlId: string; readonly value: ControlValue }>;
  /**
   * The text in the editor, including unsaved changes. Fails with `ErrorCode.noFile`, or with `ErrorCode.refused` and a
   * sentence.
   */
  "editor/readTextFile": Call<{ readonly path: string }, { readonly text: string }>;
  /**
   * Writes and saves in the file's encoding; creates missing folders. Fails like `editor/readTextFile`. `unsaved`: the
   * user's unsaved text that was replaced, in the file's encoding, as base64.
   */
  "editor/writeTextFile": Call<{ readonly path: string; readonly text: string }, { readonly unsaved?: string }>;
  /**
   * Runs a command in a visible terminal of the editor and returns after it has exited. Without `exitCode`: the
   * terminal was closed first. Fails with `ErrorCode.refused` and a sentence.
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
  /** Code intelligence of the editor. Fails with `ErrorCode.refused` and a sentence for a model. */
  "editor/ideOperation": Call<IdeRequest, IdeAnswer>;
  /** The user's keys for this agent, from the editor's secret storage. */
  "secrets/environment": Call<{ readonly agentId: string }, { readonly env: Readonly<Record<string, string>> }>;
  /** Replaces the stored keys; an empty `env` deletes them. */
  "secrets/keepEnvironment": Call<
    { readonly agentId: string; readonly env: Readonly<Record<string, string>> },
    Record<string, never>
  >;
  /** A sentence for the user: the problem and the remedy. */
  "editor/showWarning": Note<{ readonly message: string }>;
  /** Opens the page in the user's browser. `url` is http or https, and the user has agreed. */
  "editor/openPage": Note<{ readonly url: string }>;
  log: Note<LogLine>;
}
