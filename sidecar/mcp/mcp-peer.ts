/**
 * One end of an MCP connection: a JSON-RPC peer that cancels requests with `notifications/cancelled`.
 *
 * Invariants:
 * - An outgoing request rejects as soon as it is cancelled, because an MCP peer may omit the response.
 * - An incoming request is answered even after its cancellation, so that its transport can release it.
 */
import type { Channel, Closed } from "../rpc/channel";
import { isObject } from "../rpc/json";
import { RpcCode, RpcError, type Id } from "../rpc/message";
import { Peer, type IncomingRequest } from "../rpc/peer";
import { isId } from "./transport";
import { MCP_METHODS } from "./methods";

export interface McpHandlers {
  /** The return value is the result. A thrown error becomes an error response. */
  request(method: string, params: unknown, signal: AbortSignal): unknown;
  notification(method: string, params: unknown): void;
  closed(reason: Closed): void;
  onWarning(what: string, detail: unknown): void;
}

export class McpPeer implements AsyncDisposable {
  readonly #peer: Peer;
  readonly #handlers: McpHandlers;
  readonly #open = new Map<Id, AbortController>();

  constructor(channel: Channel, handlers: McpHandlers) {
    this.#handlers = handlers;
    this.#peer = new Peer(channel, {
      request: request => void this.#receiveRequest(request),
      notification: (method, params) => this.#receiveNotification(method, params),
      closed: reason => {
        for (const aborting of this.#open.values()) aborting.abort();
        handlers.closed(reason);
      },
      onWarning: handlers.onWarning,
    });
  }

  /** Rejects with `RpcError`. Rejects with `requestCancelled` as soon as `signal` aborts. */
  request(method: string, params: unknown, signal?: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const cancelled = () => reject(new RpcError(RpcCode.requestCancelled, "The request was cancelled."));
      if (signal?.aborted) return cancelled();
      const pending = this.#peer.call(method, params, outcome => {
        signal?.removeEventListener("abort", cancel);
        if (outcome.ok) resolve(outcome.result);
        else reject(outcome.error);
      });
      const cancel = () => {
        this.notify(MCP_METHODS.notifications_cancelled, { requestId: pending.id });
        cancelled();
      };
      signal?.addEventListener("abort", cancel, { once: true });
    });
  }

  notify(method: string, params: unknown): void {
    this.#peer.notify(method, params);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#peer[Symbol.asyncDispose]();
  }

  async #receiveRequest(request: IncomingRequest): Promise<void> {
    const aborting = new AbortController();
    this.#open.set(request.id, aborting);
    try {
      request.respond(await this.#handlers.request(request.method, request.params, aborting.signal));
    } catch (error) {
      request.fail(error);
    } finally {
      this.#open.delete(request.id);
    }
  }

  #receiveNotification(method: string, params: unknown): void {
    if (method !== MCP_METHODS.notifications_cancelled) return this.#handlers.notification(method, params);
    const id = isObject(params) ? params.requestId : undefined;
    if (isId(id)) this.#open.get(id)?.abort();
  }
}
