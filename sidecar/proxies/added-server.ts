/**
 * A proxy that adds a user's MCP server (a program or an address) to the sessions of its chain. For an agent without
 * http, an address is declared as a program that connects to it (`shim.ts`).
 *
 * If the agent advertises http and MCP over ACP, the sidecar starts the program for each session (`program-server.ts`).
 * The program is offered like the servers of extensions, so that the MCP bridge chooses the transport and records the
 * delivery (issue 14 item 2). Otherwise the agent starts the program itself, and delivery is not recorded.
 *
 * Invariants:
 * - All other messages are forwarded as the received bytes, and so is the setup of a side session.
 * - The server's name is unique within its session.
 * - A program started by the sidecar is stopped with its session and with the chain.
 */
import { knownSecrets, secretArguments } from "../../src/protocol/redaction/redact";
import { RESERVED_SERVER_NAMES } from "../agent-workarounds";
import { NO_ABILITIES, readMcpAbilities, type McpCapabilities } from "../mcp/agent-mcp-capabilities";
import { ProgramServer, type RunningServer } from "../mcp/program-server";
import { ownProgram, shimDeclaration, type HttpServer, type ShimProgram } from "../mcp/shim";
import type { Clock } from "../rpc/clock";
import { objectOr, type JsonObject } from "../rpc/json";
import type { Chain, Interceptors, InterceptedRequest, Proxy, ProxyDefinition } from "./proxy";
import { besideServers } from "./server-names";
import { CLOSINGS, SessionServers, SETUPS, type OfferedServer } from "./session-servers";
import { isSideSession } from "./side-session";

export interface StdioServer {
  /** Absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Starts the programs of MCP servers. */
export interface ServerStarter {
  readonly clock: Clock;
  /** `cwd` is the folder of the session; undefined if absent. */
  readonly start: (
    title: string,
    server: StdioServer,
    cwd: string | undefined,
  ) => RunningServer | Promise<RunningServer>;
}

export interface AddedServerOptions {
  /** Defaults to this program. */
  readonly shim?: ShimProgram;
  /** If absent, only the agent starts programs. */
  readonly starter?: ServerStarter;
}

/** `title` is the display name for the user. `name` is the server's name for the agent and its model. */
export function addedServer(
  title: string,
  name: string,
  server: StdioServer | HttpServer,
  { shim = ownProgram(), starter }: AddedServerOptions = {},
): ProxyDefinition {
  knownSecrets.add("url" in server ? Object.values(server.headers) : secretArguments(server.args, server.env));
  return { name: title, create: chain => new AddedServer(chain, { title, name, server, shim, starter }).proxy };
}

interface Added {
  readonly title: string;
  readonly name: string;
  readonly server: StdioServer | HttpServer;
  readonly shim: ShimProgram;
  readonly starter: ServerStarter | undefined;
}

class AddedServer {
  #agent: McpCapabilities = NO_ABILITIES;
  readonly #offered: SessionServers;
  /** Programs that are being stopped. */
  readonly #ending = new Set<Promise<void>>();

  constructor(
    private readonly chain: Chain,
    private readonly added: Added,
  ) {
    this.#offered = new SessionServers(chain);
  }

  get proxy(): Proxy {
    const setup = (request: InterceptedRequest): Promise<unknown> => this.#setup(request);
    const closing = (request: InterceptedRequest): Promise<unknown> => this.#offered.closing(request);
    const requests: NonNullable<Interceptors["requests"]> = {
      initialize: request => this.#initialize(request),
      ...Object.fromEntries(SETUPS.map(method => [method, setup])),
      ...(this.added.starter === undefined ? {} : Object.fromEntries(CLOSINGS.map(method => [method, closing]))),
    };
    return { fromClient: { requests }, close: () => this.#close() };
  }

  async #initialize(request: InterceptedRequest): Promise<unknown> {
    const answer = await request.pass();
    this.#agent = readMcpAbilities(answer);
    return answer;
  }

  #setup(request: InterceptedRequest): Promise<unknown> {
    const { name, server, shim } = this.added,
      params = objectOr(request.params);
    if (isSideSession(params)) return request.pass();
    const offered = this.#offer(params.cwd);
    if (offered) return this.#offered.setup(request, [offered]);
    return request.pass({
      ...params,
      mcpServers: besideServers(params.mcpServers, [declarationOf(name, server, this.#agent, shim)]),
    });
  }

  /** Returns undefined if the agent itself starts the program or connects to the address. */
  #offer(cwd: unknown): OfferedServer | undefined {
    const { title, name, server, starter } = this.added,
      { http, acp } = this.#agent,
      folder = typeof cwd === "string" ? cwd : undefined;
    if (!starter || "url" in server || !http || !acp) return undefined;
    const start = (): ReturnType<ServerStarter["start"]> => starter.start(title, server, folder);
    const program = new ProgramServer({ title, clock: starter.clock, onWarning: this.chain.onWarning, start });
    program.warmUp();
    return this.#offered.offer(
      name,
      transport => program.connect(transport),
      () => this.#end(program),
    );
  }

  #end(program: ProgramServer): void {
    const ended = program[Symbol.asyncDispose]().catch((error: unknown) =>
      this.chain.onWarning("the program of an MCP server could not be stopped", error),
    );
    this.#ending.add(ended);
    void ended.then(() => this.#ending.delete(ended));
  }

  async #close(): Promise<void> {
    this.#offered.close();
    await Promise.all(this.#ending);
  }
}

/** Returns the declaration in a form that the agent supports. */
function declarationOf(
  name: string,
  server: StdioServer | HttpServer,
  { http, version }: McpCapabilities,
  shim: ShimProgram,
): JsonObject {
  if ("url" in server && http) return { type: "http", name, url: server.url, headers: pairs(server.headers) };
  const program =
    "url" in server
      ? shimDeclaration(shim, server)
      : { command: server.command, args: server.args, env: pairs(server.env) };
  return { ...(version >= 2 ? { type: "stdio" } : {}), name, ...program }; // ACP v1 has no type here
}

function pairs(values: Readonly<Record<string, string>>): readonly JsonObject[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}

/** Converts user-provided text to a server name that all agents accept. */
export function serverName(id: string): string {
  const name =
    id
      .replaceAll(/[^A-Za-z0-9_-]+/g, "-")
      .replaceAll(/^-+|-+$/g, "")
      .slice(0, 60) || "server";
  return RESERVED_SERVER_NAMES.has(name) ? `${name}-mcp` : name;
}
