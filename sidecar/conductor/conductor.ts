/**
 * The conductor runs a chain of proxies with an agent at its end. To its client, the conductor is an agent, or a proxy
 * if the chain ends in the conductor's own successor.
 *
 *   client ══ hop ── entry ─ stage ─ link ─ stage ─ link ─ … ─ agent ══ process
 *
 *   waiting ── initialize ──▶ running ── the client disconnects, a component fails, dispose ──▶ ended
 *
 * Each stage has one client and one successor. Links are bounded and preserve order, including responses. A stage
 * pauses while the next link is full.
 *
 * Invariants:
 * - No component starts before the first `initialize`; then all start at once.
 * - Every request of the client is answered, with an error that names the failed component if necessary.
 * - When `closed` resolves, no component is running.
 */
import { serveProxy } from "../proxies/serve-proxy";
import type { Channel } from "../rpc/channel";
import type { Clock } from "../rpc/clock";
import type { Frame } from "../rpc/frame";
import { countingIds, failure, hop, proxyHop, type Ids, type OpenRequests, type ProxyHop } from "../rpc/hop";
import { memoryChannels } from "../rpc/memory-channel";
import { RpcCode, type RpcErrorObject } from "../rpc/message";
import { agentStage } from "./agent-stage";
import type { ConductorClosed, LastComponent, Notice, ProxyComponent, Trace } from "./component";
import { Backpressure } from "./backpressure";
import { ChainEntry, join } from "./chain-entry";
import { mcpBridge, type McpBridgeOptions } from "./mcp-bridge";
import { negotiated } from "./protocol-version";
import { isProxyInitialize, isProxyMethod, reject, withoutProxyMethods } from "./proxy-methods";
import { proxyStage } from "./proxy-stage";
import { closedReason, runInBackground, pass, unanswered, type StageDeps } from "./stage";
import { traced, traceNames } from "./traced-channel";
import { AGENT_METHODS, PROXY_METHODS } from "../acp/methods";

export interface ConductorOptions {
  /** In order from the client to the agent. */
  readonly proxies: readonly ProxyComponent[];
  readonly last: LastComponent;
  readonly clock: Clock;
  readonly notice: (notice: Notice) => void;
  /** Reports protocol violations for the log, with the component that caused them. */
  readonly onWarning: (what: string, detail: unknown) => void;
  readonly trace?: Trace;
  /** Options of the bridge for agents that do not support MCP over ACP. */
  readonly bridge?: Omit<McpBridgeOptions, "clock">;
}

/** Takes ownership of `upstream` and disposes it at the end. */
export function conduct(upstream: Channel, options: ConductorOptions): Conductor {
  return new Conductor(upstream, options);
}

type State =
  | { readonly kind: "waiting" }
  | { readonly kind: "running"; readonly first: ChainEntry; readonly stages: readonly Promise<AsyncDisposable>[] }
  | { readonly kind: "ended" };

class Conductor implements AsyncDisposable {
  /** Never rejects. */
  readonly closed: Promise<ConductorClosed>;
  readonly #options: ConductorOptions;
  readonly #ids: Ids = countingIds();
  readonly #down = new Backpressure();
  readonly #up = new Backpressure();
  /** Aborts the starts of components when the chain ends. */
  readonly #starts = new AbortController();
  readonly #client: Channel;
  readonly #open: OpenRequests & { readonly plain: Channel };
  /** Set if the chain ends in the conductor's own successor. */
  readonly #successor: ProxyHop | undefined;
  readonly #fromSuccessor: ChainEntry | undefined;
  #state: State = { kind: "waiting" };
  /** The first failure of a component. Later failures are its consequences. */
  #failure: ConductorClosed | undefined;
  #ending: Promise<void> | undefined;
  #settleClosed: (reason: ConductorClosed) => void = () => undefined;

