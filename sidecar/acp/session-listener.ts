/** Who hears what an agent says about one session, and what it may ask there. */
import type { Closed } from "../rpc/channel";
import { objectOr } from "../rpc/json";
import { RpcCode, RpcError } from "../rpc/message";
import type { IncomingRequest } from "../rpc/peer";
import type { AgentRole } from "./initialize";

export interface SessionListener {
  /** The answer to the request that opened the session, in its place among the updates. */
  opened(result: unknown): void;
  /** A person is being asked something of this session: then the agent is not late. */
  isAsking(): boolean;
  /**
   * The `update` member of `session/update`. While a promise of it is open the agent is not read, for none of its
   * sessions: it must not wait for the agent.
   */
  update(update: unknown): void | Promise<void>;
  /** As `update`, of a subagent: `sessionId` is its session. Absent: updates of subagents are ignored. */
  subagentUpdate?(sessionId: string, update: unknown): void | Promise<void>;
  /** One that `mayAsk`, about the session or one of its subagents; its signal aborts when the agent withdraws it. */
  request(request: IncomingRequest, subagent?: string): void;
  /** `elicitation/complete`. */
  elicitationCompleted(elicitationId: string): void;
  closed(reason: Closed): void;
}

/** What an agent may ask of a client, here (ACP schema v1, `CLIENT_METHODS`). */
const REQUESTS: ReadonlySet<string> = new Set([
  "session/request_permission",
  "elicitation/create",
  "fs/read_text_file",
  "fs/write_text_file",
  "terminal/create",
  "terminal/output",
  "terminal/wait_for_exit",
  "terminal/kill",
  "terminal/release",
]);
const REQUESTS_OF_LM: ReadonlySet<string> = new Set(["session/request_permission"]);

export const mayAsk = (method: string, role: AgentRole | undefined): boolean =>
  (role === "lm" ? REQUESTS_OF_LM : REQUESTS).has(method);

/** For a session that never was: questions are refused, the rest is forgotten. */
export const NOBODY: SessionListener = {
  opened: () => undefined,
  isAsking: () => false,
  update: () => undefined,
  closed: () => undefined,
  request: request => request.fail(noSession(request)),
  elicitationCompleted: () => undefined,
};

/**
 * While an earlier session is being opened again it is not heard how the connection ends: the request that opens it
 * rejects.
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
