/**
 * Chains for tests of MCP over ACP: a client, proxies of the kit, the bridge and an agent, all in memory. The bridge's
 * endpoint is real.
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { ClientCapabilities } from "@modelcontextprotocol/sdk/types.js";
import { LISTS_ON_DEMAND } from "../../mcp/agent-mcp-capabilities";
import { serveProxy } from "../../proxies/serve-proxy";
import type { ProxyDefinition } from "../../proxies/proxy";
import type { Channel, Receiver } from "../../rpc/channel";
import { Frame } from "../../rpc/frame";
import { arrayOr, isObject, objectOr, type JsonObject } from "../../rpc/json";
import { memoryChannels } from "../../rpc/memory-channel";
import type { Id } from "../../rpc/message";
import { Peer, methodNotFound, type IncomingRequest } from "../../rpc/peer";

/** Shifts the ids of requests, so that they are unique in a chain without hops, as in a conductor. */
export function renumbered(channel: Channel, by: number): Channel {
  const moved = (id: Id | null, distance: number): Id => (typeof id === "number" ? id + distance : String(id));
  const out = (frame: Frame): Frame => {
    const { message } = frame;
    if ("method" in message && "id" in message) return frame.withId(moved(message.id as Id, by));
    if ("method" in message && message.method === "$/cancel_request")
      return Frame.of({ ...message, params: { requestId: moved(objectOr(message.params).requestId as Id, by) } });
    return frame;
  };
  return {
    start: (receiver: Receiver) =>
      channel.start({
        receive: frame =>
          receiver.receive("method" in frame.message ? frame : frame.withId(moved(frame.message.id, -by))),
        closed: reason => receiver.closed(reason),
      }),
    send: frame => channel.send(out(frame)),
    drained: () => channel.drained(),
    [Symbol.asyncDispose]: () => channel[Symbol.asyncDispose](),
  };
}

export interface ChainEnds extends AsyncDisposable {
  readonly client: Channel;
  readonly agent: Channel;
  readonly warnings: string[];
}

/** Connects stages of the kit, from the client to the agent. */
export function chainOf(stages: readonly ProxyDefinition[]): ChainEnds {
  const warnings: string[] = [],
    served: AsyncDisposable[] = [],
    [up, first] = memoryChannels();
  let lastId = 0,
    next = first;
  for (const definition of stages) {
    const [left, right] = memoryChannels();
    served.push(
      serveProxy(
        definition,
        next,
        left,
        { next: () => ++lastId },
        { onWarning: (what, detail) => warnings.push(`${what}: ${String(detail)}`) },
      ),
    );
    next = right;
  }
  return {
    client: renumbered(up, 1_000_000),
    agent: renumbered(next, 2_000_000),
    warnings,
    [Symbol.asyncDispose]: async () => {
      for (const stage of served) await stage[Symbol.asyncDispose]();
    },
  };
}

export interface FixtureOptions {
  /** In order from the client to the agent. */
  readonly stages: readonly ProxyDefinition[];
  readonly initialized?: JsonObject;
  /** Handles requests to the client. Undefined: the client rejects every method. */
  readonly client?: (request: IncomingRequest) => void;
  readonly onNotification?: (method: string, params: unknown) => void;
  /** Handles requests to the agent before the default handler. Returns true if the request has been handled. */
  readonly agent?: (request: IncomingRequest) => boolean;
}

/** Agent that lists tools on demand, so no prompt waits for `tools/list`. */
export const HTTP_AGENT = {
  protocolVersion: 1,
  agentCapabilities: {
    loadSession: true,
    mcpCapabilities: { http: true, sse: true },
    _meta: { [LISTS_ON_DEMAND]: true },
  },
};

export class Fixture implements AsyncDisposable {
  readonly client: Peer;
  readonly agent: Peer;
  /** Session setup requests, as the agent received them. */
  readonly setups: { readonly method: string; readonly params: JsonObject }[] = [];
  readonly agentReceived: { readonly method: string; readonly params: unknown }[] = [];
  readonly warnings: readonly string[];
  readonly #chain: ChainEnds;
  #sessions = 0;

