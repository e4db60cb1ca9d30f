/** Test programs as components of a chain: real processes with a separate ledger, which a test can kill. */
import { pathToFileURL } from "node:url";
import { openLedger } from "../../process/process-ledger";
import { startProcess, type ProcessSpec } from "../../process/stdio-process";
import { newRun } from "../../process/run-id";
import type { ProxyComponent, Start } from "../../conductor/component";
import { temporaryFolder } from "../drive";
import { hurriedClock } from "../accelerated-clock";
import { program } from "../programs/programs";

/** Names of components and their programs, for chains whose components are killed. */
export const THREE_PROXIES = { One: "pass-proxy", Two: "rogue-proxy", Three: "pass-proxy" } as const;

export class ProcessChain implements AsyncDisposable {
  /** Run id in the environment of all processes (census.ts). */
  readonly run = newRun();
  readonly #folder = temporaryFolder();
  readonly #ledger = openLedger(this.#folder.path, this.run);
  readonly #stops: (() => Promise<void>)[] = [];
  readonly #living = new Map<string, number>();
  /** Called when a process has written to stderr. */
  spoke: (name: string) => void = () => undefined;

  /** Names of processes without a reported exit. */
  get living(): readonly string[] {
    return [...this.#living.keys()];
  }

  proxy(
    name: string,
    programName: string,
    args: readonly string[] = [],
  ): Extract<ProxyComponent, { kind: "external" }> {
    return { kind: "external", name, start: this.start({ ...program(programName, args), name }) };
  }

  start(spec: ProcessSpec): Start {
    return () => {
      const child = startProcess(spec, {
        clock: hurriedClock(1),
        ledger: this.#ledger,
        report: { started: () => undefined, ended: () => undefined },
        log: message => {
          if (message === "stderr") this.spoke(spec.name);
        },
      });
      const stop = async (): Promise<void> => {
        await child[Symbol.asyncDispose]();
      };
      if (child.pid !== undefined) {
        this.#living.set(spec.name, child.pid);
        void child.exited.then(() => this.#living.delete(spec.name));
      }
      this.#stops.push(stop);
      return { channel: child.channel, stop, lastWords: () => child.stderr() };
    };
  }

  /** Same as `kill -9`. Does nothing if the process is not alive. */
  kill(name: string): void {
    const pid = this.#living.get(name);
    if (pid !== undefined) process.kill(pid, "SIGKILL");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#stops.map(stop => stop()));
    this.#ledger.close();
    this.#folder[Symbol.dispose]();
  }
}

/**
 * Runs the same program under this name, with fixed output on stderr. Its exit also closes a connection to `witness`
 * (witnessed.program.ts).
 */
export function observed(name: string, spec: ProcessSpec, witness?: string): ProcessSpec {
  const preload = program("witnessed").args.map(file => pathToFileURL(file).href);
  return {
    ...spec,
    name,
    args: ["--import", ...preload, ...spec.args],
    env: {
      ...spec.env,
      SYMPOSIUM_TEST_NAME: name,
      ...(witness === undefined ? {} : { SYMPOSIUM_TEST_WITNESS: witness }),
    },
  };
}
