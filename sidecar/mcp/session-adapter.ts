/**
 * Adapts a server of the stateless revision to an MCP session with `initialize`:
 * - `initialize` becomes `server/discover`.
 * - A result that requires input becomes requests to the client. The original request is then repeated with the
 *   responses.
 * - Subscriptions and list-changed notifications share one `subscriptions/listen`.
 * - The log level is sent with each request.
 */
import type { Channel } from "../rpc/channel";
import { isObject, objectOr, stringOr, type JsonObject } from "../rpc/json";
import { methodNotFound } from "../rpc/peer";
import { RpcCode, RpcError } from "../rpc/message";
import type { OnWarning } from "./acp-link";
import { McpPeer } from "./mcp-peer";
import {
  CLASSIC_REVISIONS,
  Meta,
  NEWEST_CLASSIC,
  STATELESS_REVISION,
  metaOf,
  withMeta,
  type StatelessServer,
} from "./revision";
import { MCP_METHODS, STATELESS_METHODS } from "./methods";

/** Maximum number of times a server can request input for one request. */
const ROUNDS = 100;

/** Serves the client at the other end of `channel` until the channel closes. */
export function serveSession(server: StatelessServer, channel: Channel, onWarning: OnWarning): AsyncDisposable {
  return new SessionAdapter(server, channel, onWarning);
}

class SessionAdapter implements AsyncDisposable {
  readonly #client: McpPeer;
  #meta: JsonObject = { [Meta.version]: STATELESS_REVISION, [Meta.capabilities]: {} };
  #capabilities: JsonObject = {};
  readonly #watched = new Set<string>();
  #listening: AbortController | undefined;

  constructor(
    private readonly server: StatelessServer,
    channel: Channel,
    private readonly onWarning: OnWarning,
  ) {
    this.#client = new McpPeer(channel, {
      request: (method, params, signal) => this.#receiveRequest(method, params, signal),
      notification: method => {
        if (method === MCP_METHODS.notifications_initialized) this.#listen();
      }, // the stateless revision has no other client notification
      closed: () => this.#listening?.abort(),
      onWarning,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client[Symbol.asyncDispose]();
  }

  #receiveRequest(method: string, params: unknown, signal: AbortSignal): unknown {
    switch (method) {
      case MCP_METHODS.initialize:
        return this.#initialize(objectOr(params), signal);
      case MCP_METHODS.ping:
        return {};
      case MCP_METHODS.logging_set_level:
        this.#meta = { ...this.#meta, [Meta.logLevel]: objectOr(params).level };
        return {};
      case MCP_METHODS.resources_subscribe:
        return this.#watch(objectOr(params).uri, uri => this.#watched.add(uri));
      case MCP_METHODS.resources_unsubscribe:
        return this.#watch(objectOr(params).uri, uri => this.#watched.delete(uri));
      default:
        return this.#forward(method, params, signal);
    }
  }

  async #initialize({ protocolVersion, capabilities, clientInfo }: JsonObject, signal: AbortSignal): Promise<unknown> {
    this.#meta = {
      ...this.#meta,
      [Meta.capabilities]: objectOr(capabilities),
      ...(isObject(clientInfo) ? { [Meta.client]: clientInfo } : {}),
    };
    const discovered = await this.#discover(signal);
    this.#capabilities = objectOr(discovered.capabilities);
    const { instructions } = discovered,
      serverInfo = metaOf(discovered)[Meta.server] ?? discovered.serverInfo;
    return {
      protocolVersion: CLASSIC_REVISIONS.find(each => each === protocolVersion) ?? NEWEST_CLASSIC,
      capabilities: this.#capabilities,
      serverInfo: isObject(serverInfo) ? serverInfo : { name: "unnamed", version: "0" },
      ...(typeof instructions === "string" ? { instructions } : {}),
    };
  }

  /** `server/discover` is mandatory, but a server that offers only tools may not support it. */
  async #discover(signal: AbortSignal): Promise<JsonObject> {
    try {
      return objectOr(await this.#send(STATELESS_METHODS.server_discover, {}, signal));
    } catch (error) {
      if (!(error instanceof RpcError) || error.code !== RpcCode.methodNotFound) throw error;
      this.onWarning("an MCP server without server/discover", error.message);
      return { capabilities: { tools: {} } };
    }
  }

  async #forward(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    // not available in a session
    if (method.startsWith("server/") || method.startsWith("subscriptions/")) throw methodNotFound(method);
    let extra: JsonObject = {};
    for (let round = 0; round < ROUNDS; round++) {
      const result = await this.#send(method, { ...objectOr(params), ...extra }, signal);
      if (!isObject(result) || result.resultType !== "input_required") return result;
      extra = await this.#input(result, signal);
    }
    throw new RpcError(RpcCode.internalError, `The MCP server asked for input ${ROUNDS} times and did not answer.`);
  }

  /** Sends all input requests in parallel, as the server issued them together. */
  async #input({ inputRequests, requestState }: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const answers = await Promise.all(
      Object.entries(objectOr(inputRequests)).map(async ([key, request]) => {
        const { method, params } = objectOr(request);
        return [key, await this.#client.request(stringOr(method, ""), params, signal)] as const;
      }),
    );
    return {
      ...(answers.length === 0 ? {} : { inputResponses: Object.fromEntries(answers) }),
      ...(requestState === undefined ? {} : { requestState }),
    };
  }

  #send(method: string, params: JsonObject, signal: AbortSignal): Promise<unknown> {
    return this.server.request(method, withMeta(params, this.#meta), {
      signal,
      notification: (name, notificationParams) => this.#client.notify(name, notificationParams),
    });
  }

  #watch(uri: unknown, change: (uri: string) => void): JsonObject {
    if (typeof uri !== "string") throw new RpcError(RpcCode.invalidParams, "uri must be a string.");
    change(uri);
    this.#listen();
    return {};
  }

  /** Uses one subscription for all notifications and replaces it when its filter changes. */
  #listen(): void {
    this.#listening?.abort();
    this.#listening = undefined;
    const announces = (kind: string): boolean => objectOr(this.#capabilities[kind]).listChanged === true;
    const notifications = {
      ...(announces("tools") ? { toolsListChanged: true } : {}),
      ...(announces("prompts") ? { promptsListChanged: true } : {}),
      ...(announces("resources") ? { resourcesListChanged: true } : {}),
      ...(this.#watched.size > 0 ? { resourceSubscriptions: [...this.#watched] } : {}),
    };
    if (Object.keys(notifications).length === 0) return;
    const listening = (this.#listening = new AbortController());
    const onNotification = (method: string, params: unknown): void => {
      if (method !== STATELESS_METHODS.notifications_subscriptions_acknowledged)
        this.#client.notify(method, unsubscribed(params));
    };
    this.server
      .request(STATELESS_METHODS.subscriptions_listen, withMeta({ notifications }, this.#meta), {
        signal: listening.signal,
        notification: onNotification,
      })
      .catch((error: unknown) => {
        if (!listening.signal.aborted) this.onWarning("an MCP server ended a subscription", error);
      });
  }
}

/** Removes the subscription id, which clients with sessions do not support. */
function unsubscribed(params: unknown): unknown {
  if (!isObject(params) || !isObject(params._meta)) return params;
  const { [Meta.subscription]: _, ...meta } = params._meta;
  return { ...params, _meta: meta };
}
