/** A chain of programs with the bench's client in front. The client counts newlines and parses nothing. */
import type { ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { startNative, startProgram, type NativeConductor, type Program } from "./child";
import { onLines } from "./lines";
import { request, type Kind } from "./messages";
import type { Meters, Usage } from "./meter";

export interface ChainSpec {
  readonly name: string;
  readonly program: Program | NativeConductor;
  readonly args?: readonly string[];
  /** Processes between client and agent. */
  readonly metered: number;
  /** Number of processes that a message passes on its way from the client to the agent. */
  readonly hops: number;
}

export class Chain implements AsyncDisposable {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #exited: Promise<unknown>;
  #isEnding = false;
  #lastId = 0;
  #arrived: () => void = () => undefined;

  private constructor(
    readonly spec: ChainSpec,
    readonly name: string,
    private readonly meters: Meters,
  ) {
    const environment = meters.environment(name);
    this.#child =
      typeof spec.program === "string"
        ? startProgram(spec.program, spec.args, environment)
        : startNative(spec.program, environment);
    this.#child.stdout.on(
      "data",
      onLines(() => this.#arrived()),
    );
    this.#exited = new Promise(resolve => this.#child.once("exit", resolve));
    void this.#exited.then(code => {
      if (!this.#isEnding) throw new Error(`${name} exited with ${String(code)}`);
    });
  }

  static async start(spec: ChainSpec, meters: Meters): Promise<Chain> {
    const chain = new Chain(spec, `${spec.name} ${++started}`, meters);
    await chain.#lines(1, () =>
      chain.#notify({ id: 0, method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } }),
    );
    await meters.ready(chain.name, spec.metered);
    return chain;
  }

  /** Sequential round trips. Resolves with the microseconds of each, sorted. */
  async roundTrips(kind: Kind, count: number): Promise<Float64Array> {
    this.#notify({ method: "_bench/answer", params: { kind } });
    const line = request(kind),
      times = new Float64Array(count);
    let i = 0,
      begin = 0;
    await new Promise<void>(resolve => {
      const next = (): void => {
        begin = performance.now();
        this.#child.stdin.write(line.withId(++this.#lastId));
      };
      this.#arrived = () => {
        times[i++] = (performance.now() - begin) * 1000;
        if (i < count) next();
        else resolve();
      };
      next();
    });
    return times.sort();
  }

  /** Resolves with the seconds in which this number of the agent's notifications arrived. */
  async stream(kind: Kind, count: number): Promise<number> {
    const begin = performance.now();
    await this.#lines(count, () => this.#notify({ method: "_bench/stream", params: { kind, count } }));
    return (performance.now() - begin) / 1000;
  }

  usage(): Promise<Usage> {
    return this.meters.usage(this.name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnding = true;
    this.#child.stdin.end();
    await this.#exited;
  }

  #notify(message: object): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  #lines(count: number, begin: () => void): Promise<void> {
    return new Promise(resolve => {
      let remaining = count;
      this.#arrived = () => {
        if (--remaining === 0) resolve();
      };
      begin();
    });
  }
}

let started = 0;
