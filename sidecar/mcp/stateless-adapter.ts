/**
 * Adapts an MCP server with sessions to the stateless revision. The first request opens one session, which all requests
 * share. `server/discover` returns the result of `initialize`. `subscriptions/listen` forwards the server's
 * notifications.
 *
 * Invariants:
 * - Progress reaches the request it belongs to, even if two requests use the same token.
 * - After a session has ended, the next request opens a new session.
 *
 * Not forwarded: requests of the server to its client, and log messages. The adapter declares no client capabilities.
 */
import type { Channel } from "../rpc/channel";
import { arrayOr, isObject, objectOr, type JsonObject } from "../rpc/json";
import { methodNotFound } from "../rpc/peer";
import { RpcCode, RpcError } from "../rpc/message";
import type { OnWarning } from "./acp-link";
import { McpPeer } from "./mcp-peer";
import {
  assertStatelessMeta,
  Meta,
  NEWEST_CLASSIC,
  STATELESS_REVISION,
  metaOf,
  withoutMeta,
  type StatelessOptions,
  type StatelessServer,
} from "./revision";
import { MCP_METHODS, STATELESS_METHODS } from "./methods";

/** Methods that exist only in sessions, or that the stateless revision replaced. */
const SESSION_METHODS = /^(initialize|ping|logging\/setLevel|resources\/(un)?subscribe|notifications\/.*)$/;
/** Methods whose results have a cache lifetime. The adapter allows no caching. */
const CACHEABLE_METHODS = /^(server\/discover|(tools|prompts|resources|resources\/templates)\/list|resources\/read)$/;

interface Session {
  readonly server: McpPeer;
  readonly initialized: JsonObject;
  readonly ended: AbortSignal;
}
interface Listener {
  readonly filter: JsonObject;
  readonly notify: (method: string, params: unknown) => void;
}

export class StatelessAdapter implements StatelessServer, AsyncDisposable {
  #session: Promise<Session> | undefined;
  readonly #progress = new Map<number, (params: JsonObject) => void>();
  #lastToken = 0;
  readonly #listeners = new Set<Listener>();

  constructor(
    private readonly connect: () => Promise<Channel>,
    private readonly onWarning: OnWarning,
  ) {}

  async request(method: string, params: JsonObject, options: StatelessOptions): Promise<unknown> {
    assertStatelessMeta(params);
    if (SESSION_METHODS.test(method)) throw methodNotFound(method);
    const session = await (this.#session ??= this.#open());
    if (method === STATELESS_METHODS.subscriptions_listen) return this.#listen(session, params, options);
    const result =
      method === STATELESS_METHODS.server_discover
        ? discovered(session.initialized)
        : await this.#forward(session.server, method, params, options);
    return {
      resultType: "complete",
      ...(CACHEABLE_METHODS.test(method) ? { ttlMs: 0, cacheScope: "private" } : {}),
      ...objectOr(result),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.then(
      ({ server }) => server[Symbol.asyncDispose](),
      () => undefined,
    );
  }

  async #open(): Promise<Session> {
    const ending = new AbortController();
    try {
      const server = new McpPeer(await this.connect(), {
        request: method => {
          if (method === MCP_METHODS.ping) return {};
          throw methodNotFound(method);
        },
        notification: (method, params) => this.#receiveNotification(method, objectOr(params)),
        closed: () => {
          ending.abort();
          if (opened === this.#session) this.#session = undefined;
        },
        onWarning: this.onWarning,
      });
      const opened = this.#session;
      const initialized = await server.request(MCP_METHODS.initialize, {
        protocolVersion: NEWEST_CLASSIC,
        capabilities: {},
        clientInfo: { name: "symposium", version: "1" },
      });
      server.notify(MCP_METHODS.notifications_initialized, undefined);
      return { server, initialized: objectOr(initialized), ended: ending.signal };
    } catch (error) {
      this.#session = undefined;
      throw error;
    }
  }

  async #forward(
    server: McpPeer,
    method: string,
    params: JsonObject,
    { signal, notification }: StatelessOptions,
  ): Promise<unknown> {
    const plain = withoutMeta(params),
      { progressToken } = metaOf(plain);
    if (progressToken === undefined) return server.request(method, plain, signal);
    const token = ++this.#lastToken;
    this.#progress.set(token, notificationParams =>
      notification(MCP_METHODS.notifications_progress, { ...notificationParams, progressToken }),
    );
    try {
      return await server.request(method, { ...plain, _meta: { ...metaOf(plain), progressToken: token } }, signal);
    } finally {
      this.#progress.delete(token);
    }
  }

