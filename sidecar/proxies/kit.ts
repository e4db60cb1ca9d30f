/**
 * Runs a proxy between two channels: proxy.ts says what a proxy sees, and in which order.
 *
 *   client ── Direction ── Lane ──▶ successor        what the proxy says itself goes out of turn, past the lanes' queues;
 *   client ◀── Lane ── Direction ── successor        what is meant for it is taken out before them
 *
 * Invariants: when one neighbour is gone the other hears what came before, then the chain has ended: everything that
 * waits is settled, every request that the proxy has in its hands is answered, both channels are disposed, and `close`
 * is called once.
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
  /** For the log: what should not happen, and what an interceptor threw. */
  readonly odd?: (what: string, detail: unknown) => void;
}

export interface Served extends AsyncDisposable {
  /** The chain has ended, and everything in it is let go of. */
  readonly closed: Promise<void>;
}

/**
 * Takes both channels over: starts them now, disposes them when either closes or when it is disposed itself. `ids` are
 * those of the conductor around it. What `make` throws is thrown here, before the channels are touched.
 */
export function serveProxy(
  definition: ProxyDefinition,
  client: Channel,
  successor: Channel,
  ids: Ids,
  options: ServeOptions = {},
): Served {
  return new ServedProxy(definition, client, successor, ids, options.odd ?? (() => {}));
}

class ServedProxy implements Served {
  readonly closed: Promise<void>;
  readonly #channels: readonly Channel[];
  readonly #offers: McpOffers;
  readonly #proxy: Proxy;
  readonly #odd: (what: string, detail: unknown) => void;
  readonly #down: Router;
  readonly #up: Router;
  #ended: Promise<void> | undefined;
  #settleClosed: () => void = () => undefined;

  constructor(
    { name, make }: ProxyDefinition,
    client: Channel,
    successor: Channel,
    ids: Ids,
    odd: (what: string, detail: unknown) => void,
  ) {
    const down = new DirectionQueue(successor, () => toClient.areOpen),
      up = new DirectionQueue(client, () => toSuccessor.areOpen);
    const toClient = new OwnRequests(ids, { send: frame => up.send(frame), overrule: () => down.overrule() });
    const toSuccessor = new OwnRequests(ids, { send: frame => down.send(frame), overrule: () => up.overrule() });
    const sessions = new OwnSessions(toSuccessor, odd),
      offers = new McpOffers(toSuccessor, odd);
    const chain: Chain = {
      client: toClient,
      successor: toSuccessor,
      odd,
      offerMcp: (server: string, connect: ConnectMcp): McpOffer => offers.offer(server, connect),
      openSession: (params: unknown, listener: OwnSessionListener): Promise<OwnSession> =>
        sessions.open(params, listener),
    };
    this.closed = new Promise(resolve => {
      this.#settleClosed = resolve;
    });
    this.#channels = [client, successor];
    this.#odd = odd;
    this.#offers = offers;
    this.#proxy = make(chain);
    this.#down = new Router({
      name,
      odd,
      interceptors: this.#proxy.fromClient,
      lane: down,
      own: toClient,
      opposite: () => this.#up,
      claims: [],
      closed: reason => void this.#end(reason, this.#down),
    });
    this.#up = new Router({
      name,
      odd,
      interceptors: this.#proxy.fromSuccessor,
      lane: up,
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

  #end(reason: Closed, gone?: Router): Promise<void> {
    return (this.#ended ??= this.#endNow(reason, gone));
  }

  async #endNow(reason: Closed, gone: Router | undefined): Promise<void> {
    if (gone) {
      gone.withdraw(reason);
      await afterThis(); // what waited for nothing else has left in its order
      gone.flush(reason);
      await afterThis();
    }
    for (const direction of [this.#down, this.#up]) direction.end(reason);
    await Promise.resolve(); // `#ended` is set before the channels tell that they closed
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
      this.#odd("closing a proxy failed", error);
    }
  }
}

/** When everything has happened that waits for nothing but what has happened. */
function afterThis(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}
