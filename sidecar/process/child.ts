/**
 * A child process and its end. The only module of the sidecar that starts processes.
 *
 *   running ── exit ──▶ leftovers are ended (process-ledger.ts, orphan-reaper.ts) ──▶ gone: ledger and host are told
 *      └─ stop: stdin ends ─── 1 s ──▶ SIGTERM to the group and to what left it ─── 1 s ──▶ SIGKILL; Windows: the tree
 *
 * Invariants: each child leads its own group, has a clean environment and is in the ledger before anything is awaited;
 * the ladder ends within 5 s; a command that cannot be started is a reason, never an event that nobody hears.
 */
import { execFile, spawn, spawnSync, type ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { knownSecrets, secretsGiven } from "../../src/protocol/redaction/redact";
import type { ChildProcessRecord } from "../../src/protocol/sidecar";
import { agentBusy, agentNotFound, agentNotStarted, type AgentError } from "../errors";
import type { Clock } from "../rpc/clock";
import { isObject } from "../rpc/json";
import { childEnvironment, RUN_ID } from "./child-environment";
import type { SystemTools } from "./process-list";
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

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** What must be known of a child by those who outlive us. `Ledger` is the one. */
export interface ProcessLedger {
  /** The run id for the environment of the next child. */
  nextRunId(): string;
  /** Called in the same turn as the start. */
  started(pid: number, runId: string, command: string): ChildProcessRecord;
  ended(pid: number): void;
  /** SIGKILL to the group of a child that is known not to have exited. */
  kill(record: ChildProcessRecord): void;
  /**
   * Ends the child and all that descends from it; false when something is left. `justExited`: its group, without a
   * leader, is its still.
   */
  end(
    record: ChildProcessRecord,
    how: { readonly clock: Clock; readonly patienceMs: number; readonly limitMs: number; readonly justExited?: true },
  ): Promise<boolean>;
}

export interface ProcessDeps {
  readonly clock: Clock;
  readonly ledger: ProcessLedger;
  readonly report: { started(record: ChildProcessRecord): void; ended(pid: number): void };
  /** What a child's is made from; ours, unless given. */
  readonly environment?: () => Readonly<Record<string, string | undefined>>;
  /** What it says on stderr, garbage on stdout, its end. Bounded. */
  readonly log: (message: string, detail: Readonly<Record<string, unknown>>) => void;
}

export interface Child {
  readonly pid: number;
  readonly stdin: ChildProcessWithoutNullStreams["stdin"];
  readonly stdout: ChildProcessWithoutNullStreams["stdout"];
  readonly stderr: ChildProcessWithoutNullStreams["stderr"];
  readonly exited: Promise<Exit>;
  /** After the exit: everything it left is gone, and everybody knows. */
  readonly gone: Promise<void>;
  isRunning(): boolean;
  /** Whether the event comes within so many milliseconds. */
  within(ms: number, event: Promise<unknown>): Promise<boolean>;
  /** Ends stdin (by `endInput`), then goes down the ladder. Resolves when the process is gone, or cannot be ended. */
  stop(endInput?: () => PromiseLike<void> | void): Promise<void>;
  /** The same from SIGTERM on. */
  kill(): Promise<void>;
}

export type Started =
  | { readonly kind: "running"; readonly child: Child }
  | { readonly kind: "failed"; readonly why: Promise<AgentError> };

/** Never throws. */
export function startChild(spec: ProcessSpec, deps: ProcessDeps): Started {
  const runId = deps.ledger.nextRunId();
  knownSecrets.add(secretsGiven(spec.args, spec.env));
  let child: ChildProcessWithoutNullStreams;
  const environment = childEnvironment(deps.environment?.() ?? process.env, spec.env, runId);
  try {
    child = retriedWhileBusy(() => spawnChild(spec, environment), pause);
  } catch (error) {
    return { kind: "failed", why: Promise.resolve(whyNot(spec, error)) };
  }
  const { pid } = child;
  if (pid === undefined)
    return {
      kind: "failed",
      why: new Promise(resolve => {
        child.once("error", error => resolve(whyNot(spec, error)));
      }),
    };
  const record = deps.ledger.started(pid, runId, spec.command);
  const running = new RunningChild(child, spec.name, record, deps);
  deps.report.started(record);
  return { kind: "running", child: running };
}

/** Bytes of a shell's answer that are kept. */
const SHELL_BYTES = 16 * 1024 * 1024;
/** What its start files began may hold its output open. */
const SHELL_REST_MS = 250;

/**
 * The user's own shell, in the home folder, with nothing on its stdin. What its start files begin (an ssh-agent, say)
 * is the user's and stays: it is in no ledger, and carries no run id. Rejects when it cannot be started; `signal` ends
 * it with its group.
 */
export async function runShell(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
  clock: Clock,
): Promise<{ readonly code: number | null; readonly stdout: string }> {
  const { [RUN_ID]: _, ...environment } = childEnvironment(process.env, env, "");
  const shell = spawn(command, args, {
    cwd: homedir(),
    env: environment,
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
    windowsHide: true,
  });
  const chunks: Buffer[] = [],
    exited = new Promise<number | null>((resolve, reject) => {
      shell.once("exit", resolve).once("error", reject);
    });
  let bytes = 0;
  shell.stdout.on("data", (chunk: Buffer) => {
    if ((bytes += chunk.length) <= SHELL_BYTES) chunks.push(chunk);
  });
  const end = (): void => {
    if (shell.pid !== undefined)
      try {
        process.kill(-shell.pid, "SIGKILL");
      } catch {
        /* it has just ended */
      }
  };
  signal.addEventListener("abort", end, { once: true });
  try {
    const code = await exited;
    await new Promise<void>(resolve => {
      const late = clock.after(SHELL_REST_MS, resolve);
      shell.stdout.once("close", () => {
        late[Symbol.dispose]();
        resolve();
      });
    });
    return { code, stdout: Buffer.concat(chunks).toString() };
  } finally {
    signal.removeEventListener("abort", end);
    shell.stdout.destroy();
    shell.unref();
  }
}

/** Programs of the system, for the process table. English, and in one time zone, because their output is parsed. */
export const systemTools: SystemTools = {
  now(command, args) {
    const { status, stdout } = spawnSync(command, args, {
      ...TOOL_OPTIONS,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return status === 0 ? stdout : undefined;
  },
  soon: (command, args) =>
    new Promise(resolve => {
      execFile(command, args, TOOL_OPTIONS, (error, stdout) => resolve(error ? undefined : stdout));
    }),
};
const TOOL_OPTIONS = {
  env: { ...process.env, LC_ALL: "C", TZ: "UTC0" },
  timeout: 5000,
  windowsHide: true,
  maxBuffer: 64 * 1024 * 1024,
};

/** From the end of stdin to SIGTERM, and from there to SIGKILL. */
const PATIENCE_MS = 1000;
/** From SIGKILL until the system has done it, which takes a moment on a busy computer. */
const GRACE_MS = 900;

class RunningChild implements Child {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  readonly gone: Promise<void>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #name: string;
  readonly #record: ChildProcessRecord;
  readonly #deps: ProcessDeps;
  #stopping: Promise<void> | undefined;

  constructor(child: ChildProcessWithoutNullStreams, name: string, record: ChildProcessRecord, deps: ProcessDeps) {
    this.#child = child;
    this.#name = name;
    this.#record = record;
    this.#deps = deps;
    this.pid = record.pid;
    this.exited = new Promise(resolve => {
      child.once("exit", (code, signal) => resolve({ code, signal }));
    });
    this.gone = this.exited.then(exit => this.#sweep(exit));
    child.on("error", error => this.#log("the process reported an error", { error: String(error) }));
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => undefined);
  }

  get stdin(): Child["stdin"] {
    return this.#child.stdin;
  }
  get stdout(): Child["stdout"] {
    return this.#child.stdout;
  }
  get stderr(): Child["stderr"] {
    return this.#child.stderr;
  }

  isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  stop(
    endInput: () => PromiseLike<void> | void = () => {
      this.#child.stdin.end();
    },
  ): Promise<void> {
    return (this.#stopping ??= this.#stop(endInput));
  }

  kill(): Promise<void> {
    return (this.#stopping ??= this.#kill());
  }

  async #stop(endInput: () => PromiseLike<void> | void): Promise<void> {
    await Promise.resolve(); // `#stopping` is set before anybody is told that it ends
    await endInput();
    if (await this.within(PATIENCE_MS, this.exited)) await this.gone;
    else await this.#kill();
  }

  async #kill(): Promise<void> {
    if (process.platform !== "win32" && this.isRunning()) await this.#end({});
    if (this.isRunning()) this.#deps.ledger.kill(this.#record);
    if (!(await this.within(GRACE_MS, this.exited))) return this.#log("the process cannot be ended", { pid: this.pid });
    await this.gone;
  }

  async #sweep(exit: Exit): Promise<void> {
    this.#log("exited", { pid: this.pid, status: statusOf(exit) });
    const clean = await this.#end(process.platform === "win32" ? {} : { justExited: true });
    if (!clean)
      return this.#log("something it started cannot be ended; the next start of the sidecar tries again", {
        pid: this.pid,
      });
    this.#deps.ledger.ended(this.pid);
    this.#deps.report.ended(this.pid);
  }

  #end(how: { readonly justExited?: true }): Promise<boolean> {
    return this.#deps.ledger.end(this.#record, {
      clock: this.#deps.clock,
      patienceMs: PATIENCE_MS,
      limitMs: PATIENCE_MS + GRACE_MS,
      ...how,
    });
  }

  within(ms: number, event: Promise<unknown>): Promise<boolean> {
    return new Promise(resolve => {
      const late = this.#deps.clock.after(ms, () => resolve(false));
      void event.then(() => {
        late[Symbol.dispose]();
        resolve(true);
      });
    });
  }

  #log(message: string, detail: Readonly<Record<string, unknown>>): void {
    this.#deps.log(message, { agent: this.#name, ...detail });
  }
}

