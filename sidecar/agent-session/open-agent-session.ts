/** Opens a session at an agent: a new one, or one that continues an earlier session where the agent supports that. */
import type {
  AgentCapabilities,
  AgentConnection,
  OpenedSession,
  SessionListener,
  SessionSetup,
} from "../acp/connection";

/**
 * `new`: a new session. `again`: an earlier session of the same owner. `fork`: a copy of another session.
 * `agentSession` is the agent's id of the earlier session. `needsReplay`: its content is unknown here.
 */
export type SessionBegin =
  | { readonly kind: "new" }
  | { readonly kind: "again"; readonly agentSession: string; readonly needsReplay?: true }
  | { readonly kind: "fork"; readonly agentSession: string };

export interface OpenOptions {
  readonly cwd: string;
  readonly begin: SessionBegin;
  readonly setup: SessionSetup;
  /** `isNew`: the session does not contain an earlier conversation. */
  readonly listener: (isNew: boolean) => SessionListener;
  /** Called when the agent could not continue the earlier session, before a new one is opened. */
  readonly onRefused: (how: string, error: unknown) => void;
}

/**
 * The best supported method to begin the session. `resume`, which replays nothing, precedes `load`, unless a replay is
 * needed.
 */
export function openingMethod(begin: SessionBegin, { fork, resume, load }: AgentCapabilities) {
  if (begin.kind === "fork" && fork) return "fork";
  if (begin.kind !== "again") return "new";
  if (load && (begin.needsReplay || !resume)) return "load";
  return resume ? "resume" : "new";
}

/** `isContinued`: the session contains the earlier conversation. Rejects with an `AgentError`. */
export async function openAgentSession(
  connection: AgentConnection,
  { cwd, begin, setup, listener, onRefused }: OpenOptions,
): Promise<OpenedSession & { readonly isContinued: boolean }> {
  const method = openingMethod(begin, connection.capabilities);
  if (begin.kind !== "new" && method !== "new") {
    try {
      const opened =
        method === "fork"
          ? connection.fork(begin.agentSession, cwd, listener(false), setup)
          : connection.reopen(method, begin.agentSession, cwd, listener(false), setup);
      return { ...(await opened), isContinued: true };
    } catch (error) {
      onRefused(method, error);
    }
  }
  return { ...(await connection.newSession(cwd, listener(true), setup)), isContinued: false };
}
