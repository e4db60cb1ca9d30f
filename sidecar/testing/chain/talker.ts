/**
 * Load generator at one end of a chain. Sends numbered requests, notifications and responses, some of them long.
 * Verifies that it receives all messages of the other end, unchanged and in order. The seed determines the messages.
 *
 *     client: initialize ──▶ sends and responds ──▶ both ends have sent and received all messages ──▶ over
 */
import { errorMessage } from "../../../src/protocol/wire/errors";
import type { Channel } from "../../rpc/channel";
import { Frame } from "../../rpc/frame";
import { objectOr, type JsonObject } from "../../rpc/json";
import type { Id, Message } from "../../rpc/message";

export interface TalkerOptions {
  readonly as: "client" | "agent";
  readonly seed: number;
  /** Number of requests and notifications to send, not counting responses. */
  readonly count: number;
  /** Number of received messages between pauses. 0 disables the pauses. */
  readonly slowEvery: number;
}

const INITIALIZE = "initialize",
  OVER = "_talker/over";
/** `session/new` is a method that the MCP bridge intercepts. */
const METHODS = {
  client: {
    request: ["session/prompt", "session/new", "_talker/ask", "session/set_mode"],
    notification: ["session/cancel", "_talker/tell"],
  },
  agent: {
    request: ["fs/read_text_file", "session/request_permission", "_talker/ask"],
    notification: ["session/update", "_talker/tell"],
  },
} as const;
const TEXT = '"quoted" {braces} [\\back\\slashes] \u2028 žluťoučký 🐎 \t"id":7,"method":"no" '.repeat(3000);

export class Talker {
  /** Resolves when both ends have finished. Rejects with the first error. */
  readonly over: Promise<{ readonly sent: number; readonly received: number }>;
  readonly #channel: Channel;
  readonly #options: TalkerOptions;
  readonly #random: () => number;
  /** Numbers of this end's open requests by id. */
  readonly #pending = new Map<Id, number>();
  /** Open requests of the other end. */
  readonly #open: { readonly id: Id; readonly n: number }[] = [];
  #sent = 0;
  #received = 0;
  #lastId = 0;
  #sentAll = false;
  #receivedAll = false;
  #settle: { resolve(outcome: { sent: number; received: number }): void; reject(error: Error): void };

  constructor(channel: Channel, options: TalkerOptions) {
    this.#channel = channel;
    this.#options = options;
    this.#random = randomFrom(options.seed);
    this.#settle = { resolve: () => undefined, reject: () => undefined };
    this.over = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    channel.start({
      receive: frame => this.#receive(frame),
      closed: ({ message }) => this.#fail(`closed: ${message}`),
    });
    if (options.as === "client")
      void this.#send({ jsonrpc: "2.0", id: INITIALIZE, method: INITIALIZE, params: { protocolVersion: 1 } });
  }

  #receive(frame: Frame): void | Promise<void> {
    const { message } = frame;
    if ("method" in message && message.method === INITIALIZE && "id" in message) {
      void this.#send({
        jsonrpc: "2.0",
        id: message.id,
        result: { protocolVersion: 1, agentCapabilities: { mcpCapabilities: { acp: true } } },
      });
      return void this.#run();
    }
    if (!("method" in message) && message.id === INITIALIZE) return void this.#run();
    try {
      this.#check(message);
    } catch (error) {
      this.#fail(errorMessage(error));
    }
    const { slowEvery } = this.#options;
    if (slowEvery > 0 && this.#received % slowEvery === 0) return turns(3);
  }

  #check(message: Message): void {
    const { n, text, length, to } = payloadOf(message);
    if (n !== this.#received)
      throw new Error(
        `received number ${String(n)} instead of ${this.#received}: ${JSON.stringify(message).slice(0, 200)}`,
      );
    if (text !== TEXT.slice(0, Number(length))) throw new Error(`the text of number ${n} has changed`);
    this.#received++;
    if (!("method" in message)) {
      const requestNumber = message.id === null ? undefined : this.#pending.get(message.id);
      if (requestNumber === undefined || requestNumber !== to)
        throw new Error(`the response to ${String(to)} has the id of ${String(requestNumber)}`);
      this.#pending.delete(message.id ?? "");
    } else if ("id" in message) this.#open.push({ id: message.id, n: Number(n) });
    else if (message.method === OVER) this.#receivedAll = true;
  }

  async #run(): Promise<void> {
    const { count } = this.#options;
    for (let n = 0; n < count; ) {
      if (this.#open.length > 0 && this.#random() < 0.4) await this.#respond();
      else {
        n++;
        await this.#sendNext();
      }
      if (this.#random() < 0.02) await turns(1);
    }
    await this.#send({ jsonrpc: "2.0", method: OVER, params: this.#payload() });
    this.#sentAll = true;
    while (!this.#isOver()) {
      if (this.#open.length > 0) await this.#respond();
      else await turns(1);
    }
    this.#settle.resolve({ sent: this.#sent, received: this.#received });
  }

  #sendNext(): Promise<void> | void {
    const kind = this.#random() < 0.5 ? "request" : "notification",
      method = this.#pick(METHODS[this.#options.as][kind]);
    if (kind === "notification") return this.#send({ jsonrpc: "2.0", method, params: this.#payload() });
    const id = this.#newId();
    this.#pending.set(id, this.#sent);
    return this.#send({ jsonrpc: "2.0", id, method, params: this.#payload() });
  }

  /** Responds to a random open request with a result or an error. */
  #respond(): Promise<void> | void {
    const [request] = this.#open.splice(Math.floor(this.#random() * this.#open.length), 1);
    if (!request) return;
    const payload = { ...this.#payload(), to: request.n };
    return this.#send(
      this.#random() < 0.8
        ? { jsonrpc: "2.0", id: request.id, result: payload }
        : { jsonrpc: "2.0", id: request.id, error: { code: -31000, message: "no", data: payload } },
    );
  }

  /** Sends half of the messages as bytes, as if received from another process. */
  #send(message: Message): Promise<void> | void {
    const frame = Frame.of(message);
    const wait = !this.#channel.send(this.#random() < 0.5 ? Frame.raw(frame.bytes) : frame);
    if (wait) return this.#channel.drained();
  }

  #payload(): JsonObject {
    const r = this.#random(),
      length = r < 0.9 ? Math.floor(r * 200) : r < 0.998 ? Math.floor(this.#random() * 10_000) : 200_000;
    return { n: this.#sent++, length, text: TEXT.slice(0, length) };
  }

  #newId(): Id {
    this.#lastId++;
    return this.#random() < 0.5 ? this.#lastId : `id "${this.#lastId}"`;
  }

  #pick<T>(all: readonly T[]): T {
    const first = all[Math.floor(this.#random() * all.length)];
    if (first === undefined) throw new Error("the list is empty");
    return first;
  }

  #isOver(): boolean {
    return this.#sentAll && this.#receivedAll && this.#open.length === 0 && this.#pending.size === 0;
  }

  #fail(message: string): void {
    this.#settle.reject(new Error(`${this.#options.as}: ${message} (sent ${this.#sent}, received ${this.#received})`));
  }
}

function payloadOf(message: Message): JsonObject {
  if ("method" in message) return objectOr(message.params);
  return objectOr("error" in message ? message.error.data : message.result);
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++)
    await new Promise(resolve => {
      setImmediate(resolve);
    });
}

/** Random numbers, uniform in [0, 1). The same seed gives the same numbers (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