function spawnChild({ command, args, cwd }: ProcessSpec, env: Record<string, string>): ChildProcessWithoutNullStreams {
  const {
    file,
    args: given,
    verbatim,
  } = process.platform === "win32"
    ? windowsLaunch(command, args, env, existsSync)
    : { file: command, args, verbatim: false };
  return spawn(file, given, {
    cwd,
    env,
    stdio: "pipe",
    windowsHide: true,
    windowsVerbatimArguments: verbatim,
    detached: process.platform !== "win32", // its own group and session; on Windows that would be a console window
  });
}

/** Attempts to start a program whose file is still open for writing, and the pause between two. */
const MAX_ATTEMPTS = 20,
  BUSY_PAUSE_MS = 10;

/**
 * Retries while the system answers ETXTBSY: for a program that has just been installed, or whose open file another
 * process inherits while it starts (https://github.com/golang/go/issues/22315). Throws the last error.
 */
export function retriedWhileBusy<T>(start: () => T, wait: (ms: number) => void): T {
  for (let attempt = 1; ; attempt++) {
    try {
      return start();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isObject(error) || error.code !== "ETXTBSY") throw error;
      wait(BUSY_PAUSE_MS);
    }
  }
}

/** Blocks the thread: whoever starts a child has its process id at once. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** A folder that is not there looks like a command that is not: the system says ENOENT for both. */
function whyNot({ name, command, cwd }: ProcessSpec, error: unknown): AgentError {
  if (!isFolder(cwd)) return agentNotStarted(name, `its folder “${cwd}” does not exist.`, error);
  if (isObject(error) && error.code === "ETXTBSY") return agentBusy(name, command, error);
  if (error instanceof UnquotableArgument) return agentNotStarted(name, error.message, error);
  return agentNotFound(name, command, error);
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

export function statusOf({ code, signal }: Exit): string {
  return signal === null ? `exit code ${code ?? "unknown"}` : `signal ${signal}`;
}
