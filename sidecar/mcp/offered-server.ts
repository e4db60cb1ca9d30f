/**
 * Offers an MCP server of this program over ACP to the agent at the end of a chain. Supports all generations, like its
 * counterpart `declared-servers.ts`. Each connection (`mcp/connect`) is a session with a separate server instance.
 * Requests without a connection share one session.
 *
 * Invariants:
 * - Every request of the agent is answered, also after the server has exited or the offer was withdrawn.
 * - Messages for other servers are not consumed.
 */
import { randomUUID } from "node:crypto";
import { errorMessage } from "../../src/protocol/wire/errors";
import { memoryChannels } from "../rpc/memory-channel";
import type { Channel } from "../rpc/channel";
import { isObject, objectOr } from "../rpc/json";
import { RpcCode, RpcError } from "../rpc/message";
import { ConnectionClosed } from "../rpc/peer";
import { StatelessAdapter } from "./stateless-adapter";
import {
  Link,
  readConnectionId,
  readMessage,
  type LinkPrefix,
  type McpMessage,
  type Neighbour,
  type OnWarning,
} from "./acp-link";
import { McpCode } from "./revision";
import { ChannelTransport } from "./transport";
import { AGENT_METHODS, MCP_OVER_ACP } from "../acp/methods";

/** Connects a server of `@modelcontextprotocol/sdk` to a transport of the same package. Called once per client. */
export type ConnectMcp = (transport: ChannelTransport) => Promise<void>;

/** Sets both `serverId` and `id`, because the generations name the same value differently. */
export interface McpDeclaration {
  readonly type: "acp";
  readonly name: string;
  readonly serverId: string;
  readonly id: string;
}

export class OfferedMcpServer implements AsyncDisposable {
  readonly declaration: McpDeclaration;
  readonly #connect: ConnectMcp;
  readonly #agent: Neighbour;
  readonly #onWarning: OnWarning;
  readonly #links = new Map<string, Link>();
  readonly #shared: StatelessAdapter;
  /** Open inner ids of requests without a connection. An id must not be reused while it is open. */
  readonly #open = new Set<string>();

  constructor(name: string, connect: ConnectMcp, agent: Neighbour, onWarning: OnWarning = () => undefined) {
    const id = randomUUID();
    this.declaration = { type: "acp", name, serverId: id, id };
    this.#connect = connect;
    this.#agent = agent;
    this.#onWarning = onWarning;
    this.#shared = new StatelessAdapter(() => this.#session(), onWarning);
  }

  /** Handles a request from the agent's side. Returns undefined if the request is not for this server. */
  request(method: string, params: unknown, signal: AbortSignal): Promise<unknown> | undefined {
    switch (method) {
      case MCP_OVER_ACP.mcp.connect:
      case MCP_OVER_ACP._mcp.connect:
        return this.#isThisServer(params)
          ? this.#openLink(method === MCP_OVER_ACP.mcp.connect ? "mcp" : "_mcp")
          : undefined;
      case MCP_OVER_ACP.mcp.disconnect:
      case MCP_OVER_ACP._mcp.disconnect:
        return this.#closeLink(params) ? Promise.resolve({}) : undefined;
      case AGENT_METHODS.mcp_message:
      case MCP_OVER_ACP._mcp.message: {
        const message = readMessage(params);
        if (message?.kind === "linked")
          return this.#links.get(message.connectionId)?.request(message.method, message.params, signal);
        return message?.serverId === this.declaration.serverId ? this.#forward(message, signal) : undefined;
      }
      default:
        return undefined;
    }
  }

  /** Returns false if the notification is not for this server. */
  notification(method: string, params: unknown): boolean {
    if (method === MCP_OVER_ACP.mcp.disconnect || method === MCP_OVER_ACP._mcp.disconnect)
      return this.#closeLink(params);
    if (method !== AGENT_METHODS.mcp_message && method !== MCP_OVER_ACP._mcp.message) return false;
    const message = readMessage(params);
    const link = message?.kind === "linked" ? this.#links.get(message.connectionId) : undefined;
    if (!message || !link) return false;
    link.notification(message.method, message.params);
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const links = [...this.#links.values()];
    this.#links.clear();
    await Promise.all([this.#shared, ...links].map(each => each[Symbol.asyncDispose]()));
  }

  #isThisServer(params: unknown): boolean {
    const { acpId, serverId, acp_url } = objectOr(params),
      { id } = this.declaration;
    return acpId === id || serverId === id || acp_url === `acp:${id}`;
  }

  /** Creates a separate server instance for each session. */
  async #session(): Promise<Channel> {
    const [near, far] = memoryChannels();
    await this.#connect(new ChannelTransport(far));
    return near;
  }

  async #openLink(prefix: LinkPrefix): Promise<unknown> {
    const id = randomUUID();
    const link = new Link(id, prefix, this.#agent, await this.#session(), {
      ended: () => this.#links.delete(id),
      onWarning: this.#onWarning,
    });
    this.#links.set(id, link);
    return prefix === "mcp" ? { connectionId: id } : { connection_id: id };
  }

  #closeLink(params: unknown): boolean {
    const id = readConnectionId(params),
      link = id === undefined ? undefined : this.#links.get(id);
    if (!link) return false;
    this.#links.delete(link.id);
    void link[Symbol.asyncDispose]();
    return true;
  }

  /** The outer result contains the inner response. If the server cannot respond, the outer request fails. */
  async #forward(
    { serverId, requestId, method, params }: McpMessage & { kind: "stateless" },
    signal: AbortSignal,
  ): Promise<unknown> {
    if (this.#open.has(requestId))
      throw new RpcError(RpcCode.invalidParams, "A request with this id is open.", { serverId, requestId });
    this.#open.add(requestId);
    try {
      const notification = (inner: string, notificationParams: unknown): void => {
        if (this.#open.has(requestId))
          this.#agent.notify(AGENT_METHODS.mcp_message, {
            serverId,
            requestId,
            method: inner,
            ...(isObject(notificationParams) ? { params: notificationParams } : {}),
          });
      };
      return { result: await this.#shared.request(method, objectOr(params), { signal, notification, requestId }) };
    } catch (error) {
      if (signal.aborted) throw new RpcError(RpcCode.requestCancelled, "The request was cancelled.");
      if (error instanceof RpcError && !(error instanceof ConnectionClosed)) return { error: error.toJSON() };
      throw new RpcError(
        McpCode.backend,
        `The MCP server “${this.declaration.name}” could not answer: ${errorMessage(error)}`,
      );
    } finally {
      this.#open.delete(requestId);
    }
  }
}
