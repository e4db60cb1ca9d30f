/**
 * Runs an external proxy in a chain. Starts and initialises the proxy (proxy-start.ts) and forwards all other messages
 * to it. The messages of its neighbours are forwarded directly when the proxy is bypassed.
 *
 *      client ── up ───▶ plain ──┐
 *                                proxy
 *   successor ── down ─▶ wrapped ┘
 *
 * Invariants:
 * - A proxy that fails before it is initialised is bypassed, and no request of its neighbours is lost.
 * - A proxy that fails later ends the chain, after its pending requests are answered with an error that names it.
 * - When the successor disconnects, the messages that the proxy still buffers, such as responses, reach the client
 *   before the chain closes.
 */
import { AgentError } from "../errors";
import type { Channel, Closed } from "../rpc/channel";
import type { Frame } from "../rpc/frame";
import { failure, proxyHop, type ProxyHop } from "../rpc/hop";
import { RpcCode, type RpcErrorObject } from "../rpc/message";
import type { ProxyComponent, Running } from "./component";
import { versionIn } from "./protocol-version";
import { unknownToSuccessor, withoutProxyMethods } from "./proxy-methods";
import { startStep, type Answer, type Ask, type StartEffect, type StartEvent, type StartState } from "./proxy-start";
import { runInBackground, pass, SLOW_MS, started, type StageDeps } from "./stage";
import { AGENT_METHODS, PROTOCOL_METHODS } from "../acp/methods";

/** Time limit for `initialize`, excluding the time in which the proxy waits for its successor. */
export const INITIALIZE_LIMIT_MS = 30_000;

/**
 * Time limit for the responses of a proxy whose successor has disconnected. Earlier responses may still pass through
 * the proxy.
 */
export const LAST_ANSWERS_MS = 1000;

/** Never rejects. Takes ownership of the channels when the proxy runs or has failed to start. */
export async function proxyStage(
  component: External,
  up: Channel,
  down: Channel,
  deps: StageDeps,
): Promise<AsyncDisposable> {
  return new ProxyStage(component, await started(component.name, component.start, deps.ending), up, down, deps);
}

type External = Extract<ProxyComponent, { readonly kind: "external" }>;

class ProxyStage implements AsyncDisposable {
  #state: StartState = { kind: "waiting" };
  #running: Running;
  #hop: ProxyHop;
  /** Set while the process restarts. Messages from its neighbours wait until then. */
  #restarting: Promise<void> | undefined;
  #timers: readonly Disposable[] = [];
  /** The reason why the connection closed before the proxy was ready. */
  #closeReason: Closed | undefined;
  /** The error for the proxy's requests to a disconnected successor. */
  #successorError: RpcErrorObject | undefined;
  #ending: Promise<void> | undefined;

  constructor(
    readonly component: External,
    running: Running,
    readonly up: Channel,
    readonly down: Channel,
    readonly deps: StageDeps,
  ) {
    this.#running = running;
    this.#hop = this.#connect(running);
    up.start({
      receive: frame =>
        this.#restarting ? this.#restarting.then(() => this.#fromClient(frame)) : this.#fromClient(frame),
      closed: () => this.#end(),
    });
    down.start({
      receive: frame =>
        this.#restarting ? this.#restarting.then(() => this.#fromSuccessor(frame)) : this.#fromSuccessor(frame),
      closed: reason => this.#successorClosed(reason),
    });
  }

  get name(): string {
    return this.component.name;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return (this.#ending ??= this.#endNow());
  }

  #connect(running: Running): ProxyHop {
    const { name, deps } = this,
      onWarning = (what: string, detail: unknown): void => deps.onWarning(name, what, detail);
    const connection: ProxyHop = proxyHop(running.channel, {
      ids: deps.ids,
      onWarning,
      unanswered: reason => deps.unanswered(name, reason),
      ended: reason => {
        if (isCurrent()) this.#connectionClosed(reason);
      },
    });
    const isCurrent = (): boolean => this.#hop === connection && !this.#restarting;
    const receive = (frame: Frame): void | Promise<void> =>
      isCurrent() ? this.#fromProxy(frame) : this.#fromReplaced(frame);
    withoutProxyMethods(connection.plain, { onWarning }).start({
      receive,
      closed: () => {
        if (isCurrent()) this.#proxyClosed();
      },
    });
    withoutProxyMethods(connection.wrapped, { onWarning, error: unknownToSuccessor }).start({
      receive: frame => this.#towardSuccessor(frame),
      closed: () => undefined,
    });
    return connection;
  }

