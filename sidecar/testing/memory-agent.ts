/** ACP agent in memory for tests of its clients. Records requests. The test controls the responses. */
import type { Channel } from "../rpc/channel";
import { objectOr, type JsonObject } from "../rpc/json";
import { memoryChannels } from "../rpc/memory-channel";
import { Peer, type IncomingRequest } from "../rpc/peer";

export class MemoryAgent {
  /** Methods in order of arrival, including notifications. */
  readonly received: string[] = [];
  readonly peer: Peer;
  /** The client's end. */
  readonly channel: Channel;
  #waiting: { readonly method: string; readonly take: (request: IncomingRequest) => void }[] = [];
  #unclaimed: IncomingRequest[] = [];
  #sessions = 0;

  /**
   * Responds to `initialize`, `session/new` and `session/close` unless their names are in `manual`. `opened`: members
   * of the `session/new` response besides the id.
   */
  constructor(
    private readonly manual: readonly string[] = [],
    initialized: unknown = { protocolVersion: 1, agentCapabilities: { sessionCapabilities: { close: {} } } },
    opened: JsonObject = {},
  ) {
    const [agentEnd, clientEnd] = memoryChannels();
    this.channel = clientEnd;
    this.peer = new Peer(agentEnd, {
      request: request => {
        this.received.push(request.method);
        if (this.manual.includes(request.method)) return this.#offer(request);
        switch (request.method) {
          case "initialize":
            return request.respond(initialized);
          case "session/new":
            return request.respond({ ...opened, sessionId: `s${++this.#sessions}` });
          case "session/close":
            return request.respond({});
          default:
            return this.#offer(request);
        }
      },
      notification: (method, params) => {
        this.received.push(method === "session/cancel" ? `cancel ${String(objectOr(params).sessionId)}` : method);
      },
      closed: () => {
        this.received.push("closed");
      },
    });
  }

  /** Next unclaimed request of this method. */
  next(method: string): Promise<IncomingRequest> {
    const at = this.#unclaimed.findIndex(request => request.method === method);
    const [request] = at === -1 ? [] : this.#unclaimed.splice(at, 1);
    return request ? Promise.resolve(request) : new Promise(take => this.#waiting.push({ method, take }));
  }

  /** Claims all pending requests of this method. */
  taken(method: string): readonly IncomingRequest[] {
    const all = this.#unclaimed.filter(request => request.method === method);
    this.#unclaimed = this.#unclaimed.filter(request => request.method !== method);
    return all;
  }

  update(sessionId: string, update: unknown): void {
    this.peer.notify("session/update", { sessionId, update });
  }
  report(sessionId: string, text: string): void {
    this.update(sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  }

  async die(): Promise<void> {
    await this.peer[Symbol.asyncDispose]();
  }

  #offer(request: IncomingRequest): void {
    const at = this.#waiting.findIndex(({ method }) => method === request.method);
    const [waiting] = at === -1 ? [] : this.#waiting.splice(at, 1);
    if (waiting) waiting.take(request);
    else this.#unclaimed.push(request);
  }
}
