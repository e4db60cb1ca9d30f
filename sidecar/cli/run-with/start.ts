/** Starts the components of `run-with`. */
import type { Installable } from "../../../src/protocol/agents/agent-service";
import type { AgentCommand } from "../../agents/distributions/agent-command";
import { startComponent } from "../../agents/start-component";
import type { Running, Start } from "../../conductor/component";
import { AgentError } from "../../errors";
import type { ProcessDeps } from "../../process/child";
import type { Environment } from "../../process/login-shell-environment";
import { startProcess } from "../../process/stdio-process";
import type { Channel, Closed } from "../../rpc/channel";
import type { ComponentSpec } from "../component-spec";
import type { ComponentResolver } from "../runtime/component-resolver";
import type { Notify } from "../runtime/log";

export interface StarterDeps {
  /** Loads the store on first use. */
  readonly resolver: () => Promise<ComponentResolver>;
  readonly processes: ProcessDeps;
  readonly notify: Notify;
  readonly version: string;
}

export type StarterFor = (kind: Installable, name: string, command: ComponentSpec["command"]) => Start;

export function commandStarter({ resolver, processes, notify, version }: StarterDeps): StarterFor {
  return (kind, name, given) => async signal => {
    const { command, environment }: { readonly command: AgentCommand; readonly environment?: Environment } =
      given.kind === "store" || given.kind === "word"
        ? await (await resolver()).resolve(kind, given, signal)
        : { command: given };
    // Arguments and environment are not logged, because they often contain keys.
    notify("info", `Starting ${name}`, command.kind === "process" ? { command: command.command } : {});
    const deps = environment === undefined ? processes : { ...processes, environment: () => environment };
    const { channel, stop, lastWords } = await startComponent(name, command, process.cwd(), {
      version,
      startProcess: spec => startProcess(spec, deps),
    });
    return { channel: withoutAdvice(channel), stop, lastWords };
  };
}

/** Removes advice about VS Code from the reason. */
function withoutAdvice(channel: Channel): Channel {
  const plain = (reason: Closed): Closed =>
    reason instanceof AgentError ? { message: reason.what, cause: reason.cause } : reason;
  return {
    start: receiver =>
      channel.start({ receive: frame => receiver.receive(frame), closed: reason => receiver.closed(plain(reason)) }),
    send: frame => channel.send(frame),
    drained: () => channel.drained(),
    [Symbol.asyncDispose]: () => channel[Symbol.asyncDispose](),
  };
}

/**
 * A component whose process starts before the conductor is loaded. The conductor receives this process at its first
 * start of the component. Until then, the process receives no byte.
 */
export class EarlyStart implements AsyncDisposable {
  readonly #start: Start;
  readonly #disposal = new AbortController();
  /** `taken`: the conductor starts the component itself from then on, for example a second time. */
  #state: { readonly kind: "waiting" | "taken" } | { readonly kind: "early"; readonly running: Promise<Running> } = {
    kind: "waiting",
  };

  constructor(start: Start) {
    this.#start = start;
  }

  begin(): void {
    if (this.#state.kind !== "waiting") return;
    const running = Promise.resolve(this.#start(this.#disposal.signal));
    running.catch(() => undefined); // reported by `start`
    this.#state = { kind: "early", running };
  }

  readonly start: Start = signal => {
    const state = this.#state;
    this.#state = { kind: "taken" };
    return state.kind === "early" ? state.running : this.#start(signal);
  };

  /** Stops the process if the conductor has not taken it. */
  async [Symbol.asyncDispose](): Promise<void> {
    const state = this.#state;
    this.#state = { kind: "taken" };
    this.#disposal.abort();
    if (state.kind === "early") await (await state.running.catch(() => undefined))?.stop();
  }
}
