/**
 * The agent at the end of a chain. When the agent exits, the chain closes after all pending requests are settled
 * (hop.ts). The client sets the time limit of the start, because the first start may install the agent.
 */
import type { Channel, Closed } from "../rpc/channel";
import type { Frame } from "../rpc/frame";
import { failure, hop } from "../rpc/hop";
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

/** Time for the first message to arrive after an early exit of the agent. */
export const FIRST_MESSAGE_MS = 100;

/**
 * `exited`: before the first message, which is answered with the reason. Otherwise the component in front would answer
 * its client that the other side closed the connection.
 */
type State =
  | { readonly kind: "unasked" | "asked" }
  | { readonly kind: "exited"; readonly reason: Closed; readonly late: Disposable };

class AgentStage implements AsyncDisposable {
  #state: State = { kind: "unasked" };
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
    agent.start({ receive: frame => this.#toClient(frame), closed: reason => this.#exited(reason) });
    up.start({ receive: frame => this.#fromClient(frame, agent), closed: () => this.#end() });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return (this.#ending ??= this.#endNow());
  }

  #exited(reason: Closed): void {
    if (this.#state.kind !== "unasked" || this.#ending) return this.#end();
    const late = this.deps.clock.after(FIRST_MESSAGE_MS, () => this.#end());
    this.#state = { kind: "exited", reason, late };
  }

  #fromClient(frame: Frame, agent: Channel): void | Promise<void> {
    const state = this.#state,
      { envelope } = frame;
    if (state.kind !== "exited") {
      this.#state = { kind: "asked" };
      return this.#toAgent(frame, agent);
    }
    this.#end();
    if (envelope.kind === "request")
      return pass(failure(Number(envelope.id), this.deps.unanswered(this.name, state.reason)), this.up);
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
    if (this.#state.kind === "exited") this.#state.late[Symbol.dispose]();
    await Promise.all([this.running.stop(), this.up[Symbol.asyncDispose]()]);
  }
}
