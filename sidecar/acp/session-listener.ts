/** Listener for an agent's messages about one session, and the requests that an agent may send. */
import type { Closed } from "../rpc/channel";
import { objectOr } from "../rpc/json";
import { RpcCode, RpcError } from "../rpc/message";
import type { IncomingRequest } from "../rpc/peer";
import type { AgentRole } from "./initialize";
import { CLIENT_METHODS } from "./methods";

export interface SessionListener {
  /** The response that opened the session, in wire order with the updates. */
  opened(result: unknown): void;
  /** Whether a permission request or form of this session is open, which suspends timeouts. */
  isAsking(): boolean;
  /**
   * The `update` member of `session/update`. While a returned promise is pending, no message of the agent is read, for
   * any session. The promise must therefore not depend on the agent.
   */
  update(update: unknown): void | Promise<void>;
  /**
   * Like `update`, for a subagent; `sessionId` is the subagent's session. If absent, updates of subagents are ignored.
   */
  subagentUpdate?(sessionId: string, update: unknown): void | Promise<void>;
  /**
   * A request that `mayAsk` accepts, about the session or one of its subagents. Its signal aborts when the agent
   * cancels it.
   */
  request(request: IncomingRequest, subagent?: string): void;
  /** Handles `elicitation/complete`. */
  elicitationCompleted(elicitationId: string): void;
  closed(reason: Closed): void;
}

/** The requests that an agent may send to the client (ACP schema v1, `CLIENT_METHODS`). */
const REQUESTS: ReadonlySet<string> = new Set([
  CLIENT_METHODS.session_request_permission,
  CLIENT_METHODS.elicitation_create,
  CLIENT_METHODS.fs_read_text_file,
  CLIENT_METHODS.fs_write_text_file,
  CLIENT_METHODS.terminal_create,
  CLIENT_METHODS.terminal_output,
  CLIENT_METHODS.terminal_wait_for_exit,
  CLIENT_METHODS.terminal_kill,
  CLIENT_METHODS.terminal_release,
]);
const REQUESTS_OF_LM: ReadonlySet<string> = new Set([CLIENT_METHODS.session_request_permission]);

export const mayAsk = (method: string, role: AgentRole | undefined): boolean =>
  (role === "lm" ? REQUESTS_OF_LM : REQUESTS).has(method);

/** For a session that was never opened: rejects requests and drops all other messages. */
export const NO_LISTENER: SessionListener = {
  opened: () => undefined,
  isAsking: () => false,
  update: () => undefined,
  closed: () => undefined,
  request: request => request.fail(noSession(request)),
  elicitationCompleted: () => undefined,
};

/**
 * Used while an earlier session is reopened. Ignores the end of the connection, which rejects the request that reopens.
 */
export const whileOpening = (listener: SessionListener): SessionListener => ({
  opened: () => undefined,
  isAsking: () => listener.isAsking(),
  update: update => listener.update(update),
  request: (request, subagent) => listener.request(request, subagent),
  subagentUpdate: (sessionId, update) => listener.subagentUpdate?.(sessionId, update),
  elicitationCompleted: id => listener.elicitationCompleted(id),
  closed: () => undefined,
});

export function noSession({ params }: IncomingRequest): RpcError {
  const { sessionId } = objectOr(params);
  return new RpcError(RpcCode.notFound, `no session ${String(sessionId)}`, { sessionId });
}
