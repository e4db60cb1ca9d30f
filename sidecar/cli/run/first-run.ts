/**
 * Serves a client that has no configuration file: the configuration agent first, then the chain of the file that it
 * creates.
 *
 *   client ══ router ─┬─ configuration agent: `initialize`, and its own sessions
 *                     └─ chain of proxies and agent: all other sessions
 *
 *   unconfigured ── the file exists ──▶ starting ── initialized ──▶ running ── the chain ends ──▶ ended
 *        ▲                                 │
 *        └────────── cannot start ─────────┘
 *
 * Each `session/new` without a chain reads the file again, because another window can create it.
 *
 * Invariants:
 * - The chain receives `initialize` with the client's parameters before any other message.
 * - Every request of the client is answered.
 * - All chains have ended when `closed` settles.
 */
import { randomUUID } from "node:crypto";
import { AGENT_METHODS, PROTOCOL_METHODS } from "../../acp/methods";
import { pass } from "../../conductor/stage";
import type { Channel } from "../../rpc/channel";
import { Frame, FrameError } from "../../rpc/frame";
import { isObject, objectOr, type JsonObject } from "../../rpc/json";
import { memoryChannels } from "../../rpc/memory-channel";
import { RpcCode, type Message } from "../../rpc/message";
import type { ConfigReading } from "./config-file";
import { ConfigurationAgent, PROTOCOL_VERSION } from "./configuration-agent";
import type { SaveOutcome } from "./wizard";

type Configured = Extract<ConfigReading, { kind: "config" }>;

export interface FirstRunDeps {
  readonly version: string;
  /** Never rejects. */
  read(): Promise<ConfigReading>;
  /** Never rejects. */
  create(text: string): Promise<SaveOutcome>;
  /** Runs the chain of the configuration until its client disconnects or it fails. Resolves with the exit code. */
  serve(configured: Configured, client: Channel): Promise<number>;
  /** Reports protocol violations for the log. */
  onWarning(what: string, detail: unknown): void;
}

interface Chain {
  readonly channel: Channel;
  /** Settles with the exit code when the chain has ended. */
  readonly code: Promise<number>;
}

type State =
  | { readonly kind: "unconfigured" }
  /** `queue`: messages of the client for the chain. `started`: a sentence if the chain cannot be started. */
  | {
      readonly kind: "starting";
      readonly chain: Chain;
      readonly queue: Frame[];
      readonly started: Promise<string | undefined>;
      readonly settle: (problem: string | undefined) => void;
    }
  | { readonly kind: "running"; readonly chain: Chain }
  | { readonly kind: "ended" };

export class FirstRun implements AsyncDisposable {
  /** The exit code. Rejects if the chain cannot be run, for example because its trace is not writable. */
  readonly closed: Promise<number>;
  readonly #deps: FirstRunDeps;
  readonly #client: Channel;
  readonly #agent: ConfigurationAgent;
  readonly #toAgent: Channel;
  /** Parameters of the client's `initialize`. */
  #initialize: JsonObject = {};
  /** Id of the `initialize` request to the chain. Differs from the ids of the client. */
  readonly #id = `symposium-${randomUUID()}`;
  #state: State = { kind: "unconfigured" };
  /** Settles when each started chain has ended. */
  readonly #ends: Promise<void>[] = [];
  #settleClosed: (code: number | Promise<number>) => void = () => undefined;