  #fromClient(frame: Frame): void | Promise<void> {
    const { envelope } = frame;
    if (envelope.kind === "request" && envelope.method === AGENT_METHODS.initialize)
      return this.#step({ kind: "initializeReceived", ask: requestIn(frame), known: this.component.memory?.dialect });
    return pass(frame, this.#state.kind === "bypassed" ? this.down : this.#hop.plain);
  }

  #fromProxy(frame: Frame): void | Promise<void> {
    if (!this.#ending && this.#state.kind === "asked" && isResponseTo(this.#state.ask.id, frame))
      return this.#step({ kind: "answered", answer: responseIn(frame) });
    if (this.#state.kind !== "bypassed") return this.deps.up.push(frame, this.up);
    if (settlesRequest(frame) && !isResponseTo(this.#state.settled, frame)) return this.deps.up.push(frame, this.up);
  }

  /**
   * Handles a message of a process that was replaced by a restart. The message is forwarded only if it settles a
   * request, except the response to the repeated `initialize`.
   */
  #fromReplaced(frame: Frame): void | Promise<void> {
    if (settlesRequest(frame) && !(this.#state.kind === "asked" && isResponseTo(this.#state.ask.id, frame)))
      return this.deps.up.push(frame, this.up);
  }

  #towardSuccessor(frame: Frame): void | Promise<void> {
    const { envelope } = frame;
    if (this.#state.kind === "bypassed" && !settlesRequest(frame)) return;
    if (this.#successorError && envelope.kind === "request")
      return pass(failure(Number(envelope.id), this.#successorError), this.#hop.wrapped);
    if (this.#state.kind === "asked" && envelope.kind === "request" && envelope.method === AGENT_METHODS.initialize)
      return this.#step({ kind: "forwarded", ask: requestIn(frame) });
    return this.deps.down.push(frame, this.down);
  }

  #fromSuccessor(frame: Frame): void | Promise<void> {
    const state = this.#state;
    if (state.kind === "asked" && state.successor.kind === "asked" && isResponseTo(state.successor.id, frame))
      return this.#step({ kind: "successorAnswered", answer: responseIn(frame) });
    if (state.kind !== "bypassed") return pass(frame, this.#hop.wrapped);
    if (!isResponseTo(state.renamed?.from, frame)) return pass(frame, this.up);
    this.#state = { kind: "bypassed" };
    return pass(frame.withId(state.renamed?.to ?? 0), this.up);
  }

  #step(event: StartEvent): void {
    const [state, effects] = startStep(this.#state, event);
    this.#state = state;
    for (const effect of effects) this.#apply(effect);
  }

  #apply(effect: StartEffect): void {
    switch (effect.kind) {
      case "askProxy":
        this.#hop.spell(effect.dialect);
        this.#hop.plain.send(effect.frame);
        break;
      case "restart":
        this.#restarting = this.#restart(effect);
        break;
      case "remember":
        if (this.component.memory) this.component.memory.dialect = effect.dialect;
        break;
      case "toProxy":
        this.#hop.wrapped.send(effect.frame);
        break;
      case "toClient":
        this.up.send(effect.frame);
        break;
      case "toSuccessor":
        this.down.send(effect.frame);
        break;
      case "refuse":
        this.#hop.wrapped.send(failure(effect.id, { code: RpcCode.invalidParams, message: effect.message }));
        break;
      case "watch":
        this.#watch(effect.on);
        break;
      case "bypass":
        this.deps.notice({
          kind: "bypassed",
          component: this.name,
          message: `The agent extension “${this.name}” is skipped: ${effect.why}`,
          cause: effect.cause ?? (this.#running.lastWords() || undefined),
          ...(this.#closeReason === undefined ? {} : { reason: this.#closeReason }),
        });
        runInBackground(
          () => this.#running.stop(),
          error => this.deps.onWarning(this.name, "it could not be stopped", error),
        );
    }
  }

  /** Never rejects. */
  async #restart({ frame, dialect }: Extract<StartEffect, { readonly kind: "restart" }>): Promise<void> {
    const previous = this.#running,
      { name, start } = this.component;
    await previous.stop().catch((error: unknown) => this.deps.onWarning(name, "it could not be stopped", error));
    const running = await started(name, start, this.deps.ending);
    this.#restarting = undefined;
    this.#running = running;
    if (this.#ending || this.#state.kind !== "asked")
      return runInBackground(
        () => running.stop(),
        error => this.deps.onWarning(name, "it could not be stopped", error),
      );
    this.#hop = this.#connect(running);
    this.#apply({ kind: "askProxy", frame, dialect });
  }

  #watch(on: boolean): void {
    for (const timer of this.#timers) timer[Symbol.dispose]();
    this.#timers = !on
      ? []
      : [
          this.deps.clock.after(SLOW_MS, () =>
            this.deps.notice({
              kind: "slow",
              component: this.name,
              message: `The agent extension “${this.name}” is still starting.`,
            }),
          ),
          this.deps.clock.after(INITIALIZE_LIMIT_MS, () =>
            this.#step({ kind: "late", seconds: INITIALIZE_LIMIT_MS / 1000 }),
          ),
        ];
  }

  /**
   * Called before the pending requests are settled, so that the chain can distinguish their errors from responses of
   * the proxy.
   */
  #connectionClosed(reason: Closed): void {
    if (this.#ending) return;
    if (this.#state.kind === "ready") return this.deps.failed(this.name, reason);
    this.#closeReason = reason;
    // `what` omits the advice, which applies only to required components.
    this.#step({
      kind: "died",
      why: reason instanceof AgentError ? reason.what : reason.message,
      cause: reason.cause,
      exited: hasExited(reason),
    });
  }

  #proxyClosed(): void {
    if (this.#state.kind !== "bypassed") this.#end();
  }

  #successorClosed(reason: Closed): void {
    const state = this.#state;
    if (this.#ending || !(state.kind === "ready" || (state.kind === "asked" && state.successor.kind === "answered")))
      return this.#end();
    this.#successorError = this.deps.unanswered(this.name, reason);
    this.#watch(false);
    this.#timers = [this.deps.clock.after(LAST_ANSWERS_MS, () => this.#end())];
    void this.#hop.answered().then(() => this.#end());
  }

  #end(): void {
    runInBackground(
      () => this[Symbol.asyncDispose](),
      error => this.deps.onWarning(this.name, "it could not be stopped", error),
    );
  }

  async #endNow(): Promise<void> {
    await Promise.resolve(); // set `#ending` before the channels report that they closed
    this.#watch(false);
    await Promise.all([this.#running.stop(), this.up[Symbol.asyncDispose](), this.down[Symbol.asyncDispose]()]);
  }
}

/** Whether the process exited by itself. A killed proxy is not restarted. */
function hasExited(reason: Closed): boolean {
  return reason instanceof AgentError && reason.code === "exited" && !reason.status?.startsWith("signal ");
}

function isResponseTo(id: number | undefined, { envelope }: Frame): boolean {
  return id !== undefined && envelope.kind === "response" && envelope.id === id;
}

/** Whether a message settles a request. All other messages of a bypassed or replaced proxy are dropped. */
function settlesRequest({ envelope }: Frame): boolean {
  return (
    envelope.kind === "response" ||
    (envelope.kind === "notification" && envelope.method === PROTOCOL_METHODS.cancel_request)
  );
}

function requestIn(frame: Frame): Ask {
  const { envelope } = frame;
  return { frame, id: envelope.kind === "request" ? Number(envelope.id) : 0, version: versionIn(frame) };
}

function responseIn(frame: Frame): Answer {
  const { message } = frame;
  return "error" in message
    ? { frame, version: undefined, error: message.error }
    : { frame, version: versionIn(frame) };
}
