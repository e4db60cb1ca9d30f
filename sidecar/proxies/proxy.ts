/**
 * The interface of a proxy, which declares the messages that it intercepts. All other messages are forwarded as the
 * received bytes.
 *
 * Order: each direction is a queue. While an interceptor holds a message, later messages wait until it forwards,
 * answers, drops or releases the message. The response to a forwarded request holds its position in the same way.
 *
 * A request that the proxy itself sends releases the hold in the direction of its response, so that a proxy cannot
 * deadlock with itself. The message held in that direction loses its position. The proxy's own messages, and messages
 * for the proxy (responses to its requests, messages of its own sessions and MCP servers), bypass all holds.
 *
 * Messages are immutable: do not modify params and results in place.
 */
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";

export interface Proxy {
  /** Messages from the client to the successor. */
  readonly fromClient?: Interceptors;
  /** Messages from the successor to the client. */
  readonly fromSuccessor?: Interceptors;
  /** Called when the chain has ended. Messages that are sent later are dropped. */
  close?(): void | Promise<void>;
}

/**
 * Interceptors by method, including methods that only this proxy supports. To implement an extension method, return the
 * result without `pass`.
 */
export interface Interceptors {
  readonly requests?: Readonly<Record<string, RequestInterceptor>>;
  readonly notifications?: Readonly<Record<string, NotificationInterceptor>>;
}

/**
 * The return value is the result. A thrown `RpcError` is sent unchanged. Any other error becomes an internal error that
 * names the proxy.
 */
export type RequestInterceptor = (request: InterceptedRequest) => unknown;

export interface InterceptedRequest {
  readonly method: string;
  readonly params: unknown;
  /**
   * Aborted when the sender cancels or disconnects. A forwarded request is then cancelled automatically. A request that
   * was not forwarded can no longer be forwarded.
   */
  readonly signal: AbortSignal;
  /**
   * Forwards the request, with `params` if given, otherwise as the received bytes. Resolves with the result or rejects
   * with an `RpcError`. Must not be called twice. An interceptor that returns or throws exactly this outcome sends the
   * received bytes.
   */
  pass(params?: unknown): Promise<unknown>;
  /** Releases later messages during a slow request. The response to a forwarded request holds its position again. */
  release(): void;
}

/** A notification that is not forwarded before the interceptor settles is dropped. Errors are logged. */
export type NotificationInterceptor = (notification: InterceptedNotification) => void | Promise<void>;

export interface InterceptedNotification {
  readonly method: string;
  readonly params: unknown;
  /** Forwards the notification, with `params` if given. */
  pass(params?: unknown): void;
}

/** The client or the successor of the proxy, as a peer. */
export interface Neighbour {
  /**
   * Rejects with `RpcError`, also when the chain ends. Aborting `signal` cancels the request; the response is still
   * awaited.
   */
  request(method: string, params: unknown, options?: { readonly signal?: AbortSignal }): Promise<unknown>;
  notify(method: string, params: unknown): void;
}

export interface Chain {
  readonly client: Neighbour;
  readonly successor: Neighbour;
  /** Offers an MCP server over ACP to the agent at the end of the chain. */
  offerMcp(name: string, connect: ConnectMcp): McpOffer;
  /**
   * Opens a session at the successor, invisible to the client, with the params of `session/new`. Its updates and
   * requests are delivered to `listener`. Messages of unknown sessions are buffered until the response, with all later
   * messages.
   */
  openSession(params: unknown, listener: OwnSessionListener): Promise<OwnSession>;
  /** For the log. */
  readonly onWarning: (what: string, detail: unknown) => void;
}

/**
 * Connects a server of `@modelcontextprotocol/sdk` to a transport of the same package: `transport =>
 * makeServer().connect(transport)`. Called once for each client.
 */
export type ConnectMcp = (transport: Transport) => Promise<void>;

export interface McpOffer extends AsyncDisposable {
  /** An entry for `mcpServers` of `session/new`, `load`, `resume` and `fork`. */
  readonly declaration: { readonly type: "acp"; readonly name: string; readonly serverId: string; readonly id: string };
}

/** Both methods are called in message order, possibly before `openSession` resolves. */
export interface OwnSessionListener {
  /** The `update` member of `session/update`. */
  update(update: unknown): void;
  /** A request of the agent in this session (`session/request_permission`, `fs/…`). The return value is the result. */
  request(method: string, params: unknown, signal: AbortSignal): unknown;
}

/** Disposing cancels the prompts and closes the session. Later messages of the session are dropped. */
export interface OwnSession extends AsyncDisposable {
  readonly sessionId: string;
  /** The raw result of `session/new`. */
  readonly opened: unknown;
  /**
   * Resolves with the raw result of `session/prompt`. Aborting `signal` sends `session/cancel`; the response is still
   * awaited.
   */
  prompt(prompt: readonly unknown[], options?: { readonly signal?: AbortSignal }): Promise<unknown>;
}

export interface ProxyDefinition {
  /** The display name, used in errors, notices and traces. */
  readonly name: string;
  /** Called once for each chain, before any message arrives. */
  create(chain: Chain): Proxy;
}
