/**
 * An external proxy in a chain: starts it, initialises it by proxy-start.ts, and passes everything else through it, or past it
 * when it was bypassed.
 *
 *      client ── up ──▶ plain ─┐        Invariant: a proxy that fails before it is initialised is left out, and nothing that
 *                              proxy    its neighbours asked is lost; one that fails later ends the chain, after what waited
 *   successor ── down ▶ wrapped ┘       for it was answered with an error that names it. When its successor is gone, what the
 *                                       proxy has in its hands, answers above all, reaches the client before the end does.
 */
import { AgentError } from "../errors";
import type { Channel, Closed } from "../rpc/channel";
import type { Frame } from "../rpc/frame";
import { objectOr } from "../rpc/json";
import { failure, proxyHop, type ProxyHop } from "../rpc/hop";
import { RpcCode, type RpcErrorObject } from "../rpc/message";
import type { ProxyComponent, Running } from "./component";
import { startStep, type Answer, type Ask, type StartEffect, type StartEvent, type StartState } from "./proxy-start";
import { letGo, pass, SLOW_MS, started, type StageWorld } from "./stage";

/** Of the proxy's own time: while it waits for its successor the clock stands still. */
export const INITIALIZE_LIMIT_MS = 30_000;

/** How long a proxy without a successor has for what it owes its client; an answer from behind it may be on its way through it. */
export const LAST_ANSWERS_MS = 1000;

/** Never rejects; the channels are taken over when the proxy runs, or cannot. */
export async function proxyStage({ name, start }: Extract<ProxyComponent, { readonly kind: "external" }>, up: Channel, down: Channel, world: StageWorld): Promise<AsyncDisposable> {
  return new ProxyStage(name, await started(name, start), up, down, world);
}

class ProxyStage implements AsyncDisposable {
  #state: StartState = { kind: "waiting" };
  readonly #hop: ProxyHop;
  #timers: readonly Disposable[] = [];
  /** How its connection ended before it was ready. */
  #why: Closed | undefined;
  /** What the proxy hears from a successor that is gone. */
  #gone: RpcErrorObject | undefined;
  #ending: Promise<void> | undefined;

