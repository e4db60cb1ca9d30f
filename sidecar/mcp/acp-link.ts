/**
 * MCP connection over ACP as `mcp/message {connectionId, method, params}`, in both directions. This is the generation
 * with connections: the RFD and the Rust SDK of August 2026, and sacp with the prefix `_mcp/`. Both ends use the same
 * class, which joins a channel of MCP messages and the ACP connection.
 *
 * Inner ids are not transmitted: each end creates its own ids. A cancelled inner request becomes `$/cancel_request` for
 * the outer request, and `notifications/cancelled` is not forwarded. The inner result or error is the outer result or
 * error.
 */
import { MCP_OVER_ACP } from "../acp/methods";
import type { Channel, Closed } from "../rpc/channel";
import { isObject } from "../rpc/json";
import { McpPeer } from "./mcp-peer";

/** Peer at the other end of the ACP connection. */
export interface Neighbour {
  /** Rejects with `RpcError`. Aborting `signal` cancels the request; the response is still awaited. */
  request(method: string, params: unknown, options?: { readonly signal?: AbortSignal }): Promise<unknown>;
  notify(method: string, params: unknown): void;
}

export type OnWarning = (what: string, detail: unknown) => void;

/** Method prefix: `mcp/…`, or sacp's `_mcp/…`. */
export type LinkPrefix = keyof typeof MCP_OVER_ACP;

export class Link implements AsyncDisposable {
  readonly #mcp: McpPeer;

  constructor(
    readonly id: string,
    readonly prefix: LinkPrefix,
    neighbour: Neighbour,
    channel: Channel,
    on: { ended(reason: Closed): void; onWarning: OnWarning },
  ) {
    const message = (method: string, params: unknown) => ({
      connectionId: id,
      method,
      ...(params === undefined ? {} : { params }),
    });
    this.#mcp = new McpPeer(channel, {
      request: (method, params, signal) =>
        neighbour.request(MCP_OVER_ACP[prefix].message, message(method, params), { signal }),
      notification: (method, params) => neighbour.notify(MCP_OVER_ACP[prefix].message, message(method, params)),
      closed: on.ended,
      onWarning: on.onWarning,
    });
  }

  /** Forwards a request from ACP to the MCP side. */
  request(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    return this.#mcp.request(method, params, signal);
  }
  notification(method: string, params: unknown): void {
    this.#mcp.notify(method, params);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#mcp[Symbol.asyncDispose]();
  }
}

/** Params of `mcp/message`, of either generation. `readMessage` returns undefined for other values. */
export type McpMessage =
  | { readonly kind: "linked"; readonly connectionId: string; readonly method: string; readonly params: unknown }
  | {
      readonly kind: "stateless";
      readonly serverId: string;
      readonly requestId: string;
      readonly method: string;
      readonly params: unknown;
    };

export function readMessage(value: unknown): McpMessage | undefined {
  if (!isObject(value) || typeof value.method !== "string") return undefined;
  const { method, connectionId, connection_id = connectionId, serverId, requestId } = value;
  const params = value.params ?? undefined;
  if (typeof connection_id === "string") return { kind: "linked", connectionId: connection_id, method, params };
  if (typeof serverId === "string" && typeof requestId === "string")
    return { kind: "stateless", serverId, requestId, method, params };
  return undefined;
}

/** Id of the connection that `connect` opened or `disconnect` closes. sacp uses snake case. */
export function readConnectionId(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const id = value.connectionId ?? value.connection_id;
  return typeof id === "string" ? id : undefined;
}
