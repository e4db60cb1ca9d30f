/**
 * A proxy that puts an MCP server of others into the sessions of its chain: a program that the agent starts and ends itself, or an address. An agent that knows
 * programs alone gets, for an address, the one that reaches it (`shim.ts`).
 *
 * Invariants: everything else passes as the bytes that came, and so does a session that an extension opened for itself; it has the name of no other
 * server of its session.
 */
import { knownSecrets, secretsGiven } from "../../src/protocol/redaction/redact";
import { RESERVED_SERVER_NAMES } from "../agent-workarounds";
import { NO_ABILITIES, readMcpAbilities, type McpAbilities } from "../mcp/abilities";
import { ownProgram, shimDeclaration, type HttpServer, type ShimProgram } from "../mcp/shim";
import { objectOr, type JsonObject } from "../rpc/json";
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

/** `title`: as the user knows it. `name`: of the server, for the agent and its model. `shim`: this program unless given. */
export function addedServer(title: string, name: string, server: StdioServer | HttpServer, shim: ShimProgram = ownProgram()): ProxyDefinition {
  knownSecrets.add("url" in server ? Object.values(server.headers) : secretsGiven(server.args, server.env));
  return {
    name: title,
    make: () => {
      let agent: McpAbilities = NO_ABILITIES;
      const setup = (request: PassingRequest): unknown => {
        const params = objectOr(request.params);
        if (isSideSession(params)) return request.pass();
        return request.pass({ ...params, mcpServers: besideServers(params.mcpServers, [declarationOf(name, server, agent, shim)]) });
      };
      const initialize = async (request: PassingRequest): Promise<unknown> => {
        const answer = await request.pass();
        agent = readMcpAbilities(answer);
        return answer;
      };
      const setups: NonNullable<Interceptors["requests"]> = Object.fromEntries(SETUPS.map(method => [method, setup]));
      return { fromClient: { requests: { initialize, ...setups } } };
    },
  };
}

/** As the agent can take it. */
function declarationOf(name: string, server: StdioServer | HttpServer, { http, version }: McpAbilities, shim: ShimProgram): JsonObject {
  if ("url" in server && http) return { type: "http", name, url: server.url, headers: pairs(server.headers) };
  const program = "url" in server ? shimDeclaration(shim, server) : { command: server.command, args: server.args, env: pairs(server.env) };
  return { ...(version >= 2 ? { type: "stdio" } : {}), name, ...program }; // in v1 a program has no type
}

function pairs(values: Readonly<Record<string, string>>): readonly JsonObject[] { return Object.entries(values).map(([name, value]) => ({ name, value })); }

/** Of what somebody wrote: what all agents take for the name of a server. */
export function serverName(id: string): string {
  const name = id.replaceAll(/[^A-Za-z0-9_-]+/g, "-").replaceAll(/^-+|-+$/g, "").slice(0, 60) || "server";
  return RESERVED_SERVER_NAMES.has(name) ? `${name}-mcp` : name;
}
