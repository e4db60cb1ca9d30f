/**
 * A proxy, as one writes it: which messages it wants to see. All others pass untouched, as the bytes that came.
 *
 * Order. Each direction is a queue. While an interceptor has a message, what came behind it waits, until the
 * interceptor has passed it on, answered, dropped or released it; the answer to a request that was passed on holds its
 * place in the same way. A request of the proxy's own lets go of what is held in the direction its answer comes from:
 * who asks the chain for something in the middle of a message gives the place of that message away, and no proxy can
 * stand still waiting for itself. What a proxy says itself goes at once, past what is held; what is meant for it
 * (answers to its requests, messages of its own sessions and MCP servers) is heard at once.
 *
 * Messages do not change: params and answers are not to be altered in place, but passed on or returned as new objects.
 */
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";

export interface Proxy {
  /** What comes from the client on its way to the successor. */
  readonly fromClient?: Interceptors;
  /** What comes from the successor on its way to the client. */
  readonly fromSuccessor?: Interceptors;
  /** The chain has ended; nothing can be sent any more. */
  close?(): void | Promise<void>;
}

/** By method. Also methods that only this proxy knows: an extension method is answered by not passing it on. */
export interface Interceptors {
  readonly requests?: Readonly<Record<string, RequestInterceptor>>;
  readonly notifications?: Readonly<Record<string, NotificationInterceptor>>;
}

/**
 * What it returns is the answer, what it throws an error answer: an `RpcError` as it is, anything else as an internal
 * error that names the proxy.
 */
export type RequestInterceptor = (request: PassingRequest) => unknown;

export interface PassingRequest {
  readonly method: string;
  readonly params: unknown;
  /**
   * Aborted when the asker cancels, or is gone. A request that was passed on is cancelled there by itself; one that was
   * not cannot be passed on any more.
   */
  readonly signal: AbortSignal;
  /**
   * Passes it on, with other params if given (else as the bytes that came), and resolves with the answer; rejects with
   * its `RpcError`. Once. An interceptor that returns (or throws) just that answers with the bytes that came.
   */
  pass(params?: unknown): Promise<unknown>;
  /**
   * Lets what comes behind overtake now: for a request that takes its time. The answer to what is passed on holds its
   * place anew.
   */
  release(): void;
}

/** A notification that was not passed on when this is through is dropped. What it throws is logged, and drops it. */
export type NotificationInterceptor = (notification: PassingNotification) => void | Promise<void>;

export interface PassingNotification {
  readonly method: string;
  readonly params: unknown;
  /** Passes it on, with other params if given. */
  pass(params?: unknown): void;
}

/** What stands before or behind the proxy, as a peer. */
export interface Neighbour {
  /** Rejects with `RpcError`, also when the chain ends. An aborted signal cancels; the answer is still awaited. */
  request(method: string, params: unknown, options?: { readonly signal?: AbortSignal }): Promise<unknown>;
  notify(method: string, params: unknown): void;
}

export interface Chain {
  readonly client: Neighbour;
  readonly successor: Neighbour;
  /** Offers an MCP server over ACP to whatever agent the chain ends in. */
  offerMcp(name: string, connect: ConnectMcp): McpOffer;
  /**
   * Opens a session of the proxy's own at the successor: its updates and requests come here, and the client never hears
   * of it. `params` are those of `session/new`. Messages of sessions that were never seen wait for its answer, and all
   * behind them.
   */
  openSession(params: unknown, listener: OwnSessionListener): Promise<OwnSession>;
  /** For the log. */
  readonly odd: (what: string, detail: unknown) => void;
}

/**
 * Connects a server of `@modelcontextprotocol/sdk` to a transport of the same package: `transport =>
 * makeServer().connect(transport)`. Once for each client.
 */
export type ConnectMcp = (transport: Transport) => Promise<void>;

export interface McpOffer extends AsyncDisposable {
  /** An entry for `mcpServers` of `session/new`, `load`, `resume` and `fork`. */
  readonly declaration: { readonly type: "acp"; readonly name: string; readonly serverId: string; readonly id: string };
}

/** Both are called in the order of the messages, also before `openSession` has resolved: an agent may talk at once. */
export interface OwnSessionListener {
  /** The `update` member of `session/update`. */
  update(update: unknown): void;
  /** A request of the agent in this session (`session/request_permission`, `fs/…`): what it returns is the answer. */
  request(method: string, params: unknown, signal: AbortSignal): unknown;
}

/** Disposing stops its prompts and closes it; what the agent still says in it is dropped. */
export interface OwnSession extends AsyncDisposable {
  readonly sessionId: string;
  /** The raw result of `session/new`. */
  readonly opened: unknown;
  /**
   * Resolves with the raw result of `session/prompt`; an aborted signal sends `session/cancel`, and the answer is still
   * awaited.
   */
  prompt(prompt: readonly unknown[], options?: { readonly signal?: AbortSignal }): Promise<unknown>;
}

export interface ProxyDefinition {
  /** As the user knows it: in errors, notices and traces. */
  readonly name: string;
  /** Called once for each chain, before anything comes. */
  make(chain: Chain): Proxy;
}
