/**
 * A proxy that puts an MCP server into the sessions of its chain: the part that all our extensions share.
 *
 * Invariants: a session that gets no server passes as the bytes that came, and so does one that another extension
 * opened for itself; no two servers of a chain have had the same name, because some agents offer the servers of one
 * session in all of them, and remember those that have ended.
 */
import type { Chain, ConnectMcp, Interceptors, PassingRequest } from "../proxies/proxy";
import { CLOSINGS, SessionServers, SETUPS } from "../proxies/session-servers";
import { isSideSession } from "../proxies/side-session";
import { arrayOr, objectOr, stringOr, type JsonObject } from "../rpc/json";

/** A session of the client's, from the request that sets it up to its end. */
export interface SessionPlace {
  /** Absolute: `cwd`, then `additionalDirectories`. */
  readonly folders: readonly [cwd: string, ...more: readonly string[]];
  /** Of `session/new`, `load`, `resume` or `fork`. */
  readonly setup: string;
  /** Undefined until the agent has answered the setup; MCP calls may come before. */
  readonly sessionId: () => string | undefined;
}

export interface SessionServer {
  readonly connect: ConnectMcp;
  /** The session is over, or could not be set up. Once. */
  close?(): void;
}

export interface SessionTools {
  /** Of the MCP server; the second one of a chain gets a number behind it. */
  readonly name: string;
  /**
   * The server for a session, or undefined where there is nothing to offer. Rejecting is for bugs: it is logged, and
   * the session goes on without.
   */
  server(place: SessionPlace): SessionServer | undefined | Promise<SessionServer | undefined>;
  /**
   * The params of the setup, `mcpServers` aside, as they go to the agent; called after `server`. The object itself:
   * unchanged. Rejecting is for bugs, likewise.
   */
  params?(place: SessionPlace, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** A session was set up. */
  opened?(place: SessionPlace, sessionId: string): void;
  closed?(sessionId: string): void;
}

export interface SessionToolsProxy {
  /** For `fromClient.requests`. */
  readonly requests: NonNullable<Interceptors["requests"]>;
  close(): void;
}

export function sessionTools(chain: Chain, of: SessionTools): SessionToolsProxy {
  const servers = new SessionServers(chain),
    each = (methods: readonly string[], intercept: (request: PassingRequest) => unknown) =>
      Object.fromEntries(methods.map(method => [method, intercept]));
  let named = 0;
  const setup = async (request: PassingRequest): Promise<unknown> => {
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
      of.opened?.(place, id);
    };
    const standing = server
      ? [servers.stand(++named === 1 ? of.name : `${of.name}-${named}`, server.connect, () => server.close?.())]
      : [];
    return servers.setup(request, standing, await paramsFor(place, request), opened);
  };
  const paramsFor = async (place: SessionPlace, { params, signal }: PassingRequest): Promise<JsonObject> => {
    const given = objectOr(params);
    try {
      return (await of.params?.(place, given, signal)) ?? given;
    } catch (error) {
      chain.odd(`${of.name} cannot change the setup of this session`, error);
      return given;
    }
  };
  const serverFor = async (place: SessionPlace): Promise<SessionServer | undefined> => {
    try {
      return await of.server(place);
    } catch (error) {
      chain.odd(`${of.name} cannot be offered in this session`, error);
      return undefined;
    }
  };
  return {
    requests: { ...each(SETUPS, setup), ...each(CLOSINGS, request => servers.closing(request, id => of.closed?.(id))) },
    close: () => servers.close(),
  };
}
