/**
 * The MCP servers that a proxy adds to the sessions of its chain. Each server has the lifetime of its session.
 *
 * Invariants:
 * - A server in a session setup request is reachable before the request is forwarded.
 * - A server is withdrawn when the setup of its session fails or is repeated, and when the session or the chain closes.
 * - `withdraw` is idempotent.
 */
import { isObject, objectOr, type JsonObject } from "../rpc/json";
import { RpcCode, RpcError } from "../rpc/message";
import type { Chain, ConnectMcp, InterceptedRequest } from "./proxy";
import { besideServers } from "./server-names";
import { AGENT_METHODS } from "../acp/methods";

export interface OfferedServer {
  /** An entry for `mcpServers`. */
  readonly declaration: unknown;
  withdraw(): void;
}

/** Requests that set up a session. */
export const SETUPS = [
  AGENT_METHODS.session_new,
  AGENT_METHODS.session_load,
  AGENT_METHODS.session_resume,
  AGENT_METHODS.session_fork,
] as const;
/** Requests that end a session. */
export const CLOSINGS = [AGENT_METHODS.session_close, AGENT_METHODS.session_delete] as const;

export class SessionServers {
  readonly #sessions = new Map<string, readonly OfferedServer[]>();
  readonly #open = new Set<OfferedServer>();

  constructor(private readonly chain: Chain) {}

  /** Creates a server for a later session. `onWithdrawn` is called once, when the server is withdrawn. */
  offer(name: string, connect: ConnectMcp, onWithdrawn: () => void = () => undefined): OfferedServer {
    const { chain } = this,
      offer = chain.offerMcp(name, connect);
    const standing: OfferedServer = {
      declaration: offer.declaration,
      withdraw: () => {
        if (!this.#open.delete(standing)) return;
        onWithdrawn();
        offer[Symbol.asyncDispose]().then(undefined, (error: unknown) =>
          chain.onWarning(`the MCP server ${name} could not be withdrawn`, error),
        );
      },
    };
    this.#open.add(standing);
    return standing;
  }

  /**
   * Forwards a request of `SETUPS` with these servers appended under unique names. `params` replaces the request's
   * params. `opened` receives the session's id.
   */
  async setup(
    request: InterceptedRequest,
    servers: readonly OfferedServer[],
    params: JsonObject = objectOr(request.params),
    opened: (sessionId: string) => void = () => undefined,
  ): Promise<unknown> {
    try {
      const answer = await request.pass(
        servers.length > 0
          ? withServers(params, servers)
          : isObject(request.params) && params !== request.params
            ? params
            : undefined,
      );
      const sessionId = sessionIdOf(request, answer);
      if (sessionId !== undefined) {
        // otherwise the servers are withdrawn with the chain
        this.#bind(sessionId, servers);
        opened(sessionId);
      }
      return answer;
    } catch (error) {
      for (const server of servers) server.withdraw();
      throw error;
    }
  }

  /**
   * Forwards a request of `CLOSINGS` and withdraws the servers, also if the agent returns "not found". `closed`
   * receives the session's id.
   */
  async closing(request: InterceptedRequest, closed: (sessionId: string) => void = () => undefined): Promise<unknown> {
    const { sessionId } = objectOr(request.params),
      over = (): void => {
        if (typeof sessionId !== "string") return;
        this.#bind(sessionId, []);
        closed(sessionId);
      };
    try {
      const answer = await request.pass();
      over();
      return answer;
    } catch (error) {
      if (error instanceof RpcError && error.code === RpcCode.notFound) over();
      throw error;
    }
  }

  /** Withdraws all servers. Called when the chain has ended. */
  close(): void {
    for (const server of [...this.#open]) server.withdraw();
    this.#sessions.clear();
  }

  /** Replaces the servers of the session and withdraws the previous ones. */
  #bind(sessionId: string, servers: readonly OfferedServer[]): void {
    for (const server of this.#sessions.get(sessionId) ?? []) server.withdraw();
    if (servers.length > 0) this.#sessions.set(sessionId, servers);
    else this.#sessions.delete(sessionId);
  }
}

function withServers(params: JsonObject, servers: readonly OfferedServer[]): JsonObject {
  return {
    ...params,
    mcpServers: besideServers(
      params.mcpServers,
      servers.map(({ declaration }) => declaration),
    ),
  };
}

/** The session id is in the params of `load` and `resume`, and in the response to `new` and `fork`. */
function sessionIdOf({ method, params }: InterceptedRequest, answer: unknown): string | undefined {
  const { sessionId } = objectOr(
    method === AGENT_METHODS.session_load || method === AGENT_METHODS.session_resume ? params : answer,
  );
  return typeof sessionId === "string" ? sessionId : undefined;
}
