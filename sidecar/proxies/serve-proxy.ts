/**
 * Runs a proxy between two channels. proxy.ts defines which messages a proxy receives, and in which order.
 *
 *   client ── Router ── DirectionQueue ──▶ successor
 *   client ◀── DirectionQueue ── Router ── successor
 *
 * The proxy's own messages bypass the queues. Messages for the proxy itself are delivered before the queues.
 *
 * Invariants: when one neighbour disconnects, the other receives all earlier messages before the chain ends. At the
 * end, every pending request is settled, both channels are disposed, and `close` is called once.
 */
import type { Channel, Closed } from "../rpc/channel";
import type { Ids } from "../rpc/hop";
import { Router } from "./router";
import { DirectionQueue } from "./direction-queue";
import { McpOffers } from "./mcp-offers";
import { OwnRequests } from "./own-requests";
import { OwnSessions } from "./own-sessions";
import type { Chain, ConnectMcp, McpOffer, OwnSession, OwnSessionListener, Proxy, ProxyDefinition } from "./proxy";

export interface ServeOptions {
  /** Reports protocol violations and errors of interceptors for the log. */
  readonly onWarning?: (what: string, detail: unknown) => void;
}

export interface Served extends AsyncDisposable {
  /** Resolves when the chain has ended and all its resources are released. */
  readonly closed: Promise<void>;
}

/**
 * Takes ownership of both channels: starts them, and disposes them when either closes or the result is disposed. `ids`
 * is shared with the surrounding conductor. Errors of `create` are thrown before the channels are started.
 */
export function serveProxy(
  definition: ProxyDefinition,
  client: Channel,
  successor: Channel,
  ids: Ids,
  options: ServeOptions = {},
): Served {
  return new ServedProxy(definition, client, successor, ids, options.onWarning ?? (() => {}));
}

class ServedProxy implements Served {
  readonly closed: Promise<void>;
  readonly #channels: readonly Channel[];
  readonly #offers: McpOffers;
  readonly #proxy: Proxy;
  readonly #onWarning: (what: string, detail: unknown) => void;
  readonly #down: Router;
  readonly #up: Router;
  #ended: Promise<void> | undefined;
  #settleClosed: () => void = () => undefined;

  constructor(
    { name, create }: ProxyDefinition,
    client: Channel,
    successor: Channel,
    ids: Ids,
    onWarning: (what: string, detail: unknown) => void,
  ) {
    const down = new DirectionQueue(successor, () => toClient.areOpen),
      up = new DirectionQueue(client, () => toSuccessor.areOpen);
    const toClient = new OwnRequests(ids, { send: frame => up.send(frame), overrule: () => down.overrule() });
    const toSuccessor = new OwnRequests(ids, { send: frame => down.send(frame), overrule: () => up.overrule() });
    const sessions = new OwnSessions(toSuccessor, onWarning),
      offers = new McpOffers(toSuccessor, onWarning);
    const chain: Chain = {
      client: toClient,
      successor: toSuccessor,
      onWarning,
      offerMcp: (server: string, connect: ConnectMcp): McpOffer => offers.offer(server, connect),
      openSession: (params: unknown, listener: OwnSessionListener): Promise<OwnSession> =>
        sessions.open(params, listener),
    };
    this.closed = new Promise(resolve => {
      this.#settleClosed = resolve;
    });
    this.#channels = [client, successor];
    this.#onWarning = onWarning;
    this.#offers = offers;
    this.#proxy = create(chain);
    this.#down = new Router({
      name,
      onWarning,
      interceptors: this.#proxy.fromClient,
      queue: down,
      own: toClient,
      opposite: () => this.#up,
      claims: [],
      closed: reason => void this.#end(reason, this.#down),
    });
    this.#up = new Router({
      name,
      onWarning,
      interceptors: this.#proxy.fromSuccessor,
      queue: up,
      own: toSuccessor,
      opposite: () => this.#down,
      claims: [offers, sessions],
      closed: reason => void this.#end(reason, this.#up),
    });
    client.start(this.#down);
    successor.start(this.#up);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#end({ message: "The chain was closed." });
  }

  #end(reason: Closed, disconnected?: Router): Promise<void> {
    return (this.#ended ??= this.#endNow(reason, disconnected));
  }

  async #endNow(reason: Closed, disconnected: Router | undefined): Promise<void> {
    if (disconnected) {
      disconnected.withdraw(reason);
      await pendingWork(); // sends all queued frames that are not blocked
      disconnected.flush(reason);
      await pendingWork();
    }
    for (const direction of [this.#down, this.#up]) direction.end(reason);
    await Promise.resolve(); // set `#ended` before the channels report that they closed
    await Promise.all(
      [...this.#channels, this.#offers].map(owned => this.#quietly(() => owned[Symbol.asyncDispose]())),
    );
    await this.#quietly(() => this.#proxy.close?.());
    this.#settleClosed();
  }

  async #quietly(close: () => unknown): Promise<void> {
    try {
      await close();
    } catch (error) {
      this.#onWarning("closing a proxy failed", error);
    }
  }
}

/** Resolves when all pending work that is not blocked has run. */
function pendingWork(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}
