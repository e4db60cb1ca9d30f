/**
 * A proxy that puts an MCP server of others into the sessions of its chain: a program that the agent starts and ends itself.
 *
 * Invariants: everything else passes as the bytes that came, and so does a session that an extension opened for itself; it has the name of no other
 * server of its session.
 */
import { numberOr, objectOr } from "../rpc/json";
import type { Interceptors, PassingRequest, ProxyDefinition } from "./proxy";
import { besideServers } from "./server-names";
import { SETUPS } from "./session-servers";
import { isSideSession } from "./side-session";

export interface StdioServer {
  /** An absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** `title`: as the user knows it. `name`: of the server, for the agent and its model. */
export function addedServer(title: string, name: string, { command, args, env }: StdioServer): ProxyDefinition {
  return {
    name: title,
    make: () => {
      let version = 1;
      const setup = (request: PassingRequest): unknown => {
        const params = objectOr(request.params);
        if (isSideSession(params)) return request.pass();
        // In v1 a program has no type.
        const server = { ...(version >= 2 ? { type: "stdio" } : {}), name, command, args, env: Object.entries(env).map(([key, value]) => ({ name: key, value })) };
        return request.pass({ ...params, mcpServers: besideServers(params.mcpServers, [server]) });
      };
      const initialize = async (request: PassingRequest): Promise<unknown> => {
        const answer = await request.pass();
        version = numberOr(objectOr(answer).protocolVersion, 1);
        return answer;
      };
      const setups: NonNullable<Interceptors["requests"]> = Object.fromEntries(SETUPS.map(method => [method, setup]));
      return { fromClient: { requests: { initialize, ...setups } } };
    },
  };
}

/** Claude's own, which it keeps for itself: it leaves out others of these names. */
const RESERVED: ReadonlySet<string> = new Set(["ide", "workspace"]);

/** Of what somebody wrote: what all agents take for the name of a server. */
export function serverName(id: string): string {
  const name = id.replaceAll(/[^A-Za-z0-9_-]+/g, "-").replaceAll(/^-+|-+$/g, "").slice(0, 60) || "server";
  return RESERVED.has(name) ? `${name}-mcp` : name;
}
