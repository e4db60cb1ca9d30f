/**
 * An external proxy in a chain: starts it, initialises it by proxy-start.ts, and passes everything else through it, or
 * past it when it was bypassed.
 *
 *      client ── up ──▶ plain ─┐        Invariant: a proxy that fails before it is initialised is left out, and nothing that
 *                              proxy its neighbours asked is lost; one that fails later ends the chain, after what
 *                              waited
 *   successor ── down ▶ wrapped ┘       for it was answered with an error that names it. When its successor is gone, what the
 *                                       proxy has in its hands, answers above all, reaches the client before the end
 *                                       does.
 */
import { AgentError } from "../errors";
import type { Channel, Closed } from "../rpc/channel";
import type { Frame } from "../rpc/frame";
import { failure, proxyHop, type ProxyHop } from "../rpc/hop";
import { RpcCode, type RpcErrorObject } from "../rpc/message";
import type { ProxyComponent, Running } from "./component";
import { versionIn } from "./protocol-version";
import { envelopesOf } from "./proxy-dialect";
import { unknownToSuccessor, withoutProxyMethods } from "./proxy-methods";
import { startStep, type Answer, type Ask, type StartEffect, type StartEvent, type StartState } from "./proxy-start";
import { letGo, pass, SLOW_MS, started, type StageDeps } from "./stage";

/** Of the proxy's own time: while it waits for its successor the clock stands still. */
export const INITIALIZE_LIMIT_MS = 30_000;

/**
 * How long a proxy without a successor has for what it owes its client; an answer from behind it may be on its way
 * through it.
 */
export const LAST_ANSWERS_MS = 1000;

/** Never rejects; the channels are taken over when the proxy runs, or cannot. */
export async function proxyStage(
  component: External,
  up: Channel,
  down: Channel,
  deps: StageDeps,
): Promise<AsyncDisposable> {
  return new ProxyStage(component, await started(component.name, component.start), up, down, deps);
}

type External = Extract<ProxyComponent, { readonly kind: "external" }>;

