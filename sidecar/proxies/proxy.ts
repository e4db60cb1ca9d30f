/**
 * The interface of a proxy: it declares the messages that it intercepts. All others pass unchanged, as the bytes that
 * arrived.
 *
 * Order: each direction is a queue. While an interceptor holds a message, later messages wait until it passes the
 * message on, answers, drops or releases it. The answer to a passed request holds its position in the same way.
 *
 * A request that the proxy itself sends releases the hold in the direction of its answer, so that a proxy cannot
 * deadlock with itself. The message held there loses its position. The proxy's own messages are sent at once, past any
 * hold. Messages for the proxy (answers to its requests, messages of its own sessions and MCP servers) are delivered at
 * once.
 *
 * Messages are immutable: do not modify params and answers in place; pass on or return new objects.
 */
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";

export interface Proxy {
  /** Messages from the client to the successor. */
  readonly fromClient?: Interceptors;
  /** Messages from the successor to the client. */
  readonly fromSuccessor?: Interceptors;
  /** Called when the chain has ended; nothing can be sent any more. */
  close?(): void | Promise<void>;
}

/**
 * Interceptors by method, including methods that only this proxy supports. To answer an extension method, do not pass
 * it on.
 */
export interface Interceptors {
  readonly requests?: Readonly<Record<string, RequestInterceptor>>;
  readonly notifications?: Readonly<Record<string, NotificationInterceptor>>;
}

/**
 * The return value is the answer. A thrown `RpcError` is sent unchanged; any other error becomes an internal error that
 * names the proxy.
 */
export type RequestInterceptor = (request: PassingRequest) => unknown;

export interface PassingRequest {
  readonly method: string;
  readonly params: unknown;
  /**
   * Aborted when the sender cancels or disconnects. A request that was passed on is then cancelled automatically; one
   * that was not can no longer be passed on.
   */
  readonly signal: AbortSignal;
  /**
   * Passes the request on, with other params if given (otherwise as the bytes that arrived). Resolves with the answer
   * or rejects with its `RpcError`. Call it at most once. An interceptor that returns (or throws) exactly this outcome
   * answers with the bytes that arrived.
   */
  pass(params?: unknown): Promise<unknown>;
  /**
   * Lets later messages overtake now, for a request that takes long. The answer to a passed request holds its position
   * again.
   */
  release(): void;
}

/** A notification that is not passed on before this settles is dropped. An error is logged and also drops it. */
export type NotificationInterceptor = (notification: PassingNotification) => void | Promise<void>;

export interface PassingNotification {
  readonly method: string;
  readonly params: unknown;
  /** Passes the notification on, with other params if given. */
  pass(params?: unknown): void;
}

/** The client or the successor of the proxy, as a peer. */
export interface Neighbour {
  /**
   * Rejects with `RpcError`, also when the chain ends. An aborted signal cancels the request; the answer is still
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
   * Opens a session at the successor that is invisible to the client; its updates and requests go to `listener`.
   * `params` are those of `session/new`. Messages of unknown sessions wait for its answer, together with all later
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

/** Both are called in message order, possibly before `openSession` resolves, because an agent may send at once. */
export interface OwnSessionListener {
  /** The `update` member of `session/update`. */
  update(update: unknown): void;
  /** A request of the agent in this session (`session/request_permission`, `fs/…`). The return value is the answer. */
  request(method: string, params: unknown, signal: AbortSignal): unknown;
}

/** Disposing cancels its prompts and closes it. Later messages of the agent in it are dropped. */
export interface OwnSession extends AsyncDisposable {
  readonly sessionId: string;
  /** The raw result of `session/new`. */
  readonly opened: unknown;
  /**
   * Resolves with the raw result of `session/prompt`. An aborted signal sends `session/cancel`, and the answer is still
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
