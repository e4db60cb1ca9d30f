/**
 * MCP servers of a proxy that stand in sessions of the chain, and go with them.
 *
 * Invariants: what stands in the request that sets a session up can be reached before it is passed on; a server is
 * withdrawn when its session is closed, could not be set up or is set up anew, and with the chain; withdrawing it a
 * second time changes nothing.
 */
import { isObject, objectOr, type JsonObject } from "../rpc/json";
import { RpcCode, RpcError } from "../rpc/message";
import type { Chain, ConnectMcp, PassingRequest } from "./proxy";
import { besideServers } from "./server-names";

export interface StandingServer {
  /** An entry for `mcpServers`. */
  readonly declaration: unknown;
  withdraw(): void;
}

/** Requests that set a session up. */
export const SETUPS = ["session/new", "session/load", "session/resume", "session/fork"] as const;
/** Requests that end one. */
export const CLOSINGS = ["session/close", "session/delete"] as const;

export class SessionServers {
  readonly #sessions = new Map<string, readonly StandingServer[]>();
  readonly #open = new Set<StandingServer>();

  constructor(private readonly chain: Chain) {}

  /** A server that no session has yet. `over` is called when it is withdrawn. */
  stand(name: string, connect: ConnectMcp, over: () => void = () => undefined): StandingServer {
    const { chain } = this,
      offer = chain.offerMcp(name, connect);
    const standing: StandingServer = {
      declaration: offer.declaration,
      withdraw: () => {
        if (!this.#open.delete(standing)) return;
        over();
        offer[Symbol.asyncDispose]().then(undefined, (error: unknown) =>
          chain.odd(`the MCP server ${name} could not be withdrawn`, error),
        );
      },
    };
    this.#open.add(standing);
    return standing;
  }

  /**
   * Passes a request of `SETUPS` on with these servers behind its own, under names that are free there, as it is
   * without any; `opened` hears which session has them. `params`: in place of the request's.
   */
  async setup(
    request: PassingRequest,
    servers: readonly StandingServer[],
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
      const sessionId = setUp(request, answer);
      if (sessionId !== undefined) {
        // else they go with the chain
        this.#bind(sessionId, servers);
        opened(sessionId);
      }
      return answer;
    } catch (error) {
      for (const server of servers) server.withdraw();
      throw error;
    }
  }

  /** A request of `CLOSINGS`. A session that the agent does not know is closed, too; `closed` hears which. */
  async closing(request: PassingRequest, closed: (sessionId: string) => void = () => undefined): Promise<unknown> {
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

  /** The chain has ended, and with it all that stood in it. */
  close(): void {
    for (const server of [...this.#open]) server.withdraw();
    this.#sessions.clear();
  }

  /** What the session had before is withdrawn. */
  #bind(sessionId: string, servers: readonly StandingServer[]): void {
    for (const server of this.#sessions.get(sessionId) ?? []) server.withdraw();
    if (servers.length > 0) this.#sessions.set(sessionId, servers);
    else this.#sessions.delete(sessionId);
  }
}

function withServers(params: JsonObject, servers: readonly StandingServer[]): JsonObject {
  return {
    ...params,
    mcpServers: besideServers(
      params.mcpServers,
      servers.map(({ declaration }) => declaration),
    ),
  };
}

/** `load` and `resume` keep the session that they name, `new` and `fork` make one. */
function setUp({ method, params }: PassingRequest, answer: unknown): string | undefined {
  const { sessionId } = objectOr(method === "session/load" || method === "session/resume" ? params : answer);
  return typeof sessionId === "string" ? sessionId : undefined;
}
