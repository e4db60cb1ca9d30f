/** Chain in memory for tests: a client, external proxies that the test controls, and an agent. */
import { conduct, type Conductor, type ConductorOptions } from "../../conductor/conductor";
import type { Notice, ProxyComponent, Running } from "../../conductor/component";
import type { DialectMemory } from "../../conductor/proxy-dialect";
import { AgentError } from "../../errors";
import type { Channel, Closed } from "../../rpc/channel";
import { objectOr } from "../../rpc/json";
import { memoryChannels } from "../../rpc/memory-channel";
import { RpcCode, RpcError } from "../../rpc/message";
import { Peer, type IncomingRequest, type PeerHandlers } from "../../rpc/peer";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { MemoryAgent } from "../memory-agent";

/** Handlers of a test-controlled proxy. A message without a handler is forwarded. */
export interface ProxyScript {
  readonly spelling?: "proxy" | "_proxy" | "meta";
  /** How the proxy handles the `initialize` of another spelling. A number is an error code. Default: -32601. */
  readonly unknown?: "forward" | "exit" | number;
  readonly memory?: DialectMemory;
  initialize?(request: IncomingRequest, proxy: WireProxy): void;
  /** Returns false to forward the request. */
  request?(request: IncomingRequest, from: "client" | "successor", proxy: WireProxy): boolean;
}

/** Proxy that implements the wire protocol, including envelopes, without the kit or a hop. */
export class WireProxy {
  peer: Peer;
  readonly received: string[] = [];
  running: Running;
  stopped = false;
  /**
   * Requests received in an envelope, by the envelope's id. The older spelling also sends their cancellation in an
   * envelope.
   */
  readonly #enveloped = new Map<unknown, AbortController>();

  constructor(
    readonly name: string,
    readonly script: ProxyScript,
  ) {
    [this.peer, this.running] = this.#connect();
  }

  /** Can be called again after a stop. */
  start(): Running {
    if (this.stopped) [this.peer, this.running] = this.#connect();
    this.stopped = false;
    return this.running;
  }