class ProxyStage implements AsyncDisposable {
  #state: StartState = { kind: "waiting" };
  #running: Running;
  #hop: ProxyHop;
  /** While the process is started anew what its neighbours send waits. */
  #starting: Promise<void> | undefined;
  #timers: readonly Disposable[] = [];
  /** How its connection ended before it was ready. */
  #why: Closed | undefined;
  /** What the proxy hears from a successor that is gone. */
  #gone: RpcErrorObject | undefined;
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
      receive: frame => (this.#starting ? this.#starting.then(() => this.#fromClient(frame)) : this.#fromClient(frame)),
      closed: () => this.#end(),
    });
    down.start({
      receive: frame =>
        this.#starting ? this.#starting.then(() => this.#fromSuccessor(frame)) : this.#fromSuccessor(frame),
      closed: reason => this.#successorGone(reason),
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
      odd = (what: string, detail: unknown): void => deps.odd(name, what, detail);
    const connection: ProxyHop = proxyHop(running.channel, {
      ids: deps.ids,
      odd,
      unanswered: reason => deps.unanswered(name, reason),
      ended: reason => {
        if (isCurrent()) this.#died(reason);
      },
    });
    const isCurrent = (): boolean => this.#hop === connection && !this.#starting;
    const receive = (frame: Frame): void | Promise<void> =>
      isCurrent() ? this.#fromProxy(frame) : this.#fromFormer(frame);
    withoutProxyMethods(connection.plain, { odd }).start({
      receive,
      closed: () => {
        if (isCurrent()) this.#proxyGone();
      },
    });
    withoutProxyMethods(connection.wrapped, { odd, error: unknownToSuccessor }).start({
      receive: frame => this.#towardSuccessor(frame),
      closed: () => undefined,
    });
    return connection;
  }

  #fromClient(frame: Frame): void | Promise<void> {
    const { envelope } = frame;
    if (envelope.kind === "request" && envelope.method === "initialize")
      return this.#step({ kind: "initialize", ask: askIn(frame), known: this.component.memory?.dialect });
    return pass(frame, this.#state.kind === "bypassed" ? this.down : this.#hop.plain);
  }

  #fromProxy(frame: Frame): void | Promise<void> {
    if (!this.#ending && this.#state.kind === "asked" && isAnswerTo(this.#state.ask.id, frame))
      return this.#step({ kind: "answered", answer: answerIn(frame) });
    if (this.#state.kind !== "bypassed") return this.deps.up.push(frame, this.up);
    if (isLeaving(frame) && !isAnswerTo(this.#state.settled, frame)) return this.deps.up.push(frame, this.up);
  }

  /**
   * From a process that was started anew: it settles what it leaves, but not what its successor in this place is asked.
   */
  #fromFormer(frame: Frame): void | Promise<void> {
    if (isLeaving(frame) && !(this.#state.kind === "asked" && isAnswerTo(this.#state.ask.id, frame)))
      return this.deps.up.push(frame, this.up);
  }

  #towardSuccessor(frame: Frame): void | Promise<void> {
    const { envelope } = frame;
    if (this.#state.kind === "bypassed" && !isLeaving(frame)) return;
    if (this.#gone && envelope.kind === "request")
      return pass(failure(Number(envelope.id), this.#gone), this.#hop.wrapped);
    if (this.#state.kind === "asked" && envelope.kind === "request" && envelope.method === "initialize")
      return this.#step({ kind: "forwarded", ask: askIn(frame) });
    return this.deps.down.push(frame, this.down);
  }

  #fromSuccessor(frame: Frame): void | Promise<void> {
    const state = this.#state;
    if (state.kind === "asked" && state.successor.kind === "asked" && isAnswerTo(state.successor.id, frame))
      return this.#step({ kind: "successorAnswered", answer: answerIn(frame) });
    if (state.kind !== "bypassed") return pass(frame, this.#hop.wrapped);
    if (!isAnswerTo(state.renamed?.from, frame)) return pass(frame, this.up);
    this.#state = { kind: "bypassed" };
    return pass(frame.withId(state.renamed?.to ?? 0), this.up);
  }

  #step(event: StartEvent): void {
    const [state, effects] = startStep(this.#state, event);
    this.#state = state;
    for (const effect of effects) this.#carryOut(effect);
  }

  #carryOut(effect: StartEffect): void {
    switch (effect.kind) {
      case "askProxy":
        this.#hop.spell(envelopesOf(effect.dialect));
        this.#hop.plain.send(effect.frame);
        break;
      case "restart":
        this.#starting = this.#restart(effect);
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
          message: `The agent extension “${this.name}” is left out: ${effect.why}`,
          cause: effect.cause ?? (this.#running.lastWords() || undefined),
          ...(this.#why === undefined ? {} : { reason: this.#why }),
        });
        letGo(
          () => this.#running.stop(),
          error => this.deps.odd(this.name, "it could not be stopped", error),
        );
    }
  }

  /** Never rejects. */
  async #restart({ frame, dialect }: Extract<StartEffect, { readonly kind: "restart" }>): Promise<void> {
    const former = this.#running,
      { name, start } = this.component;
    await former.stop().catch((error: unknown) => this.deps.odd(name, "it could not be stopped", error));
    const running = await started(name, start);
    this.#starting = undefined;
    this.#running = running;
    if (this.#ending || this.#state.kind !== "asked")
      return letGo(
        () => running.stop(),
        error => this.deps.odd(name, "it could not be stopped", error),
      );
    this.#hop = this.#connect(running);
    this.#carryOut({ kind: "askProxy", frame, dialect });
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

  /** Before what it leaves open is settled: so that the chain knows that it is not an answer. */
  #died(reason: Closed): void {
    if (this.#ending) return;
    if (this.#state.kind === "ready") return this.deps.failed(this.name, reason);
    this.#why = reason;
    // What to do about it in a chain that needs it is no advice here.
    this.#step({
      kind: "died",
      why: reason instanceof AgentError ? reason.what : reason.message,
      cause: reason.cause,
      exited: hasExited(reason),
    });
  }

  #proxyGone(): void {
    if (this.#state.kind !== "bypassed") this.#end();
  }

  #successorGone(reason: Closed): void {
    const state = this.#state;
    if (this.#ending || !(state.kind === "ready" || (state.kind === "asked" && state.successor.kind === "answered")))
      return this.#end();
    this.#gone = this.deps.unanswered(this.name, reason);
    this.#watch(false);
    this.#timers = [this.deps.clock.after(LAST_ANSWERS_MS, () => this.#end())];
    void this.#hop.answered().then(() => this.#end());
  }

  #end(): void {
    letGo(
      () => this[Symbol.asyncDispose](),
      error => this.deps.odd(this.name, "it could not be stopped", error),
    );
  }

  async #endNow(): Promise<void> {
    await Promise.resolve(); // `#ending` is set before the channels tell that they closed
    this.#watch(false);
    await Promise.all([this.#running.stop(), this.up[Symbol.asyncDispose](), this.down[Symbol.asyncDispose]()]);
  }
}

/** By itself: who kills a proxy does not want another one. */
function hasExited(reason: Closed): boolean {
  return reason instanceof AgentError && reason.code === "exited" && !reason.status?.startsWith("signal ");
}

function isAnswerTo(id: number | undefined, { envelope }: Frame): boolean {
  return id !== undefined && envelope.kind === "response" && envelope.id === id;
}

/** What settles the requests of a proxy that was left out: the rest of what it says is nobody's business any more. */
function isLeaving({ envelope }: Frame): boolean {
  return envelope.kind === "response" || (envelope.kind === "notification" && envelope.method === "$/cancel_request");
}

function askIn(frame: Frame): Ask {
  const { envelope } = frame;
  return { frame, id: envelope.kind === "request" ? Number(envelope.id) : 0, version: versionIn(frame) };
}

function answerIn(frame: Frame): Answer {
  const { message } = frame;
  return "error" in message
    ? { frame, version: undefined, error: message.error }
    : { frame, version: versionIn(frame) };
}