  constructor(private readonly options: FixtureOptions) {
    this.#chain = chainOf(options.stages);
    this.warnings = this.#chain.warnings;
    this.client = new Peer(this.#chain.client, {
      request: request => (options.client ? options.client(request) : request.fail(methodNotFound(request.method))),
      notification: (method, params) => options.onNotification?.(method, params),
      closed: () => undefined,
    });
    this.agent = new Peer(this.#chain.agent, {
      request: request => this.#asked(request),
      notification: (method, params) => {
        this.agentReceived.push({ method, params });
      },
      closed: () => undefined,
    });
  }

  async initialize(): Promise<JsonObject> {
    return objectOr(await this.client.request("initialize", { protocolVersion: 1, clientCapabilities: {} }));
  }

  /** Sets up a session. `servers`: `mcpServers` as the agent received them. */
  async setup(
    method: string,
    params: JsonObject,
  ): Promise<{ readonly sessionId: unknown; readonly servers: readonly JsonObject[] }> {
    const answer = objectOr(await this.client.request(method, params));
    return { sessionId: answer.sessionId ?? params.sessionId, servers: this.lastServers() };
  }

  lastServers(): readonly JsonObject[] {
    return arrayOr(this.setups.at(-1)?.params.mcpServers).filter(isObject);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client[Symbol.asyncDispose]();
    await this.#chain[Symbol.asyncDispose]();
  }

  #asked(request: IncomingRequest): void {
    const { method, params } = request;
    if (/^session\/(new|load|resume|fork)$/.test(method)) this.setups.push({ method, params: objectOr(params) });
    if (this.options.agent?.(request)) return;
    switch (method) {
      case "initialize":
        return request.respond(this.options.initialized ?? HTTP_AGENT);
      case "session/new":
      case "session/fork":
        return request.respond({ sessionId: `s${++this.#sessions}` });
      case "session/load":
      case "session/resume":
      case "session/close":
      case "session/delete":
        return request.respond({});
      default:
        return request.fail(methodNotFound(method));
    }
  }
}

/** Proxy that adds servers to every session setup. */
export function adding(
  name: string,
  servers: (chain: Parameters<ProxyDefinition["create"]>[0]) => readonly unknown[],
): ProxyDefinition {
  return {
    name,
    create: chain => {
      const added = servers(chain);
      const setup = (request: { readonly params: unknown; pass(params: unknown): Promise<unknown> }) =>
        request.pass({
          ...objectOr(request.params),
          mcpServers: [...arrayOr(objectOr(request.params).mcpServers), ...added],
        });
      return {
        fromClient: {
          requests: { "session/new": setup, "session/load": setup, "session/resume": setup, "session/fork": setup },
        },
      };
    },
  };
}

/** Transport to an entry of `mcpServers`, as agents create it. */
export function transportTo(server: JsonObject, stderr?: (text: string) => void): Transport {
  const pairs = (value: unknown) =>
    Object.fromEntries(
      arrayOr(value)
        .filter(isObject)
        .map(({ name, value: is }) => [String(name), String(is)]),
    );
  if (server.type === "http")
    return new StreamableHTTPClientTransport(new URL(String(server.url)), {
      requestInit: { headers: pairs(server.headers) },
    });
  const stdio = new StdioClientTransport({
    command: String(server.command),
    args: arrayOr(server.args).map(String),
    env: pairs(server.env),
    stderr: "pipe",
  });
  stdio.stderr?.on("data", (chunk: Buffer) => stderr?.(chunk.toString()));
  return stdio;
}

export async function connected(
  server: JsonObject,
  prepare: (client: Client) => void = () => undefined,
  capabilities: ClientCapabilities = {},
): Promise<Client & AsyncDisposable> {
  const client = new Client({ name: "test", version: "1" }, { capabilities });
  prepare(client);
  const transport = transportTo(server);
  await client.connect(transport);
  return Object.assign(client, {
    [Symbol.asyncDispose]: async () => {
      if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession().catch(() => undefined);
      await client.close();
    },
  });
}

/** Counts events. `times(n)` resolves after n calls of `fire`. */
export class Signal {
  #count = 0;
  #waiting: { readonly at: number; readonly go: () => void }[] = [];
  readonly fire = (): void => {
    this.#count++;
    for (const { at, go } of this.#waiting) if (this.#count >= at) go();
  };
  get count(): number {
    return this.#count;
  }
  times(at: number): Promise<void> {
    return this.#count >= at ? Promise.resolve() : new Promise(go => this.#waiting.push({ at, go }));
  }
}
