/**
 * Sessions of all agents, between extension host and sidecar (issue 17): those with a journal, and those that only
 * their agent stores, for example a session of the agent's own command line.
 */
import type { AgentChoice, AgentConfig } from "../agents/agents";
import type { Usage } from "../chat/chat";
import type { Call, Note } from "../wire/wire";

/** `stored`: a session with a journal; `conversation` is its UUID. `agent`: a session that only the agent stores. */
export type SessionRef =
  | { readonly kind: "stored"; readonly conversation: string }
  | { readonly kind: "agent"; readonly agentId: string; readonly sessionId: string };

/** The first one that applies. A session that is not open in this window can only be `failed`. */
export type SessionActivity = "needsAnswer" | "running" | "failed" | "unread";

export interface SessionSummary {
  readonly ref: SessionRef;
  readonly agent: AgentChoice;
  /** One line. Empty if the session has neither a title nor a prompt. */
  readonly title: string;
  /** Folder of the session, an absolute path. */
  readonly cwd: string;
  /** Time of the last change, in milliseconds since 1970; 0 if unknown. */
  readonly changedAt: number;
  readonly activity?: SessionActivity;
  readonly isArchived?: true;
  readonly cost?: NonNullable<Usage["cost"]>;
  /** Title of the session from which this one was created, or its agent's name. */
  readonly origin?: string;
}

/** A place where the searched text occurs. */
export interface SearchHit {
  readonly conversation: string;
  /** The entry that contains the text; absent for the title. */
  readonly entryId?: string;
  /** One line around the text, with the position of the text in it. */
  readonly excerpt: string;
  readonly start: number;
  readonly end: number;
}

/** A stored session that a tab can open. */
export interface OpenableSession {
  readonly conversation: string;
  readonly agentId: string;
  readonly cwd: string;
}

/** `transcript`: context for the first prompt; absent if the agent forks its own session. */
export interface ForkedSession extends OpenableSession {
  readonly agent: AgentChoice;
  readonly transcript?: string;
}

export type ExportFormat = "markdown" | "json";

type Nothing = Readonly<Record<string, never>>;

/** Requests fail with `ErrorCode.refused` and a sentence. */
export interface SessionsHostToSidecar {
  /** All known sessions, the last changed first. Starts no process. */
  "sessions/list": Call<Nothing, { readonly sessions: readonly SessionSummary[] }>;
  /**
   * Requests the sessions of those agents that offer `session/list`, and starts an agent if required. `cwd`: folder in
   * which it starts. `sessions/changed` follows if there is a difference. Failures are only logged.
   */
  "sessions/refresh": Call<{ readonly agents: readonly AgentConfig[]; readonly cwd: string }, Nothing>;
  /**
   * Prepares a session for a tab. A session of an agent becomes a stored one, whose content the agent sends when the
   * tab opens it.
   */
  "sessions/open": Call<{ readonly ref: SessionRef }, OpenableSession>;
  /**
   * Stores a new session with the beginning of another one, which stays unchanged. `conversation`: its id. `newId`: the
   * id of the new one. `before`: the entry at which the beginning ends; default: the whole conversation. `agent`:
   * default: that of the other session.
   */
  "sessions/fork": Call<
    {
      readonly conversation: string;
      readonly newId: string;
      readonly before?: string;
      readonly agent?: AgentChoice;
    },
    ForkedSession
  >;
  /** Searches all stored sessions regardless of case. At most `limit` hits, of the last changed sessions first. */
  "sessions/search": Call<
    { readonly query: string; readonly limit: number },
    { readonly hits: readonly SearchHit[]; readonly isComplete: boolean }
  >;
  /** An empty title restores that of the agent. */
  "sessions/rename": Call<{ readonly ref: SessionRef; readonly title: string }, Nothing>;
  "sessions/archive": Call<{ readonly ref: SessionRef; readonly isArchived: boolean }, Nothing>;
  /** Deletes the session here and at its agent where the agent offers it. Refused while the session is open. */
  "sessions/delete": Call<{ readonly ref: SessionRef }, Nothing>;
  /** Writes a new file, or replaces the file at `path`. */
  "sessions/export": Call<
    { readonly conversation: string; readonly format: ExportFormat; readonly path: string },
    Nothing
  >;
  /** Stores the conversation of a file that `sessions/export` wrote as JSON, as a new session. */
  "sessions/import": Call<{ readonly path: string }, OpenableSession>;
}

export interface SessionsSidecarToHost {
  /** The list has changed. Sent at most every half second. */
  "sessions/changed": Note<Nothing>;
}
