/** Test programs as components of a chain: real processes, with a ledger of their own. */
import { openLedger } from "../agents/ledger";
import { startProcess, type ProcessSpec } from "../agents/process";
import { newRun } from "../agents/runs";
import type { ProxyComponent, Start } from "../conductor/component";
import { realClock } from "../rpc/clock";
import { temporaryFolder } from "./drive";
import { program } from "./programs";

export class ProcessChain implements AsyncDisposable {
  /** In the environment of all of them (census.ts). */
  readonly run = newRun();
  readonly #folder = temporaryFolder();
  readonly #ledger = openLedger(this.#folder.path, this.run);
  readonly #stops: (() => Promise<void>)[] = [];
  readonly pids = new Map<string, number>();

  proxy(name: string, programName: string, args: readonly string[] = []): Extract<ProxyComponent, { kind: "external" }> {
    return { kind: "external", name, start: this.start({ ...program(programName, args), name }) };
  }

  start(spec: ProcessSpec): Start {
    return () => {
      const child = startProcess(spec, { clock: realClock, ledger: this.#ledger, report: { started: () => undefined, ended: () => undefined }, log: () => undefined });
      const stop = async (): Promise<void> => { await child[Symbol.asyncDispose](); };
      if (child.pid !== undefined) this.pids.set(spec.name, child.pid);
      this.#stops.push(stop);
      return { channel: child.channel, stop, lastWords: () => child.stderr() };
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#stops.map(stop => stop()));
    this.#ledger.close();
    this.#folder[Symbol.dispose]();
  }
}
