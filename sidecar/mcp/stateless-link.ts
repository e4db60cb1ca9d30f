/**
 * Server of the generation without connections (November 2026), reached over ACP. A request to its owner is
 * `mcp/message {serverId, requestId, method, params}`. The response has either `result` or `error`. Notifications of a
 * request arrive as `mcp/message` notifications.
 *
 * Invariants:
 * - A notification is delivered only while its request is open.
 * - If the owner has reached its limit of open requests, a rejected request is retried when another request of this
 *   client has ended. Without another open request, the rejected request fails.
 */
import { randomUUID } from "node:crypto";
import { isObject, numberOr, stringOr, type JsonObject } from "../rpc/json";
import { RpcCode, RpcError } from "../rpc/message";
import type { McpMessage, Neighbour } from "./acp-link";
import { McpCode, type StatelessOptions, type StatelessServer } from "./revision";
import { AGENT_METHODS } from "../acp/methods";
import { STATELESS_METHODS } from "./methods";

export class StatelessLink implements StatelessServer {
  readonly #open = new Map<string, StatelessOptions["notification"]>();
  /** Number of open requests that will end. Subscriptions are not counted, because they may stay open. */
  #ending = 0;
  #waiting: (() => void)[] = [];

  constructor(
    private readonly serverId: string,
    private readonly owner: Neighbour,
  ) {}

  async request(method: string, params: JsonObject, options: StatelessOptions): Promise<unknown> {
    for (;;) {
      try {
        return await this.#send(method, params, options);
      } catch (error) {
        if (
          !(error instanceof RpcError) ||
          error.code !== McpCode.limit ||
          this.#ending === 0 ||
          options.signal.aborted
        )
          throw error;
        await this.#waitForEnd(options.signal);
      }
    }
  }

  /** Returns false if no open request matches. */
  notification({ requestId, method, params }: McpMessage & { kind: "stateless" }): boolean {
    const listener = this.#open.get(requestId);
    listener?.(method, params);
    return listener !== undefined;
  }

  async #send(
    method: string,
    params: JsonObject,
    { signal, notification, requestId = randomUUID() }: StatelessOptions,
  ): Promise<unknown> {
    const counts = method === STATELESS_METHODS.subscriptions_listen ? 0 : 1;
    this.#open.set(requestId, notification);
    this.#ending += counts;
    try {
      return outcome(await this.#forward({ serverId: this.serverId, requestId, method, params }, signal));
    } finally {
      this.#open.delete(requestId);
      this.#ending -= counts;
      if (counts === 1) this.#waiting.shift()?.();
    }
  }

  /** An outer "method not found" does not refer to the inner method: it means that no component serves this server. */
  async #forward(message: unknown, signal: AbortSignal): Promise<unknown> {
    try {
      return await this.owner.request(AGENT_METHODS.mcp_message, message, { signal });
    } catch (error) {
      if (!(error instanceof RpcError) || error.code !== RpcCode.methodNotFound) throw error;
      throw new RpcError(McpCode.unavailable, "No program serves this MCP server: mcp/message is unknown.", undefined, {
        cause: error,
      });
    }
  }

  #waitForEnd(signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const retry = () => {
        signal.removeEventListener("abort", cancel);
        resolve();
      };
      const cancel = () => {
        this.#waiting = this.#waiting.filter(each => each !== retry);
        resolve();
      };
      this.#waiting.push(retry);
      signal.addEventListener("abort", cancel, { once: true });
    });
  }
}

/** `result` wins if both members are present, as the schema requires. Throws the inner error. */
function outcome(response: unknown): unknown {
  if (isObject(response) && Object.hasOwn(response, "result")) return response.result;
  if (isObject(response) && isObject(response.error)) {
    const { code, message, data } = response.error;
    throw new RpcError(
      numberOr(code, RpcCode.internalError),
      stringOr(message, "The MCP server returned an error."),
      data,
    );
  }
  throw new RpcError(McpCode.backend, "The response to mcp/message has neither a result nor an error.");
}
