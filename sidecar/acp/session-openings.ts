/** Opens an agent's sessions: new ones, forks, and those of an earlier process. */
import { agentReturnedError } from "../errors";
import { objectOr, type JsonObject } from "../rpc/json";
import type { LimitedRequests } from "./request-timeouts";
import { NO_LISTENER, whileOpening, type SessionListener } from "./session-listener";
import type { SessionRoutes } from "./session-routes";
import { AGENT_METHODS } from "./methods";

/** Some agents start their MCP servers during `session/new`. */
export const NEW_SESSION_LIMIT_MS = 60_000;

/** Setup of a session besides its folder. */
export interface SessionSetup {
  readonly mcpServers?: readonly unknown[];
  /** `_meta` of the request. */
  readonly meta?: JsonObject;
}

/** `result` is the agent's complete response. */
export interface OpenedSession {
  readonly sessionId: string;
  readonly result: unknown;
}

export interface OpeningDeps {
  /** The agent's display name. */
  readonly name: string;
  readonly routes: SessionRoutes<SessionListener>;
  readonly requests: LimitedRequests;
  /** Called when the agent has opened a new session. */
  readonly opened: (sessionId: string) => void;
  /** Closes a session that is no longer used. */
  readonly close: (sessionId: string) => void;
}

export class SessionOpenings {
  constructor(private readonly deps: OpeningDeps) {}

  /** Sends `session/new`, or `session/fork` of the session `from`. */
  async open(
    from: string | undefined,
    cwd: string,
    listener: SessionListener,
    setup: SessionSetup,
  ): Promise<OpenedSession> {
    const { name, routes, requests, opened, close } = this.deps,
      endOpening = routes.opens(),
      endWait = routes.waits(listener);
    try {
      return await requests.request({
        ...(from === undefined
          ? { method: AGENT_METHODS.session_new, params: { cwd, ...withSetup(setup) } }
          : { method: AGENT_METHODS.session_fork, params: { sessionId: from, cwd, ...withSetup(setup) } }),
        limitMs: NEW_SESSION_LIMIT_MS,
        isHeldUp: () => listener.isAsking(),
        take: result => {
          const { sessionId } = objectOr(result);
          if (typeof sessionId !== "string") throw agentReturnedError(name, "its new session has no id.", result);
          if (routes.has(sessionId))
            throw agentReturnedError(name, "its new session has the id of another session.", result);
          routes.add(sessionId, listener);
          opened(sessionId);
          listener.opened(result);
          return { sessionId, result };
        },
        late: result => {
          const { sessionId } = objectOr(result);
          if (typeof sessionId === "string" && !routes.has(sessionId)) close(sessionId);
        },
      });
    } finally {
      endWait();
      endOpening(({ notify }) => notify(NO_LISTENER));
    }
  }

  async reopen(
    how: "load" | "resume",
    sessionId: string,
    cwd: string,
    listener: SessionListener,
    setup: SessionSetup,
  ): Promise<OpenedSession> {
    const { routes, requests, close } = this.deps;
    if (routes.has(sessionId)) throw new Error(`the session ${sessionId} is already open`);
    const opening = whileOpening(listener);
    routes.add(sessionId, opening);
    const endWait = routes.waits(opening);
    try {
      return await requests.request({
        method: how === "load" ? AGENT_METHODS.session_load : AGENT_METHODS.session_resume,
        params: { sessionId, cwd, ...withSetup(setup) },
        limitMs: NEW_SESSION_LIMIT_MS,
        isHeldUp: () => listener.isAsking(),
        take: result => {
          routes.add(sessionId, listener);
          listener.opened(result);
          return { sessionId, result };
        },
        late: () => {
          if (!routes.has(sessionId)) close(sessionId);
        },
      });
    } catch (error) {
      if (routes.listenerOf(sessionId) === opening) routes.leave(sessionId);
      throw error;
    } finally {
      endWait();
    }
  }
}

function withSetup({ mcpServers = [], meta }: SessionSetup): JsonObject {
  return { mcpServers, ...(meta === undefined ? {} : { _meta: meta }) };
}