  #connect(): [Peer, Running] {
    const [proxyEnd, conductorEnd] = memoryChannels();
    const peer = new Peer(proxyEnd, {
      request: request => this.#request(request),
      notification: (method, params) => {
        this.#notification(method, params);
      },
      closed: () => {
        this.received.push("closed");
      },
    });
    return [
      peer,
      {
        channel: withExit(conductorEnd, this.name),
        lastWords: () => "",
        stop: async () => {
          this.stopped = true;
          await conductorEnd[Symbol.asyncDispose]();
        },
      },
    ];
  }

  get #initialize(): string {
    return this.script.spelling === "meta" ? "initialize" : `${this.script.spelling ?? "proxy"}/initialize`;
  }
  #envelope(kind: "request" | "notification"): string {
    return this.script.spelling === "meta"
      ? `_proxy/successor/${kind}`
      : `${this.script.spelling ?? "proxy"}/successor`;
  }

  successor(method: string, params: unknown): Promise<unknown> {
    return this.peer.request(this.#envelope("request"), { method, params });
  }
  async die(): Promise<void> {
    await this.peer[Symbol.asyncDispose]();
  }

  /** Forwards a request, its response and its cancellation. */
  pass(request: IncomingRequest, method: string, params: unknown): void {
    this.peer.request(method, params, { signal: request.signal }).then(
      result => request.respond(result),
      (error: unknown) => request.fail(error),
    );
  }

  forward(request: IncomingRequest, method = request.method): void {
    this.pass(request, this.#envelope("request"), { method, params: request.params });
  }

  #request(request: IncomingRequest): void {
    this.received.push(request.method);
    if (request.method === this.#initialize)
      return this.script.initialize ? this.script.initialize(request, this) : this.forward(request, "initialize");
    if (request.method.endsWith("/initialize") && this.script.unknown !== "forward") return this.#refuse(request);
    if (request.method !== this.#envelope("request")) {
      if (!this.script.request?.(request, "client", this)) this.forward(request);
      return;
    }
    const { method, params } = objectOr(request.params);
    const cancellation = new AbortController();
    this.#enveloped.set(request.id, cancellation);
    request.signal.addEventListener("abort", () => cancellation.abort());
    const inner: IncomingRequest = {
      id: request.id,
      method: String(method),
      params,
      signal: cancellation.signal,
      respond: result => request.respond(result),
      fail: error => request.fail(error),
    };
    if (!this.script.request?.(inner, "successor", this)) this.pass(inner, inner.method, params);
  }

  #refuse(request: IncomingRequest): void {
    const { unknown = RpcCode.methodNotFound } = this.script;
    if (typeof unknown === "number") return request.fail(new RpcError(unknown, "?"));
    void this.die();
  }

  #notification(method: string, params: unknown): void {
    if (method !== this.#envelope("notification"))
      return this.peer.notify(this.#envelope("notification"), { method, params });
    const inner = objectOr(params);
    // A cancellation belongs to this hop and is never forwarded.
    if (inner.method === "$/cancel_request") return this.#enveloped.get(objectOr(inner.params).requestId)?.abort();
    this.peer.notify(String(inner.method), inner.params);
  }
}

/** Wraps a channel: its end is reported like the exit of a process. */
function withExit(channel: Channel, name: string): Channel {
  const exitReason = ({ message }: Closed): Closed => new AgentError("exited", `${name} died.`, { cause: message });
  return {
    start: receiver =>
      channel.start({
        receive: frame => receiver.receive(frame),
        closed: reason => receiver.closed(exitReason(reason)),
      }),
    send: frame => channel.send(frame),
    drained: () => channel.drained(),
    [Symbol.asyncDispose]: () => channel[Symbol.asyncDispose](),
  };
}

export interface MemoryChain {
  readonly client: Peer;
  readonly agent: MemoryAgent;
  readonly proxies: readonly WireProxy[];
  readonly conductor: Conductor;
  readonly clock: FakeClock;
  readonly notices: Notice[];
  readonly warnings: string[];
  /** Notifications to the client, and notices as `notice text`. */
  readonly notifications: unknown[];
  readonly started: string[];
}

export function memoryChain(
  scripts: readonly (ProxyScript | ProxyComponent)[],
  overrides: {
    readonly options?: Partial<ConductorOptions>;
    readonly client?: Partial<PeerHandlers>;
    readonly agent?: MemoryAgent;
  } = {},
): MemoryChain {
  const agent = overrides.agent ?? new MemoryAgent();
  const clock = new FakeClock(),
    notices: Notice[] = [],
    warnings: string[] = [],
    notifications: unknown[] = [],
    started: string[] = [];
  const [clientEnd, conductorEnd] = memoryChannels();
  const wired = scripts.map((script, i) => ("kind" in script ? script : new WireProxy(`p${i + 1}`, script)));
  const conductor = conduct(conductorEnd, {
    proxies: wired.map(
      (proxy): ProxyComponent =>
        proxy instanceof WireProxy
          ? {
              kind: "external",
              name: proxy.name,
              ...(proxy.script.memory ? { memory: proxy.script.memory } : {}),
              start: () => {
                started.push(proxy.name);
                return proxy.start();
              },
            }
          : proxy,
    ),
    last: {
      kind: "agent",
      name: "agent",
      start: () => {
        started.push("agent");
        return {
          channel: withExit(agent.channel, "agent"),
          stop: async () => {
            await agent.channel[Symbol.asyncDispose]();
          },
          lastWords: () => "",
        };
      },
    },
    clock,
    notice: notice => notices.push(notice),
    onWarning: message => warnings.push(message),
    ...overrides.options,
  });
  const client = new Peer(clientEnd, {
    request: request => request.fail(new RpcError(RpcCode.methodNotFound, `no ${request.method}`)),
    notification: (method, params) => {
      notifications.push([method, params]);
    },
    closed: ({ message }) => {
      notifications.push(message);
    },
    ...overrides.client,
  });
  return {
    client,
    agent,
    proxies: wired.filter(proxy => proxy instanceof WireProxy),
    conductor,
    clock,
    notices,
    warnings,
    notifications,
    started,
  };
}