  constructor(upstream: Channel, options: ConductorOptions) {
    this.#options = options;
    this.closed = new Promise(resolve => {
      this.#settleClosed = resolve;
    });
    const hopOptions = { ids: this.#ids, onWarning: options.onWarning };
    if (options.last.kind === "successor") this.#open = this.#successor = proxyHop(upstream, hopOptions);
    else this.#open = hop(upstream, hopOptions);
    this.#client = this.#open.plain;
    this.#fromSuccessor =
      this.#successor &&
      this.#successorEntry(withoutProxyMethods(this.#successor.wrapped, { onWarning: options.onWarning }));
    this.#client.start({ receive: frame => this.#receive(frame), closed: reason => this.#end(reason) });
  }

  /** The failure that ends the chain. Set before the client is notified. */
  get failure(): ConductorClosed | undefined {
    return this.#failure;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#endOnce({ message: "The chain was closed." });
  }

  #receive(frame: Frame): void | Promise<void> {
    const { envelope } = frame;
    if (this.#state.kind === "running") {
      const { first } = this.#state;
      if (envelope.kind !== "response" && this.#isMisplaced(envelope.method))
        return reject(frame, this.#client, this.#options);
      return this.#initializable(frame, checked => this.#down.paused(first.arrived(checked)));
    }
    if (this.#state.kind === "ended" || envelope.kind !== "request") return;
    const error = this.#firstRequestError(envelope.method);
    if (error) return pass(failure(Number(envelope.id), error), this.#client);
    return this.#initializable(frame, checked => {
      const first = new ChainEntry(this.#client, () => this.#chainEnded());
      this.#state = { kind: "running", first, stages: this.#startAll(first) };
      return first.arrived(checked);
    });
  }

  /** Rejects an `initialize` with an invalid version. Forwards all other frames. */
  #initializable(frame: Frame, forward: (frame: Frame) => void | Promise<void>): void | Promise<void> {
    const inside = this.#asInitialize(frame),
      { envelope } = inside;
    if (envelope.kind !== "request" || envelope.method !== AGENT_METHODS.initialize) return forward(inside);
    const checked = negotiated(inside);
    return "error" in checked
      ? pass(failure(Number(envelope.id), checked.error), this.#client)
      : forward(checked.frame);
  }

  /** A proxy accepts its initialize method from its client. All other proxy methods are misplaced here. */
  #isMisplaced(method: string): boolean {
    return isProxyMethod(method) && !(this.#successor && isProxyInitialize(method));
  }

  /** Starts the successor's channel, because a hop delivers no frame until both of its channels have a receiver. */
  #successorEntry(successor: Channel): ChainEntry {
    const entry = new ChainEntry(successor, () => this.#chainEnded());
    successor.start({
      receive: frame =>
        this.#state.kind === "running" ? this.#up.paused(entry.arrived(frame)) : refuse(frame, successor),
      closed: reason => entry.end(reason),
    });
    return entry;
  }

  /** Normalises the method of every dialect to `initialize`, the only one inside the chain. */
  #asInitialize(frame: Frame): Frame {
    const { envelope } = frame;
    if (!this.#successor || envelope.kind !== "request" || !isProxyInitialize(envelope.method)) return frame;
    this.#successor.spell(envelope.method === PROXY_METHODS.proxy_initialize ? "proxy" : "_proxy");
    return frame.withMethod(AGENT_METHODS.initialize);
  }

  #firstRequestError(method: string): RpcErrorObject | undefined {
    const errorOf = (message: string, code: number = RpcCode.invalidRequest): RpcErrorObject => ({ code, message });
    if (method !== AGENT_METHODS.initialize && !isProxyInitialize(method))
      return errorOf(`“${method}” was received before initialize.`);
    if (method === AGENT_METHODS.initialize && this.#successor)
      return errorOf("This process is a proxy and expects proxy/initialize. To use it as an agent, specify an agent.");
    // Not -32600: an older proxy forwards the method of a newer conductor, which retries with the older method
    // after this error.
    if (method !== AGENT_METHODS.initialize && !this.#successor)
      return errorOf(
        "This process is an agent and expects initialize. To use it as a proxy, start it without an agent.",
        RpcCode.methodNotFound,
      );
    return undefined;
  }

  #startAll(first: ChainEntry): readonly Promise<AsyncDisposable>[] {
    const { proxies, last, trace, bridge } = this.#options;
    const deps = this.#deps();
    const middle =
      last.kind === "agent" ? [...proxies, bridgeOf({ ...bridge, clock: this.#options.clock }, deps)] : proxies;
    const names = traceNames(middle.map(({ name }) => name));
    const link = (end: Channel, i: number): Channel =>
      trace ? traced(end, names[i + 1] ?? "", names[i] ?? "", i, trace) : end;
    let up: Channel = link(first, 0);
    const stages = middle.map((proxy, i) => {
      const [down, next] = memoryChannels();
      const stage = this.#proxyStage(proxy, up, down, deps);
      up = link(next, i + 1);
      return stage;
    });
    return [...stages, last.kind === "agent" ? agentStage(last, up, deps) : Promise.resolve(this.#joinSuccessor(up))];
  }

  /** An extension that cannot be created is bypassed, like one that cannot be started. */
  async #proxyStage(proxy: ProxyComponent, up: Channel, down: Channel, deps: StageDeps): Promise<AsyncDisposable> {
    if (proxy.kind === "external") return proxyStage(proxy, up, down, deps);
    if (proxy.kind === "deferred") {
      const resolved = await this.#resolved(proxy, deps);
      return resolved ? this.#proxyStage(resolved, up, down, deps) : join(up, down);
    }
    try {
      return proxy.serve(up, down, this.#ids);
    } catch (cause) {
      deps.notice({
        kind: "bypassed",
        component: proxy.name,
        message: `The agent extension “${proxy.name}” is skipped: it could not be started.`,
        cause,
      });
      return join(up, down);
    }
  }

  /** Returns undefined, after a notice, if the component is bypassed. */
  async #resolved(
    { name, resolve }: Extract<ProxyComponent, { kind: "deferred" }>,
    { ending, notice }: StageDeps,
  ): Promise<ProxyComponent | undefined> {
    try {
      return await resolve(ending);
    } catch (error) {
      const { message, cause } = closedReason(name, error);
      if (!ending.aborted)
        notice({
          kind: "bypassed",
          component: name,
          message: `The agent extension “${name}” is skipped: ${message}`,
          cause,
        });
      return undefined;
    }
  }

  #joinSuccessor(up: Channel): AsyncDisposable {
    if (!this.#fromSuccessor) throw new Error("an agent has no successor");
    return join(up, this.#fromSuccessor);
  }

  #deps(): StageDeps {
    const { clock, notice, onWarning } = this.#options;
    return {
      clock,
      notice,
      ids: this.#ids,
      ending: this.#starts.signal,
      down: this.#down,
      up: this.#up,
      onWarning: (component, what, detail) => onWarning(`${component}: ${what}`, detail),
      unanswered: (component, reason) => unanswered(this.#failure?.component ?? component, this.#failure ?? reason),
      failed: (component, reason) => {
        if (this.#failure || this.#state.kind === "ended") return;
        const { message, cause } = reason;
        this.#failure = { message, cause, component, reason };
        notice({ kind: "failed", component, message, cause });
      },
    };
  }

  /** Called when the first stage has closed its channel to the client. */
  #chainEnded(): void {
    this.#end(this.#failure ?? { message: "The chain has ended." });
  }

  #end(reason: ConductorClosed): void {
    runInBackground(
      () => this.#endOnce(reason),
      error => this.#options.onWarning("the chain could not be closed", error),
    );
  }

  #endOnce(reason: ConductorClosed): Promise<void> {
    return (this.#ending ??= this.#endNow(this.#failure ?? reason));
  }

  async #endNow(reason: ConductorClosed): Promise<void> {
    await Promise.resolve(); // set `#ending` before the channels report that they closed
    const state = this.#state;
    this.#state = { kind: "ended" };
    this.#starts.abort(new Error(reason.message));
    this.#open.refuseOpen(unanswered(reason.component, reason));
    await this.#client[Symbol.asyncDispose]();
    if (state.kind === "running") {
      state.first.end(reason);
      const stages = await Promise.all(state.stages);
      await Promise.all(stages.map(stage => stage[Symbol.asyncDispose]()));
    }
    this.#settleClosed(reason);
  }
}
export type { Conductor };

/** Rejects messages of the successor before the chain starts and after it ends. */
function refuse(frame: Frame, successor: Channel): void | Promise<void> {
  const { envelope } = frame;
  if (envelope.kind === "request")
    return pass(
      failure(Number(envelope.id), {
        code: RpcCode.invalidRequest,
        message: `“${envelope.method}” was received before initialize.`,
      }),
      successor,
    );
}

function bridgeOf(options: McpBridgeOptions, { onWarning }: StageDeps): ProxyComponent {
  const bridge = mcpBridge(options);
  return {
    kind: "internal",
    name: bridge.name,
    serve: (client, successor, ids) =>
      serveProxy(bridge, client, successor, ids, { onWarning: (what, detail) => onWarning(bridge.name, what, detail) }),
  };
}
