/**
 * A server of the connection-less generation (November 2026), asked over ACP: `mcp/message {serverId, requestId,
 * method, params}` as a request to its owner, whose answer carries exactly one of `{result}` and `{error}`; what
 * belongs to a request comes back as `mcp/message` notifications.
 *
 * Invariants: a notification is delivered only while its request is open; when the owner has reached its limit of open
 * requests and some of ours are among them, the refused one is tried again as soon as one of those has ended.
 */
import { randomUUID } from "node:crypto";
import { isObject, numberOr, stringOr, type JsonObject } from "../rpc/json";
import { RpcCode, RpcError } from "../rpc/message";
import type { McpMessage, Neighbour } from "./link";
import { McpCode, type StatelessOptions, type StatelessServer } from "./revision";

const SUBSCRIBE = "subscriptions/listen";

export class CarriedServer implements StatelessServer {
  readonly #open = new Map<string, StatelessOptions["notification"]>();
  /** Requests that will end: subscriptions, which may not, are not waited for. */
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
        await this.#oneEnds(options.signal);
      }
    }
  }

  /** False when it is for no request that is open here. */
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
    const counts = method === SUBSCRIBE ? 0 : 1;
    this.#open.set(requestId, notification);
    this.#ending += counts;
    try {
      return outcome(await this.#carry({ serverId: this.serverId, requestId, method, params }, signal));
    } finally {
      this.#open.delete(requestId);
      this.#ending -= counts;
      if (counts === 1) this.#waiting.shift()?.();
    }
  }

  /** An outer "method not found" is not about the inner method: nobody serves this server. */
  async #carry(message: unknown, signal: AbortSignal): Promise<unknown> {
    try {
      return await this.owner.request("mcp/message", message, { signal });
    } catch (error) {
      if (!(error instanceof RpcError) || error.code !== RpcCode.methodNotFound) throw error;
      throw new RpcError(McpCode.unavailable, "Nobody serves this MCP server: mcp/message is not known.", undefined, {
        cause: error,
      });
    }
  }

  #oneEnds(signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const go = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        this.#waiting = this.#waiting.filter(each => each !== go);
        resolve();
      };
      this.#waiting.push(go);
      signal.addEventListener("abort", leave, { once: true });
    });
  }
}

/** `result` wins where both are there, as the schema says. Throws the inner error. */
function outcome(carrier: unknown): unknown {
  if (isObject(carrier) && Object.hasOwn(carrier, "result")) return carrier.result;
  if (isObject(carrier) && isObject(carrier.error)) {
    const { code, message, data } = carrier.error;
    throw new RpcError(
      numberOr(code, RpcCode.internalError),
      stringOr(message, "The MCP server answered with an error."),
      data,
    );
  }
  throw new RpcError(McpCode.backend, "The answer to mcp/message has neither a result nor an error.");
}
