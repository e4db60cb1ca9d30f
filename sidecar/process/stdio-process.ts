/**
 * An agent as a child process that speaks over its stdio.
 *
 *   running ── exit ──▶ exited: last words are read, 250 ms at most ──▶ the channel closes, with status and last words
 *
 * Invariants: disposing the process or its channel is the same; a command that cannot be started is a closed channel
 * and a rejected `exited`. How it is started and ended is in `child.ts`.
 */
import { Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";
import { RedactedStream } from "../../src/protocol/redaction/redact";
import { agentExited, type AgentError } from "../errors";
import type { Channel, Closed, Receiver } from "../rpc/channel";
import { ndjsonChannel } from "../rpc/ndjson";
import { startChild, statusOf, type Child, type Exit, type ProcessSpec, type ProcessDeps } from "./child";
import { TailBuffer } from "./tail-buffer";

export {
  systemTools,
  type Exit,
  type ProcessLedger,
  type ProcessSpec,
  type ProcessDeps as ProcessWorld,
} from "./child";

export interface AgentProcess extends AsyncDisposable {
  /** Undefined when it could not be started. */
  readonly pid: number | undefined;
  /** Closes with an `AgentError` that says why. To dispose it stops the process. */
  readonly channel: Channel;
  /** The last 64 kB of it. */
  stderr(): string;
  /** Rejects with `AgentError` when it could not be started. */
  readonly exited: Promise<Exit>;
}

/** Never throws. */
export function startProcess(spec: ProcessSpec, deps: ProcessDeps): AgentProcess {
  const started = startChild(spec, deps);
  return started.kind === "failed" ? notStarted(started.why) : new RunningProcess(started.child, spec.name, deps);
}

/** Descendants can keep the pipes of a dead agent open. */
const LAST_WORDS_MS = 250;
/** How long that is prolonged while more arrives, or the receiver is behind with what did. */
const PROLONGED_MS = 10_000;
/** An agent that has closed its stdout, and lives on, cannot be talked to. */
const SILENT_MS = 1000;
const STDERR_BYTES = 64 * 1024,
  GARBAGE_BYTES = 4 * 1024;
/** From the end of a process that was killed, or does not read, to the time when that is noticed. */
const UNNOTICED_MS = 100;
/** A program that fails by itself may do so because of what it has just read. */
const OWN_FAULTS: ReadonlySet<NodeJS.Signals> = new Set([
  "SIGSEGV",
  "SIGABRT",
  "SIGBUS",
  "SIGILL",
  "SIGFPE",
  "SIGTRAP",
  "SIGSYS",
]);
/** Of one process; the ring buffer has the end of it. */
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
  readonly #words = new RedactedStream();
  /** Text on stdout that is no message: some programs print there why they exit. */
  readonly #garbage = new TailBuffer(GARBAGE_BYTES);
  readonly #lastWords: Promise<Closed>;
  /** When writing to its stdin failed. */
  #inputFailed: number | undefined;
  /** While the receiver has asked for a pause. */
  #receiving: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(child: Child, name: string, deps: ProcessDeps) {
    this.#child = child;
    this.#name = name;
    this.#deps = deps;
    this.pid = child.pid;
    this.exited = child.exited;
    this.#lastWords = this.exited.then(async exit => {
      const readUntil = this.#readUntil(exit);
      await this.#drained();
      return this.#explain(statusOf(exit), readUntil);
    });
    child.stdin.once("error", () => {
      this.#inputFailed ??= this.#deps.clock.now();
    });
    child.stderr.on("data", (chunk: Buffer) => this.#said(chunk));
    this.#stdio = ndjsonChannel(child.stdout, child.stdin, {
      garbage: (line, why) => {
        this.#garbage.push(Buffer.from(`${line}\n`));
        this.#log("garbage on stdout", { line, why });
      },
      closedReason: () => this.#whySilent(),
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

  /** A channel that closes although the process lives (a line too long, a failing receiver) has no use for it. */
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
        if (!this.#child.isRunning()) return void this.#lastWords.then(why => receiver.closed(why));
        receiver.closed(reason);
        void this[Symbol.asyncDispose]();
      },
    };
  }

  async #whySilent(): Promise<Closed> {
    if (await this.#child.within(SILENT_MS, this.exited)) return this.#lastWords;
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
    return Math.min(wasKilled ? now - UNNOTICED_MS : now, (this.#inputFailed ?? Infinity) - UNNOTICED_MS);
  }

  /** Until both pipes are at their end, or for a while nothing came although the receiver was ready for it. */
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
    const until = this.#deps.clock.now() + PROLONGED_MS;
    for (let over = false; !over && this.#deps.clock.now() < until; ) {
      const before = { ready: isReady(), arrived: arrived() };
      const ended = await this.#child.within(LAST_WORDS_MS, Promise.all([closed, this.#receiving]));
      await new Promise(resolve => {
        setImmediate(resolve);
      }); // what was read is handed on
      over = isReady() && (ended || (before.ready && before.arrived === arrived()));
    }
    this.#logWords(this.#words.push(this.#decoder.end()) + this.#words.end());
    stdout.destroy();
    stderr.destroy();
  }

  #said(chunk: Buffer): void {
    const logged = this.#stderr.total;
    this.#stderr.push(chunk);
    if (logged < LOGGED_BYTES) this.#logWords(this.#words.push(this.#decoder.write(chunk)));
    if (logged < LOGGED_BYTES && this.#stderr.total >= LOGGED_BYTES)
      this.#log("more on stderr is not logged", { bytes: LOGGED_BYTES });
  }

  #logWords(text: string): void {
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
  exited.catch(() => undefined); // whoever asks hears it; it need not be asked
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
