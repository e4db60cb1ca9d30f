/**
 * A proxy between two neighbours that the test controls. Messages from them arrive immediately, and messages to them
 * are recorded.
 */
import type { Channel, Closed, Receiver } from "../../rpc/channel";
import { Frame } from "../../rpc/frame";
import type { Message } from "../../rpc/message";
import { serveProxy } from "../../proxies/serve-proxy";
import type { Chain, Proxy, RequestInterceptor } from "../../proxies/proxy";

/** Resolves after all pending work that waits for no further event. */

export class FakeNeighbour implements Channel {
  readonly frames: Frame[] = [];
  readonly received: string[] = [];
  disposed = 0;
  #receiver: Receiver | undefined;
  #closed = false;
  #slow: { over: Promise<void>; end: () => void } | undefined;

  start(receiver: Receiver): void {
    this.#receiver = receiver;
  }

  send(frame: Frame): boolean {
    if (this.#closed) return true;
    this.frames.push(frame);
    this.received.push(inShort(frame.message));
    return !this.#slow;
  }

  drained(): Promise<void> {
    return this.#slow?.over ?? Promise.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.disposed++;
    this.leaves({ message: "The connection was closed." });
  }

  deliver(message: Omit<Message, "jsonrpc"> | string | Frame): void {
    void this.offers(message);
  }

  /** Delivers a message and returns the result of the proxy's `receive`. */
  offers(message: Omit<Message, "jsonrpc"> | string | Frame): void | Promise<void> {
    const frame =
      message instanceof Frame
        ? message
        : Frame.raw(
            Buffer.from(typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message })),
          );
    return this.#receiver?.receive(frame);
  }

  leaves(reason: Closed): void {
    if (this.#closed) return;
    this.#closed = true;
    this.catchesUp();
    this.#receiver?.closed(reason);
  }

  isSlow(): void {
    let end = () => {};
    this.#slow = {
      over: new Promise(resolve => {
        end = resolve;
      }),
      end,
    };
  }

  catchesUp(): void {
    this.#slow?.end();
    this.#slow = undefined;
  }

  /** Returns and clears the recorded messages. */
  news(): string[] {
    return this.received.splice(0);
  }
}

/** Formats a message: `method#id params`, `method params`, `#id = result`, `#id ! code message`. */
export function inShort(message: Message): string {
  const json = (value: unknown) => (value === undefined ? "" : ` ${JSON.stringify(value)}`);
  if ("method" in message)
    return `${message.method}${"id" in message ? `#${String(message.id)}` : ""}${json(message.params)}`;
  if ("error" in message) return `#${String(message.id)} ! ${message.error.code} ${message.error.message}`;
  return `#${message.id} =${json(message.result)}`;
}

/** The proxy's own requests have ids from 1001 on. */
export function rig(proxy: Proxy | ((chain: Chain) => Proxy), name = "Test") {
  const client = new FakeNeighbour(),
    successor = new FakeNeighbour(),
    warnings: string[] = [];
  let lastId = 1000,
    created: Chain | undefined;
  const definition = {
    name,
    create: (chain: Chain) => {
      created = chain;
      return typeof proxy === "function" ? proxy(chain) : proxy;
    },
  };
  const served = serveProxy(
    definition,
    client,
    successor,
    { next: () => ++lastId },
    {
      onWarning: (message, detail) =>
        warnings.push(`${message}: ${detail instanceof Error ? detail.message : JSON.stringify(detail)}`),
    },
  );
  if (!created) throw new Error("the proxy was not created");
  return { client, successor, warnings, served, chain: created };
}

/** A proxy that intercepts the client's requests of one method. */
export const intercepts = (method: string, interceptor: RequestInterceptor): Proxy => ({
  fromClient: { requests: { [method]: interceptor } },
});