  constructor(client: Channel, deps: FirstRunDeps) {
    this.#deps = deps;
    this.#client = client;
    this.closed = new Promise(resolve => {
      this.#settleClosed = resolve;
    });
    const [ours, theirs] = memoryChannels();
    this.#toAgent = ours;
    this.#agent = new ConfigurationAgent(theirs, {
      version: deps.version,
      save: text => deps.create(text),
      start: async () => this.#startFromFile(),
      onWarning: (what, detail) => deps.onWarning(what, detail),
    });
    ours.start({ receive: frame => pass(frame, client), closed: () => undefined });
    client.start({ receive: frame => this.#receive(frame), closed: () => this.#end(0) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end(0);
    await this.#client[Symbol.asyncDispose]();
    await this.#agent[Symbol.asyncDispose]();
    await this.closed.catch(() => undefined);
  }

  #receive(frame: Frame): void | Promise<void> {
    const { envelope } = frame;
    // The configuration agent sends no requests.
    if (envelope.kind === "response") return this.#toChain(frame);
    if (envelope.method === PROTOCOL_METHODS.cancel_request) {
      void pass(frame, this.#toAgent);
      return this.#toChain(frame);
    }
    const params = paramsOf(frame);
    if (envelope.kind === "request" && envelope.method === AGENT_METHODS.initialize) {
      this.#initialize = params;
      return pass(frame, this.#toAgent);
    }
    if (this.#agent.has(params.sessionId)) return pass(frame, this.#toAgent);
    if (this.#state.kind !== "unconfigured") return this.#toChain(frame);
    return envelope.kind === "request" && envelope.method === AGENT_METHODS.session_new
      ? this.#openSession(frame)
      : pass(frame, this.#toAgent);
  }

  async #openSession(frame: Frame): Promise<void> {
    const reading = await this.#deps.read();
    switch (reading.kind) {
      case "absent":
        return pass(frame, this.#toAgent);
      case "problem":
        return this.#refuse(frame, reading.message);
      case "config":
        void this.#start(reading);
        return this.#toChain(frame);
    }
  }

  async #startFromFile(): Promise<string | undefined> {
    const reading = await this.#deps.read();
    if (reading.kind === "absent") return "The configuration was deleted.";
    return reading.kind === "problem" ? reading.message : this.#start(reading);
  }

  /** Resolves with a sentence if the chain cannot be started. Starts at most one chain. */
  #start(configured: Configured): Promise<string | undefined> {
    const state = this.#state;
    if (state.kind === "starting") return state.started;
    if (state.kind === "running") return Promise.resolve(undefined);
    if (state.kind === "ended") return Promise.resolve(DISCONNECTED);
    const [channel, theirs] = memoryChannels(),
      code = this.#deps.serve(configured, theirs),
      ended = code.then(
        () => theirs[Symbol.asyncDispose](),
        () => theirs[Symbol.asyncDispose](),
      );
    this.#ends.push(ended);
    let settle: (problem: string | undefined) => void = () => undefined;
    const started = new Promise<string | undefined>(resolve => {
      settle = resolve;
    });
    this.#state = { kind: "starting", chain: { channel, code }, queue: [], started, settle };
    channel.start({ receive: frame => this.#fromChain(frame), closed: ({ message }) => this.#chainClosed(message) });
    const params = { ...this.#initialize, protocolVersion: PROTOCOL_VERSION };
    channel.send(Frame.of({ jsonrpc: "2.0", id: this.#id, method: AGENT_METHODS.initialize, params }));
    return started;
  }

  #fromChain(frame: Frame): void | Promise<void> {
    const { envelope } = frame;
    if (envelope.kind !== "response" || envelope.id !== this.#id) return pass(frame, this.#client);
    const state = this.#state;
    if (state.kind !== "starting") return;
    const problem = problemIn(frame.message);
    if (problem !== undefined) return this.#failStart(state, problem);
    this.#state = { kind: "running", chain: state.chain };
    for (const queued of state.queue) state.chain.channel.send(queued);
    state.settle(undefined);
  }

  #toChain(frame: Frame): void | Promise<void> {
    const state = this.#state;
    if (state.kind === "running") return pass(frame, state.chain.channel);
    if (state.kind === "starting") state.queue.push(frame);
    else this.#refuse(frame, "No agent is running.");
  }

  /** The next session starts the chain again, unless the chain cannot be run at all. */
  #failStart({ chain, queue, settle }: Extract<State, { kind: "starting" }>, problem: string): void {
    this.#state = { kind: "unconfigured" };
    for (const frame of queue) this.#refuse(frame, problem);
    settle(problem);
    void chain.channel[Symbol.asyncDispose]();
    chain.code.catch(() => this.#end(chain.code));
  }

  #chainClosed(reason: string): void {
    const state = this.#state;
    if (state.kind === "starting") return this.#failStart(state, reason);
    if (state.kind === "running") this.#end(state.chain.code);
  }

  #end(code: number | Promise<number>): void {
    const state = this.#state;
    if (state.kind === "ended") return;
    this.#state = { kind: "ended" };
    if (state.kind !== "unconfigured") void state.chain.channel[Symbol.asyncDispose]();
    if (state.kind === "starting") state.settle(DISCONNECTED);
    this.#settleClosed(Promise.all(this.#ends).then(() => code));
  }

  #refuse(frame: Frame, message: string): void {
    const { envelope } = frame;
    if (envelope.kind !== "request") return;
    const { id } = envelope,
      answer = Frame.of({ jsonrpc: "2.0", id, error: { code: RpcCode.internalError, message } });
    // An id beyond 2⁵³ is exact only as bytes.
    this.#client.send(typeof id === "string" || Number.isSafeInteger(id) ? answer : answer.withId(frame.idBytes));
  }
}

const DISCONNECTED = "The client has disconnected.";

/** The message of an error response, with the last output of the failed component. */
function problemIn(message: Message): string | undefined {
  if (!("error" in message)) return undefined;
  const { details } = objectOr(message.error.data);
  return typeof details === "string" ? `${message.error.message}\n\n${details}` : message.error.message;
}

function paramsOf(frame: Frame): JsonObject {
  try {
    const { message } = frame;
    return "params" in message && isObject(message.params) ? objectOr(message.params) : {};
  } catch (error) {
    if (error instanceof FrameError) return {};
    throw error;
  }
}
