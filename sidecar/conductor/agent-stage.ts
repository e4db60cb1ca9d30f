/**
 * The agent at the end of a chain. When the agent exits, the chain closes after all pending requests are settled
 * (hop.ts). The client sets the time limit of the start, because the first start may install the agent.
 */
import type { Channel } from "../rpc/channel";
import type { Frame } from "../rpc/frame";
import { hop } from "../rpc/hop";
import type { LastComponent, Running } from "./component";
import { withoutProxyMethods } from "./proxy-methods";
import { runInBackground, pass, SLOW_MS, started, type StageDeps } from "./stage";
import { AGENT_METHODS } from "../acp/methods";

/** Never rejects. */
export async function agentStage(
  { name, start }: Extract<LastComponent, { readonly kind: "agent" }>,
  up: Channel,
  deps: StageDeps,
): Promise<AsyncDisposable> {
  return new AgentStage(name, await started(name, start, deps.ending), up, deps);
}

class AgentStage implements AsyncDisposable {
  /** The `initialize` request while it is unanswered. */
  #starting: { readonly id: unknown; readonly slow: Disposable } | undefined;
  #ending: Promise<void> | undefined;

  constructor(
    readonly name: string,
    readonly running: Running,
    readonly up: Channel,
    readonly deps: StageDeps,
  ) {
    const onWarning = (what: string, detail: unknown): void => deps.onWarning(name, what, detail);
    const agent = withoutProxyMethods(
      hop(running.channel, {
        ids: deps.ids,
        onWarning,
        unanswered: reason => deps.unanswered(name, reason),
        ended: reason => {
          if (!this.#ending) deps.failed(name, reason);
        },
      }).plain,
      { onWarning },
    );
    // After the first message, so that the request is answered with the reason if the agent has already exited.
    let receive = (first: Frame): void | Promise<void> => {
      receive = frame => this.#toAgent(frame, agent);
      const busy = receive(first);
      agent.start({ receive: frame => this.#toClient(frame), closed: () => this.#end() });
      return busy;
    };
    up.start({ receive: frame => receive(frame), closed: () => this.#end() });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return (this.#ending ??= this.#endNow());
  }

  #toAgent(frame: Frame, agent: Channel): void | Promise<void> {
    const { envelope } = frame;
    if (envelope.kind === "request" && envelope.method === AGENT_METHODS.initialize) {
      this.#stopSlowTimer();
      const slow = this.deps.clock.after(SLOW_MS, () =>
        this.deps.notice({ kind: "slow", component: this.name, message: `${this.name} is still starting.` }),
      );
      this.#starting = { id: envelope.id, slow };
    }
    return pass(frame, agent);
  }

  #toClient(frame: Frame): void | Promise<void> {
    if (this.#starting && frame.envelope.kind === "response" && frame.envelope.id === this.#starting.id)
      this.#stopSlowTimer();
    return this.deps.up.paused(pass(frame, this.up));
  }

  #stopSlowTimer(): void {
    this.#starting?.slow[Symbol.dispose]();
    this.#starting = undefined;
  }

  #end(): void {
    runInBackground(
      () => this[Symbol.asyncDispose](),
      error => this.deps.onWarning(this.name, "it could not be stopped", error),
    );
  }

  async #endNow(): Promise<void> {
    await Promise.resolve(); // set `#ending` before the channels report that they closed
    this.#stopSlowTimer();
    await Promise.all([this.running.stop(), this.up[Symbol.asyncDispose]()]);
  }
}