  /** Handles a subscription until it is cancelled or the session ends. */
  async #listen(
    { server, initialized, ended }: Session,
    params: JsonObject,
    { signal, notification, requestId }: StatelessOptions,
  ): Promise<unknown> {
    const _meta = requestId === undefined ? {} : { [Meta.subscription]: requestId };
    const filter = supportedFilter(objectOr(params.notifications), objectOr(initialized.capabilities));
    const uris = arrayOr(filter.resourceSubscriptions);
    for (const uri of uris) await server.request(MCP_METHODS.resources_subscribe, { uri }, signal);
    const listener: Listener = {
      filter,
      notify: (method, notificationParams) =>
        notification(method, { ...objectOr(notificationParams), _meta: { ...metaOf(notificationParams), ..._meta } }),
    };
    this.#listeners.add(listener);
    notification(STATELESS_METHODS.notifications_subscriptions_acknowledged, { _meta, notifications: filter });
    try {
      return await untilCancelled(AbortSignal.any([signal, ended]));
    } finally {
      this.#listeners.delete(listener);
      const watched = [...this.#listeners].flatMap(each => arrayOr(each.filter.resourceSubscriptions));
      for (const uri of uris)
        if (!watched.includes(uri))
          server
            .request(MCP_METHODS.resources_unsubscribe, { uri })
            .catch((error: unknown) => this.onWarning("an MCP subscription was not ended", error));
    }
  }

  #receiveNotification(method: string, params: JsonObject): void {
    if (method === MCP_METHODS.notifications_progress) {
      if (typeof params.progressToken === "number") this.#progress.get(params.progressToken)?.(params);
      return;
    }
    for (const { filter, notify } of this.#listeners) if (matchesFilter(filter, method, params)) notify(method, params);
  }
}

function discovered({ capabilities, serverInfo, instructions }: JsonObject): JsonObject {
  const { logging: _, ...offered } = objectOr(capabilities);
  return {
    supportedVersions: [STATELESS_REVISION],
    capabilities: offered,
    ...(instructions === undefined ? {} : { instructions }),
    ...(isObject(serverInfo) ? { _meta: { [Meta.server]: serverInfo } } : {}),
  };
}

/** Restricts a filter to the server's capabilities. */
function supportedFilter(requested: JsonObject, capabilities: JsonObject): JsonObject {
  const lists = (["tools", "prompts", "resources"] as const).filter(
    kind => requested[`${kind}ListChanged`] === true && objectOr(capabilities[kind]).listChanged === true,
  );
  const uris =
    objectOr(capabilities.resources).subscribe === true
      ? arrayOr(requested.resourceSubscriptions).filter(uri => typeof uri === "string")
      : [];
  return {
    ...Object.fromEntries(lists.map(kind => [`${kind}ListChanged`, true])),
    ...(uris.length === 0 ? {} : { resourceSubscriptions: uris }),
  };
}

function matchesFilter(filter: JsonObject, method: string, params: JsonObject): boolean {
  const list = /^notifications\/(tools|prompts|resources)\/list_changed$/.exec(method)?.[1];
  if (list !== undefined) return filter[`${list}ListChanged`] === true;
  return (
    method === MCP_METHODS.notifications_resources_updated && arrayOr(filter.resourceSubscriptions).includes(params.uri)
  );
}

function untilCancelled(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const cancelled = () => reject(new RpcError(RpcCode.requestCancelled, "The subscription has ended."));
    if (signal.aborted) cancelled();
    else signal.addEventListener("abort", cancelled, { once: true });
  });
}
