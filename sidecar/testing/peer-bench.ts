/** A peer with the test at the other end of its channel. */
import type { Channel, Closed, Receiver } from "../rpc/channel";
import { Frame } from "../rpc/frame";
import { Peer, type IncomingRequest, type Outcome, type PeerHandlers } from "../rpc/peer";

export const outcomeText = (outcome: Outcome) =>
  outcome.ok ? `= ${JSON.stringify(outcome.result)}` : `! ${outcome.error.code} ${outcome.error.message}`;

/** A channel with the test at its other end. `sent` records the peer's messages; `wire` delivers lines to the peer. */
class Bench implements Channel {
  readonly sent: unknown[] = [];
  /** The promises returned by the peer's `receive`. */
  readonly busy: Promise<void>[] = [];
  #receiver: Receiver | undefined;
  start(receiver: Receiver): void {
    this.#receiver = receiver;
  }
  send(frame: Frame): boolean {
    this.sent.push(JSON.parse(Buffer.from(frame.bytes).toString()));
    return true;
  }
  drained(): Promise<void> {
    return Promise.resolve();
  }
  async [Symbol.asyncDispose](): Promise<void> {
    this.closed({ message: "The connection was closed." });
  }
  closed(reason: Closed): void {
    this.#receiver?.closed(reason);
  }
  wire(...lines: string[]): void {
    for (const line of lines) {
      const busy = this.#receiver?.receive(Frame.raw(Buffer.from(line)));
      if (busy) this.busy.push(busy);
    }
  }
}

/** A peer on a `Bench`, and a log of the calls of its handlers. */
export function bench(handlers: Partial<PeerHandlers> = {}) {
  const channel = new Bench(),
    log: string[] = [],
    requests: IncomingRequest[] = [];
  const peer = new Peer(channel, {
    request: request => {
      requests.push(request);
      log.push(`request ${request.method}`);
    },
    notification: method => {
      log.push(`notification ${method}`);
    },
    closed: ({ message }) => log.push(`closed: ${message}`),
    onWarning: what => log.push(`odd: ${what}`),
    ...handlers,
  });
  return { channel, peer, log, requests, sent: channel.sent };
}