  constructor(readonly name: string, readonly running: Running, readonly up: Channel, readonly down: Channel, readonly world: StageWorld) {
    this.#hop = proxyHop(running.channel, {
      ids: world.ids,
      odd: (what, detail) => world.odd(name, what, detail),
      unanswered: reason => world.unanswered(name, reason),
      ended: reason => this.#died(reason),
    });
    this.#hop.plain.start({ receive: frame => this.#fromProxy(frame), closed: () => this.#proxyGone() });
    this.#hop.wrapped.start({ receive: frame => this.#towardSuccessor(frame), closed: () => undefined });
    up.start({ receive: frame => this.#fromClient(frame), closed: () => this.#end() });
    down.start({ receive: frame => this.#fromSuccessor(frame), closed: reason => this.#successorGone(reason) });
  }

  [Symbol.asyncDispose](): Promise<void> { return (this.#ending ??= this.#endNow()); }

  #fromClient(frame: Frame): void | Promise<void> {
    const { envelope } = frame;
    if (envelope.kind === "request" && envelope.method === "initialize") return this.#step({ kind: "initialize", ask: askIn(frame) });
    return pass(frame, this.#state.kind === "bypassed" ? this.down : this.#hop.plain);
  }

  #fromProxy(frame: Frame): void | Promise<void> {
    if (!this.#ending && this.#state.kind === "asked" && isAnswerTo(this.#state.ask.id, frame)) return this.#step({ kind: "answered", answer: answerIn(frame) });
    if (this.#state.kind !== "bypassed") return this.world.up.push(frame, this.up);
    if (isLeaving(frame) && !isAnswerTo(this.#state.settled, frame)) return this.world.up.push(frame, this.up);
  }

  #towardSuccessor(frame: Frame): void | Promise<void> {
    const { envelope } = frame;
    if (this.#state.kind === "bypassed" && !isLeaving(frame)) return;
    if (this.#gone && envelope.kind === "request") return pass(failure(Number(envelope.id), this.#gone), this.#hop.wrapped);
    if (this.#state.kind === "asked" && envelope.kind === "request" && envelope.method === "initialize") return this.#step({ kind: "forwarded", ask: askIn(frame) });
    return this.world.down.push(frame, this.down);
  }

  #fromSuccessor(frame: Frame): void | Promise<void> {
    const state = this.#state;
    if (state.kind === "asked" && state.successor.kind === "asked" && isAnswerTo(state.successor.id, frame)) return this.#step({ kind: "successorAnswered", answer: answerIn(frame) });
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
        this.#hop.spell(`${effect.spelling}/successor`);
        this.#hop.plain.send(effect.frame.withMethod(`${effect.spelling}/initialize`));
        break;
      case "toProxy": this.#hop.wrapped.send(effect.frame); break;
      case "toClient": this.up.send(effect.frame); break;
      case "toSuccessor": this.down.send(effect.frame); break;
      case "refuse": this.#hop.wrapped.send(failure(effect.id, { code: RpcCode.invalidParams, message: effect.message })); break;
      case "watch": this.#watch(effect.on); break;
      case "bypass":
        this.world.notice({
          kind: "bypassed", component: this.name, message: `The agent extension “${this.name}” is left out: ${effect.why}`, cause: effect.cause ?? (this.running.lastWords() || undefined),
          ...(this.#why === undefined ? {} : { reason: this.#why }),
        });
        letGo(this.running.stop, error => this.world.odd(this.name, "it could not be stopped", error));
    }
  }

  #watch(on: boolean): void {
    for (const timer of this.#timers) timer[Symbol.dispose]();
    this.#timers = !on ? [] : [
      this.world.clock.after(SLOW_MS, () => this.world.notice({ kind: "slow", component: this.name, message: `The agent extension “${this.name}” is still starting.` })),
      this.world.clock.after(INITIALIZE_LIMIT_MS, () => this.#step({ kind: "late", seconds: INITIALIZE_LIMIT_MS / 1000 })),
    ];
  }

  /** Before what it leaves open is settled: so that the chain knows that it is not an answer. */
  #died(reason: Closed): void {
    if (this.#ending) return;
    if (this.#state.kind === "ready") return this.world.failed(this.name, reason);
    this.#why = reason;
    // What to do about it in a chain that needs it is no advice here.
    this.#step({ kind: "died", why: reason instanceof AgentError ? reason.what : reason.message, cause: reason.cause });
  }

  #proxyGone(): void {
    if (this.#state.kind !== "bypassed") this.#end();
  }

  #successorGone(reason: Closed): void {
    const state = this.#state;
    if (this.#ending || !(state.kind === "ready" || (state.kind === "asked" && state.successor.kind === "answered"))) return this.#end();
    this.#gone = this.world.unanswered(this.name, reason);
    this.#watch(false);
    this.#timers = [this.world.clock.after(LAST_ANSWERS_MS, () => this.#end())];
    void this.#hop.answered().then(() => this.#end());
  }

  #end(): void { letGo(() => this[Symbol.asyncDispose](), error => this.world.odd(this.name, "it could not be stopped", error)); }

  async #endNow(): Promise<void> {
    await Promise.resolve(); // `#ending` is set before the channels tell that they closed
    this.#watch(false);
    await Promise.all([this.running.stop(), this.up[Symbol.asyncDispose](), this.down[Symbol.asyncDispose]()]);
  }
}

function isAnswerTo(id: number | undefined, { envelope }: Frame): boolean {
  return id !== undefined && envelope.kind === "response" && envelope.id === id;
}

/** What settles the requests of a proxy that was left out: the rest of what it says is nobody's business any more. */
function isLeaving({ envelope }: Frame): boolean {
  return envelope.kind === "response" || (envelope.kind === "notification" && envelope.method === "$/cancel_request");
}

function askIn(frame: Frame): Ask {
  const { message, envelope } = frame;
  return { frame, id: envelope.kind === "request" ? Number(envelope.id) : 0, version: "params" in message ? objectOr(message.params).protocolVersion : undefined };
}

function answerIn(frame: Frame): Answer {
  const { message } = frame;
  if ("error" in message) return { frame, version: undefined, error: message.error };
  return { frame, version: "result" in message ? objectOr(message.result).protocolVersion : undefined };
}
