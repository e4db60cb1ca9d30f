/**
 * A child process that speaks over its stdio, and its end. The only module of the sidecar that starts processes.
 *
 *   running ── exit ──▶ exited: last words are read, 250 ms at most ──▶ the channel closes, with status and last words
 *      │                   └─ what it left behind is ended (ledger.ts, reap.ts) ──▶ gone: ledger and host are told
 *      └─ dispose: stdin ends ─── 1 s ──▶ SIGTERM to the group and to what left it ─── 1 s ──▶ SIGKILL; Windows: the tree
 *
 * Invariants: each child leads its own group, has a clean environment and is in the ledger before anything is awaited; the
 * ladder ends within 5 s; disposing the process or its channel is the same; a command that cannot be started is a closed
 * channel and a rejected `exited`, never an event that nobody hears.
 */
import { execFile, spawn, spawnSync, type ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { Socket } from "node:net";
import type { ChildProcessRecord } from "../../src/protocol/sidecar";
import { agentExited, agentNotFound, agentNotStarted, type AgentError } from "../errors";
import type { Channel, Closed, Receiver } from "../rpc/channel";
import type { Clock } from "../rpc/clock";
import { ndjsonChannel } from "../rpc/ndjson";
import { childEnvironment } from "./environment";
import { LastBytes } from "./last-bytes";
import type { SystemTools } from "./process-table";
import { UnquotableArgument, windowsLaunch } from "./windows-command";

export interface ProcessSpec {
  /** As the user knows it: for sentences. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Besides the cleaned environment of the sidecar. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface Exit { readonly code: number | null; readonly signal: NodeJS.Signals | null }

/** What must be known of a child by those who outlive us. `Ledger` is the one. */
export interface ProcessLedger {
  /** The run id for the environment of the next child. */
  nextRunId(): string;
  /** Called in the same turn as the start. */
  started(pid: number, runId: string, command: string): ChildProcessRecord;
  ended(pid: number): void;
  /** SIGKILL to the group of a child that is known not to have exited. */
  kill(record: ChildProcessRecord): void;
  /** Ends the child and all that descends from it; false when something is left. `justExited`: its group, without a leader, is its still. */
  end(record: ChildProcessRecord, how: { readonly clock: Clock; readonly patienceMs: number; readonly limitMs: number; readonly justExited?: true }): Promise<boolean>;
}

export interface ProcessWorld {
  readonly clock: Clock;
  readonly ledger: ProcessLedger;
  readonly report: { started(record: ChildProcessRecord): void; ended(pid: number): void };
  /** What it says on stderr, garbage on stdout, its end. Bounded. */
  readonly log: (message: string, detail: Readonly<Record<string, unknown>>) => void;
}

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
export function startProcess(spec: ProcessSpec, world: ProcessWorld): AgentProcess {
  const runId = world.ledger.nextRunId();
  let child: ChildProcessWithoutNullStreams;
  try { child = spawnChild(spec, childEnvironment(process.env, spec.env, runId)); }
  catch (error) { return notStarted(Promise.resolve(whyNot(spec, error))); }
  const { pid } = child;
  if (pid === undefined) return notStarted(new Promise(resolve => { child.once("error", error => resolve(whyNot(spec, error))); }));
  const record = world.ledger.started(pid, runId, spec.command);
  const running = new RunningProcess(child, spec.name, record, world);
  world.report.started(record);
  return running;
}

/** Programs of the system, for the process table. English, and in one time zone, because their output is parsed. */
export const systemTools: SystemTools = {
  now(command, args) {
    const { status, stdout } = spawnSync(command, args, { ...TOOL_OPTIONS, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return status === 0 ? stdout : undefined;
  },
  soon: (command, args) => new Promise(resolve => {
    execFile(command, args, TOOL_OPTIONS, (error, stdout) => resolve(error ? undefined : stdout));
  }),
};
const TOOL_OPTIONS = { env: { ...process.env, LC_ALL: "C", TZ: "UTC0" }, timeout: 5000, windowsHide: true, maxBuffer: 64 * 1024 * 1024 };

/** From the end of stdin to SIGTERM, and from there to SIGKILL. */
const PATIENCE_MS = 1000;
/** From SIGKILL until the system has done it, which takes a moment on a busy computer. */
const GRACE_MS = 900;
/** Descendants can keep the pipes of a dead agent open. */
const LAST_WORDS_MS = 250;
/** How long that is prolonged while more arrives, or the receiver is behind with what did. */
const PROLONGED_MS = 10_000;
/** An agent that has closed its stdout, and lives on, cannot be talked to. */
const SILENT_MS = 1000;
const STDERR_BYTES = 64 * 1024;
/** Of one process; the ring buffer has the end of it. */
const LOGGED_BYTES = 256 * 1024;

class RunningProcess implements AgentProcess {
  readonly pid: number;
  readonly channel: Channel;
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #name: string;
  readonly #record: ChildProcessRecord;
  readonly #world: ProcessWorld;
  readonly #stdio: Channel;
  readonly #stderr = new LastBytes(STDERR_BYTES);
  /** After the exit: everything it left is gone, and everybody knows. */
  readonly #gone: Promise<void>;
  readonly #lastWords: Promise<Closed>;
  /** While the receiver has asked for a pause. */
  #receiving: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(child: ChildProcessWithoutNullStreams, name: string, record: ChildProcessRecord, world: ProcessWorld) {
    this.#child = child;
    this.#name = name;
    this.#record = record;
    this.#world = world;
    this.pid = record.pid;
    this.exited = new Promise(resolve => { child.once("exit", (code, signal) => resolve({ code, signal })); });
    this.#gone = this.exited.then(exit => this.#sweep(exit));
    this.#lastWords = this.exited.then(async exit => { await this.#drained(); return this.#explain(statusOf(exit)); });
    child.on("error", error => this.#log("the process reported an error", { error: String(error) }));
    child.stderr.on("error", () => undefined).on("data", (chunk: Buffer) => this.#said(chunk));
    this.#stdio = ndjsonChannel(child.stdout, child.stdin, {
      garbage: (line, why) => this.#log("garbage on stdout", { line, why }),
      closedReason: () => this.#whySilent(),
    });
    this.channel = {
      start: receiver => this.#stdio.start(this.#watched(receiver)),
      send: frame => this.#stdio.send(frame),
      drained: () => this.#stdio.drained(),
      [Symbol.asyncDispose]: () => this[Symbol.asyncDispose](),
    };
  }

  stderr(): string { return this.#stderr.text(); }

  [Symbol.asyncDispose](): Promise<void> { return (this.#stopping ??= this.#stop()); }

  async #stop(): Promise<void> {
    await Promise.resolve(); // `#stopping` is set before the channel tells that it closed
    await this.#stdio[Symbol.asyncDispose](); // ends stdin; what still comes is read and dropped
    if (!await this.#exitsWithin(PATIENCE_MS)) {
      if (process.platform !== "win32") await this.#end({});
      if (this.#isRunning()) this.#world.ledger.kill(this.#record);
      if (!await this.#exitsWithin(GRACE_MS)) return this.#log("the process cannot be ended", { pid: this.pid });
    }
    await this.#gone;
  }

  async #sweep(exit: Exit): Promise<void> {
    this.#log("exited", { pid: this.pid, status: statusOf(exit) });
    const clean = await this.#end(process.platform === "win32" ? {} : { justExited: true });
    if (!clean) return this.#log("something it started cannot be ended; the next start of the sidecar tries again", { pid: this.pid });
    this.#world.ledger.ended(this.pid);
    this.#world.report.ended(this.pid);
  }

  #end(how: { readonly justExited?: true }): Promise<boolean> {
    return this.#world.ledger.end(this.#record, { clock: this.#world.clock, patienceMs: PATIENCE_MS, limitMs: PATIENCE_MS + GRACE_MS, ...how });
  }

  /** A channel that closes although the process lives (a line too long, a failing receiver) has no use for it. */
  #watched(receiver: Receiver): Receiver {
    return {
      receive: frame => {
        const receiving = receiver.receive(frame)?.finally(() => { this.#receiving = undefined; });
        this.#receiving = receiving;
        return receiving;
      },
      closed: reason => {
        if (this.#stopping) return receiver.closed(reason);
        if (!this.#isRunning()) return void this.#lastWords.then(why => receiver.closed(why));
        receiver.closed(reason);
        void this[Symbol.asyncDispose]();
      },
    };
  }

  async #whySilent(): Promise<Closed> {
    if (await this.#within(SILENT_MS, this.exited)) return this.#lastWords;
    return this.#explain("it closed its output");
  }

  #explain(status: string): AgentError { return agentExited(this.#name, status, this.stderr()); }

  /** Until both pipes are at their end, or for a while nothing came although the receiver was ready for it. */
  async #drained(): Promise<void> {
    const { stdout, stderr } = this.#child;
    const closed = Promise.all([stdout, stderr].map(stream => stream.closed ? Promise.resolve() : new Promise<void>(resolve => { stream.once("close", resolve); })));
    const isReady = (): boolean => this.#receiving === undefined && stdout.readableLength === 0;
    const arrived = (): number => stdout instanceof Socket ? stdout.bytesRead : 0;
    const until = this.#world.clock.now() + PROLONGED_MS;
    for (let over = false; !over && this.#world.clock.now() < until; ) {
      const before = { ready: isReady(), arrived: arrived() };
      const ended = await this.#within(LAST_WORDS_MS, Promise.all([closed, this.#receiving]));
      await new Promise(resolve => { setImmediate(resolve); }); // what was read is handed on
      over = isReady() && (ended || (before.ready && before.arrived === arrived()));
    }
    stdout.destroy();
    stderr.destroy();
  }

  #said(chunk: Buffer): void {
    const logged = this.#stderr.total;
    this.#stderr.push(chunk);
    if (logged < LOGGED_BYTES) this.#log("stderr", { text: chunk.toString() });
    if (logged < LOGGED_BYTES && this.#stderr.total >= LOGGED_BYTES) this.#log("more on stderr is not logged", { bytes: LOGGED_BYTES });
  }

  #isRunning(): boolean { return this.#child.exitCode === null && this.#child.signalCode === null; }

  #exitsWithin(ms: number): Promise<boolean> { return this.#within(ms, this.exited); }

  #within(ms: number, event: Promise<unknown>): Promise<boolean> {
    return new Promise(resolve => {
      const late = this.#world.clock.after(ms, () => resolve(false));
      void event.then(() => { late[Symbol.dispose](); resolve(true); });
    });
  }

  #log(message: string, detail: Readonly<Record<string, unknown>>): void { this.#world.log(message, { agent: this.#name, ...detail }); }
}

function spawnChild({ command, args, cwd }: ProcessSpec, env: Record<string, string>): ChildProcessWithoutNullStreams {
  const { file, args: given, verbatim } = process.platform === "win32" ? windowsLaunch(command, args, env, existsSync) : { file: command, args, verbatim: false };
  return spawn(file, given, {
    cwd, env, stdio: "pipe", windowsHide: true, windowsVerbatimArguments: verbatim,
    detached: process.platform !== "win32", // its own group and session; on Windows that would be a console window
  });
}

/** A folder that is not there looks like a command that is not: the system says ENOENT for both. */
function whyNot({ name, command, cwd }: ProcessSpec, error: unknown): AgentError {
  if (!isFolder(cwd)) return agentNotStarted(name, `its folder “${cwd}” does not exist.`, error);
  if (error instanceof UnquotableArgument) return agentNotStarted(name, error.message, error);
  return agentNotFound(name, command, error);
}

function isFolder(path: string): boolean {
  try { return statSync(path).isDirectory(); } catch { return false; }
}

function notStarted(why: Promise<AgentError>): AgentProcess {
  const exited = why.then((error): never => { throw error; });
  exited.catch(() => undefined); // whoever asks hears it; it need not be asked
  return {
    pid: undefined, exited, stderr: () => "",
    channel: {
      start: receiver => void why.then(error => receiver.closed(error)),
      send: () => true,
      drained: () => Promise.resolve(),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function statusOf({ code, signal }: Exit): string { return signal === null ? `exit code ${code ?? "unknown"}` : `signal ${signal}`; }
