/**
 * Adds an MCP server to the sessions of a chain. All built-in extensions share this proxy.
 *
 * Invariants:
 * - Sessions without a server, and side sessions of other extensions, are forwarded byte for byte.
 * - Server names are never reused in a chain. Some agents offer the servers of a session in all sessions, even after
 *   its end.
 */
import type { Chain, ConnectMcp, Interceptors, InterceptedRequest } from "../proxies/proxy";
import { CLOSINGS, SessionServers, SETUPS } from "../proxies/session-servers";
import { isSideSession } from "../proxies/side-session";
import { arrayOr, objectOr, stringOr, type JsonObject } from "../rpc/json";

/** A session of the client, from its setup request to its end. */
export interface SessionPlace {
  /** Absolute paths: `cwd`, then `additionalDirectories`. */
  readonly folders: readonly [cwd: string, ...more: readonly string[]];
  /** Setup method: `session/new`, `load`, `resume` or `fork`. */
  readonly setup: string;
  /** Undefined until the agent answers the setup request. MCP calls may arrive earlier. */
  readonly sessionId: () => string | undefined;
}

export interface SessionServer {
  readonly connect: ConnectMcp;
  /** Called once, when the session ends or its setup fails. */
  close?(): void;
}

export interface SessionTools {
  /** MCP server name. Later servers of the chain get a numeric suffix. */
  readonly name: string;
  /**
   * The server for a session. Undefined: no server. A rejection is a bug. The error is logged, and the session
   * continues without the server.
   */
  server(place: SessionPlace): SessionServer | undefined | Promise<SessionServer | undefined>;
  /**
   * Setup params sent to the agent, except `mcpServers`. Called after `server`. The same object leaves the request
   * unchanged. A rejection is a bug. The error is logged, and the params stay unchanged.
   */
  params?(place: SessionPlace, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** The session is set up. */
  opened?(place: SessionPlace, sessionId: string): void;
  closed?(sessionId: string): void;
}

export interface SessionToolsProxy {
  /** Merge into `fromClient.requests`. */
  readonly requests: NonNullable<Interceptors["requests"]>;
  close(): void;
}

export function sessionTools(chain: Chain, options: SessionTools): SessionToolsProxy {
  const servers = new SessionServers(chain),
    each = (methods: readonly string[], intercept: (request: InterceptedRequest) => unknown) =>
      Object.fromEntries(methods.map(method => [method, intercept]));
  let serverCount = 0;
  const setup = async (request: InterceptedRequest): Promise<unknown> => {
    if (isSideSession(request.params)) return request.pass();
    let sessionId: string | undefined;
    const { cwd, additionalDirectories } = objectOr(request.params);
    const folders = arrayOr(additionalDirectories).filter((folder): folder is string => typeof folder === "string");
    const place: SessionPlace = {
      folders: [stringOr(cwd, ""), ...folders],
      setup: request.method,
      sessionId: () => sessionId,
    };
    const server = await serverFor(place);
    const opened = (id: string): void => {
      sessionId = id;
      options.opened?.(place, id);
    };
    const added = server
      ? [
          servers.offer(++serverCount === 1 ? options.name : `${options.name}-${serverCount}`, server.connect, () =>
            server.close?.(),
          ),
        ]
      : [];
    return servers.setup(request, added, await paramsFor(place, request), opened);
  };
  const paramsFor = async (place: SessionPlace, { params, signal }: InterceptedRequest): Promise<JsonObject> => {
    const given = objectOr(params);
    try {
      return (await options.params?.(place, given, signal)) ?? given;
    } catch (error) {
      chain.onWarning(`${options.name} cannot change the setup of this session`, error);
      return given;
    }
  };
  const serverFor = async (place: SessionPlace): Promise<SessionServer | undefined> => {
    try {
      return await options.server(place);
    } catch (error) {
      chain.onWarning(`${options.name} cannot be offered in this session`, error);
      return undefined;
    }
  };
  return {
    requests: {
      ...each(SETUPS, setup),
      ...each(CLOSINGS, request => servers.closing(request, id => options.closed?.(id))),
    },
    close: () => servers.close(),
  };
}
