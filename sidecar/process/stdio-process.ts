/**
 * An agent as a child process that communicates over stdio.
 *
 *   running ── exit ──▶ exited: read the remaining output ──▶ the channel closes with the status and the end of stderr
 *
 * Invariants:
 * - Disposing the process and disposing its channel have the same effect.
 * - A command that cannot be started yields a closed channel and a rejected `exited`.
 *
 * `child.ts` starts and ends the process.
 */
import { Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";
import { RedactedStream } from "../../src/protocol/redaction/redact";
import { agentExited, type AgentError } from "../errors";
import type { Channel, Closed, Receiver } from "../rpc/channel";
import { ndjsonChannel } from "../rpc/ndjson-channel";
import { startChild, statusOf, type Child, type Exit, type ProcessSpec, type ProcessDeps } from "./child";
import { TailBuffer } from "./tail-buffer";

export {
  systemTools,
  type Exit,
  type ProcessLedger,
  type ProcessSpec,
  type ProcessDeps,
} from "./child";

export interface AgentProcess extends AsyncDisposable {
  /** Undefined if the process could not be started. */
  readonly pid: number | undefined;
  /** Closes with an `AgentError` that contains the reason. Disposing the channel stops the process. */
  readonly channel: Channel;
  /** The last 64 kB of stderr. */
  stderr(): string;
  /** Rejects with `AgentError` if the process could not be started. */
  readonly exited: Promise<Exit>;
}

/** Never throws. */
export function startProcess(spec: ProcessSpec, deps: ProcessDeps): AgentProcess {
  const started = startChild(spec, deps);
  return started.kind === "failed" ? notStarted(started.why) : new RunningProcess(started.child, spec.name, deps);
}

/** Silence after the exit that ends reading, because descendants can keep the pipes open. */
const FINAL_SILENCE_MS = 250;
/** Maximum total time of reading after the exit, while output arrives or the receiver applies back-pressure. */
const MAX_DRAIN_MS = 10_000;
/** Time for an agent to exit after it has closed its stdout; later the channel closes without its exit status. */
const EXIT_WAIT_MS = 1000;
const STDERR_BYTES = 64 * 1024,
  GARBAGE_BYTES = 4 * 1024;
/** Delay between the end of a process that was killed or does not read, and its detection. */
const DETECTION_DELAY_MS = 100;
/** Signals of a program's own failure, which input that it has just read may have caused. */
const OWN_FAULTS: ReadonlySet<NodeJS.Signals> = new Set([
  "SIGSEGV",
  "SIGABRT",
  "SIGBUS",
  "SIGILL",
  "SIGFPE",
  "SIGTRAP",
  "SIGSYS",
]);
/** Maximum bytes of stderr per process that are logged. */
const LOGGED_BYTES = 256 * 1024;

class RunningProcess implements AgentProcess {
  readonly pid: number;
  readonly channel: Channel;
  readonly exited: Promise<Exit>;
  readonly #child: Child;
  readonly #name: string;
  readonly #deps: ProcessDeps;
  readonly #stdio: Channel;
  readonly #stderr = new TailBuffer(STDERR_BYTES);
  readonly #decoder = new StringDecoder("utf8");
  readonly #stderrText = new RedactedStream();
  /** Invalid messages on stdout. Some programs print the reason for their exit there. */
  readonly #garbage = new TailBuffer(GARBAGE_BYTES);
  readonly #exitReason: Promise<Closed>;
  /** Time of the first failed write to stdin. */
  #inputFailed: number | undefined;
  /** Pending while the receiver applies back-pressure. */
  #receiving: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(child: Child, name: string, deps: ProcessDeps) {
    this.#child = child;
    this.#name = name;
    this.#deps = deps;
    this.pid = child.pid;
    this.exited = child.exited;
    this.#exitReason = this.exited.then(async exit => {
      const readUntil = this.#readUntil(exit);
      await this.#drained();
      return this.#explain(statusOf(exit), readUntil);
    });
    child.stdin.once("error", () => {
      this.#inputFailed ??= this.#deps.clock.now();
    });
    child.stderr.on("data", (chunk: Buffer) => this.#onStderr(chunk));
    this.#stdio = ndjsonChannel(child.stdout, child.stdin, {
      garbage: (line, why) => {
        this.#garbage.push(Buffer.from(`${line}\n`));
        this.#log("garbage on stdout", { line, why });
      },
      closedReason: () => this.#closeReason(),
    });
    this.channel = {
      start: receiver => this.#stdio.start(this.#watched(receiver)),
      send: frame => this.#stdio.send(frame),
      drained: () => this.#stdio.drained(),
      [Symbol.asyncDispose]: () => this[Symbol.asyncDispose](),
    };
  }

  stderr(): string {
    return this.#stderr.text();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return (this.#stopping ??= this.#child.stop(() => this.#stdio[Symbol.asyncDispose]()));
  }

  /** A channel that closes while the process runs (line too long, failing receiver) also stops the process. */
  #watched(receiver: Receiver): Receiver {
    return {
      receive: frame => {
        const receiving = receiver.receive(frame)?.finally(() => {
          this.#receiving = undefined;
        });
        this.#receiving = receiving;
        return receiving;
      },
      closed: reason => {
        if (this.#stopping) return receiver.closed(reason);
        if (!this.#child.isRunning()) return void this.#exitReason.then(why => receiver.closed(why));
        receiver.closed(reason);
        void this[Symbol.asyncDispose]();
      },
    };
  }

  async #closeReason(): Promise<Closed> {
    if (await this.#child.within(EXIT_WAIT_MS, this.exited)) return this.#exitReason;
    return this.#explain("it closed its output");
  }

  #explain(status: string, readUntil?: number): AgentError {
    return agentExited(
      this.#name,
      status,
      this.stderr().trim() === "" ? this.#garbage.text() : this.stderr(),
      readUntil,
    );
  }

  /** See `AgentError.readUntil`. */
  #readUntil({ signal }: Exit): number {
    const now = this.#deps.clock.now(),
      wasKilled = signal !== null && !OWN_FAULTS.has(signal);
    return Math.min(wasKilled ? now - DETECTION_DELAY_MS : now, (this.#inputFailed ?? Infinity) - DETECTION_DELAY_MS);
  }

  /** Waits until both pipes have closed, or until no output arrives while the receiver is ready. */
  async #drained(): Promise<void> {
    const { stdout, stderr } = this.#child;
    const closed = Promise.all(
      [stdout, stderr].map(stream =>
        stream.closed
          ? Promise.resolve()
          : new Promise<void>(resolve => {
              stream.once("close", resolve);
            }),
      ),
    );
    const isReady = (): boolean => this.#receiving === undefined && stdout.readableLength === 0;
    const arrived = (): number => (stdout instanceof Socket ? stdout.bytesRead : 0);
    const until = this.#deps.clock.now() + MAX_DRAIN_MS;
    for (let isDrained = false; !isDrained && this.#deps.clock.now() < until; ) {
      const before = { ready: isReady(), arrived: arrived() };
      const ended = await this.#child.within(FINAL_SILENCE_MS, Promise.all([closed, this.#receiving]));
      await new Promise(resolve => {
        setImmediate(resolve);
      }); // lets buffered output reach the receiver
      isDrained = isReady() && (ended || (before.ready && before.arrived === arrived()));
    }
    this.#logStderr(this.#stderrText.push(this.#decoder.end()) + this.#stderrText.end());
    stdout.destroy();
    stderr.destroy();
  }

  #onStderr(chunk: Buffer): void {
    const logged = this.#stderr.total;
    this.#stderr.push(chunk);
    if (logged < LOGGED_BYTES) this.#logStderr(this.#stderrText.push(this.#decoder.write(chunk)));
    if (logged < LOGGED_BYTES && this.#stderr.total >= LOGGED_BYTES)
      this.#log("more on stderr is not logged", { bytes: LOGGED_BYTES });
  }

  #logStderr(text: string): void {
    if (text !== "") this.#log("stderr", { text });
  }

  #log(message: string, detail: Readonly<Record<string, unknown>>): void {
    this.#deps.log(message, { agent: this.#name, ...detail });
  }
}

function notStarted(why: Promise<AgentError>): AgentProcess {
  const exited = why.then((error): never => {
    throw error;
  });
  exited.catch(() => undefined); // avoids an unhandled rejection when `exited` is unused
  return {
    pid: undefined,
    exited,
    stderr: () => "",
    channel: {
      start: receiver => void why.then(error => receiver.closed(error)),
      send: () => true,
      drained: () => Promise.resolve(),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
