/**
 * One end of a chain that sends messages continuously: requests, notifications and responses, some of them long, each
 * numbered in sending order. It verifies that it receives exactly the messages of the other end, in order and complete.
 * The seed determines the messages.
 *
 *     client: initialize ──▶ sends, answers requests ──▶ both have sent and received everything ──▶ over
 */
import type { Channel } from "../../rpc/channel";
import { Frame } from "../../rpc/frame";
import { objectOr, type JsonObject } from "../../rpc/json";
import type { Id, Message } from "../../rpc/message";

export interface TalkerOptions {
  readonly as: "client" | "agent";
  readonly seed: number;
  /** Number of requests and notifications to send, not counting responses. */
  readonly count: number;
  /** Pauses after every this many received messages; 0 disables the pauses. */
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
  readonly #asked = new Map<Id, number>();
  /** Unanswered requests of the other end. */
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
      closed: ({ message }) => this.#wrong(`closed: ${message}`),
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
      return void this.#talk();
    }
    if (!("method" in message) && message.id === INITIALIZE) return void this.#talk();
    try {
      this.#check(message);
    } catch (error) {
      this.#wrong(error instanceof Error ? error.message : String(error));
    }
    const { slowEvery } = this.#options;
    if (slowEvery > 0 && this.#received % slowEvery === 0) return turns(3);
  }

  #check(message: Message): void {
    const { n, text, length, to } = payloadOf(message);
    if (n !== this.#received)
      throw new Error(`number ${String(n)} came, ${this.#received} was next: ${JSON.stringify(message).slice(0, 200)}`);
    if (text !== TEXT.slice(0, Number(length))) throw new Error(`the text of number ${n} has changed`);
    this.#received++;
    if (!("method" in message)) {
      const asked = message.id === null ? undefined : this.#asked.get(message.id);
      if (asked === undefined || asked !== to)
        throw new Error(`the answer to ${String(to)} came as one to ${String(asked)}`);
      this.#asked.delete(message.id ?? "");
    } else if ("id" in message) this.#open.push({ id: message.id, n: Number(n) });
    else if (message.method === OVER) this.#receivedAll = true;
  }

  async #talk(): Promise<void> {
    const { count } = this.#options;
    for (let n = 0; n < count; ) {
      if (this.#open.length > 0 && this.#random() < 0.4) await this.#answer();
      else {
        n++;
        await this.#speak();
      }
      if (this.#random() < 0.02) await turns(1);
    }
    await this.#send({ jsonrpc: "2.0", method: OVER, params: this.#words() });
    this.#sentAll = true;
    while (!this.#isOver()) {
      if (this.#open.length > 0) await this.#answer();
      else await turns(1);
    }
    this.#settle.resolve({ sent: this.#sent, received: this.#received });
  }

  #speak(): Promise<void> | void {
    const kind = this.#random() < 0.5 ? "request" : "notification",
      method = this.#oneOf(METHODS[this.#options.as][kind]);
    if (kind === "notification") return this.#send({ jsonrpc: "2.0", method, params: this.#words() });
    const id = this.#newId();
    this.#asked.set(id, this.#sent);
    return this.#send({ jsonrpc: "2.0", id, method, params: this.#words() });
  }

  /** Answers a random open request with a result or an error. */
  #answer(): Promise<void> | void {
    const [asked] = this.#open.splice(Math.floor(this.#random() * this.#open.length), 1);
    if (!asked) return;
    const words = { ...this.#words(), to: asked.n };
    return this.#send(
      this.#random() < 0.8
        ? { jsonrpc: "2.0", id: asked.id, result: words }
        : { jsonrpc: "2.0", id: asked.id, error: { code: -31000, message: "no", data: words } },
    );
  }

  /** Sends half of the messages as bytes, as if they came from outside. */
  #send(message: Message): Promise<void> | void {
    const frame = Frame.of(message);
    const wait = !this.#channel.send(this.#random() < 0.5 ? Frame.raw(frame.bytes) : frame);
    if (wait) return this.#channel.drained();
  }

  #words(): JsonObject {
    const r = this.#random(),
      length = r < 0.9 ? Math.floor(r * 200) : r < 0.998 ? Math.floor(this.#random() * 10_000) : 200_000;
    return { n: this.#sent++, length, text: TEXT.slice(0, length) };
  }

  #newId(): Id {
    this.#lastId++;
    return this.#random() < 0.5 ? this.#lastId : `id "${this.#lastId}"`;
  }

  #oneOf<T>(all: readonly T[]): T {
    const first = all[Math.floor(this.#random() * all.length)];
    if (first === undefined) throw new Error("there is none");
    return first;
  }

  #isOver(): boolean {
    return this.#sentAll && this.#receivedAll && this.#open.length === 0 && this.#asked.size === 0;
  }

  #wrong(what: string): void {
    this.#settle.reject(new Error(`${this.#options.as}: ${what} (sent ${this.#sent}, heard ${this.#received})`));
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
