/**
 * Connects to the MCP servers that components declare. The bridge uses this class in place of an agent with native MCP
 * over ACP.
 *
 * For a server of `{type: "acp"}`, a connection (`mcp/connect`) is requested first, because only a connection supports
 * requests of the server to its client. An owner that rejects the method or the id belongs to the generation without
 * connections. The result is cached per server. `session-adapter.ts` and `stateless-adapter.ts` adapt clients to owners
 * of the other generation.
 *
 * Invariants:
 * - An unused connection is disconnected.
 * - Messages for connections of other components are not consumed.
 */
import type { Channel } from "../rpc/channel";
import { memoryChannels } from "../rpc/memory-channel";
import { RpcCode, RpcError } from "../rpc/message";
import { ConnectionClosed } from "../rpc/peer";
import { serveSession } from "./session-adapter";
import { StatelessAdapter } from "./stateless-adapter";
import { StatelessLink } from "./stateless-link";
import type { AcpServer } from "./acp-server-declaration";
import { Link, readConnectionId, readMessage, type LinkPrefix, type Neighbour, type OnWarning } from "./acp-link";
import { McpCode, type StatelessServer } from "./revision";
import { MCP_OVER_ACP } from "../acp/methods";

/** One declared server, for both kinds of MCP clients. */
export interface DeclaredServer extends AsyncDisposable {
  /** Opens a connection for one session with `initialize`. The caller starts the channel. Rejects with `RpcError`. */
  connect(): Promise<Channel>;
  readonly stateless: StatelessServer;
}

type Reached =
  | { readonly kind: "linked"; readonly channel: Channel }
  | { readonly kind: "carried"; readonly server: StatelessLink };

export class DeclaredServers implements AsyncDisposable {
  readonly #links = new Map<string, Link>();
  /** Servers whose owner does not support connections, by `serverId`. */
  readonly #carried = new Map<string, StatelessLink>();

  constructor(
    private readonly client: Neighbour,
    private readonly onWarning: OnWarning,
  ) {}

  serve(server: AcpServer): DeclaredServer {
    const connect = async (): Promise<Channel> => {
      const reached = await this.#reach(server);
      if (reached.kind === "linked") return reached.channel;
      const [near, far] = memoryChannels();
      serveSession(reached.server, far, this.onWarning);
      return near;
    };
    return new Served(() => this.#reach(server), connect, this.onWarning);
  }

  /**
   * Handles a request from the client's side. Returns undefined if the request is not for a connection of this bridge.
   */
  request(method: string, params: unknown, signal: AbortSignal): Promise<unknown> | undefined {
    const prefix = prefixOf(method);
    if (method === MCP_OVER_ACP[prefix].disconnect)
      return this.#disconnected(prefix, params) ? Promise.resolve({}) : undefined;
    const message = readMessage(params);
    if (message?.kind !== "linked") return undefined;
    return this.#links.get(key(prefix, message.connectionId))?.request(message.method, message.params, signal);
  }

  /** Returns false if the notification is not for this bridge. */
  notification(method: string, params: unknown): boolean {
    const prefix = prefixOf(method);
    if (method === MCP_OVER_ACP[prefix].disconnect) return this.#disconnected(prefix, params);
    const message = readMessage(params);
    if (message?.kind === "stateless") return this.#carried.get(message.serverId)?.notification(message) ?? false;
    const link = message && this.#links.get(key(prefix, message.connectionId));
    if (!message || !link) return false;
    link.notification(message.method, message.params);
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const links = [...this.#links.values()];
    this.#links.clear();
    await Promise.all(links.map(link => link[Symbol.asyncDispose]()));
  }

  async #reach(server: AcpServer): Promise<Reached> {
    if (server.kind === "sacp") return this.#link("_mcp", { acp_url: server.url });
    const { serverId, id } = server;
    const carried = serverId === undefined ? undefined : this.#carried.get(serverId);
    if (carried) return { kind: "carried", server: carried };
    try {
      return await this.#link("mcp", {
        ...(serverId === undefined ? {} : { serverId }),
        ...(id === undefined ? {} : { acpId: id }),
      });
    } catch (error) {
      const unknown =
        error instanceof RpcError && (error.code === RpcCode.methodNotFound || error.code === RpcCode.invalidParams);
      if (!unknown || serverId === undefined) throw error;
      const carriedServer = this.#carried.get(serverId) ?? new StatelessLink(serverId, this.client);
      this.#carried.set(serverId, carriedServer);
      return { kind: "carried", server: carriedServer };
    }
  }

  async #link(prefix: LinkPrefix, params: unknown): Promise<Reached> {
    const id = readConnectionId(await this.client.request(MCP_OVER_ACP[prefix].connect, params));
    if (id === undefined)
      throw new RpcError(McpCode.backend, `The response to ${MCP_OVER_ACP[prefix].connect} has no connection id.`);
    const [near, far] = memoryChannels();
    const link = new Link(id, prefix, this.client, far, { ended: () => this.#ended(link), onWarning: this.onWarning });
    this.#links.set(key(prefix, id), link);
    return { kind: "linked", channel: near };
  }

  /**
   * Called when the local side closes the connection. Does nothing if the owner disconnected first and removed the
   * link.
   */
  #ended(link: Link): void {
    if (!this.#links.delete(key(link.prefix, link.id))) return;
    if (link.prefix === "_mcp") return this.client.notify(MCP_OVER_ACP._mcp.disconnect, { connection_id: link.id });
    this.client.request(MCP_OVER_ACP.mcp.disconnect, { connectionId: link.id }).catch((error: unknown) => {
      // The connection ends with the chain.
      if (!(error instanceof ConnectionClosed)) this.onWarning("an MCP connection was not ended", error);
    });
  }

  #disconnected(prefix: LinkPrefix, params: unknown): boolean {
    const id = readConnectionId(params);
    const link = id === undefined ? undefined : this.#links.get(key(prefix, id));
    if (!link) return false;
    this.#links.delete(key(prefix, link.id));
    void link[Symbol.asyncDispose]();
    return true;
  }
}

class Served implements DeclaredServer {
  /** The owner's stateless server, or an adapter on a connection. Resolved by the first request. */
  #stateless: Promise<StatelessServer> | undefined;
  #adapter: StatelessAdapter | undefined;
  /** Connection that was opened to detect the kind of owner; kept until its first use. */
  #first: Channel | undefined;
  readonly stateless: StatelessServer = {
    request: async (method, params, options) => {
      const server = await (this.#stateless ??= this.#find());
      return server.request(method, params, options);
    },
  };

  constructor(
    private readonly reach: () => Promise<Reached>,
    readonly connect: () => Promise<Channel>,
    private readonly onWarning: OnWarning,
  ) {}

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#adapter?.[Symbol.asyncDispose]();
    await this.#first?.[Symbol.asyncDispose]();
  }

  async #connection(): Promise<Channel> {
    const first = this.#first;
    this.#first = undefined;
    return first ?? this.connect();
  }

  async #find(): Promise<StatelessServer> {
    try {
      const reached = await this.reach();
      if (reached.kind === "carried") return reached.server;
      this.#first = reached.channel;
      return (this.#adapter = new StatelessAdapter(() => this.#connection(), this.onWarning));
    } catch (error) {
      this.#stateless = undefined; // the next request retries
      throw error;
    }
  }
}

function prefixOf(method: string): LinkPrefix {
  return method.startsWith("_") ? "_mcp" : "mcp";
}
function key(prefix: LinkPrefix, id: string): string {
  return `${prefix} ${id}`;
}
