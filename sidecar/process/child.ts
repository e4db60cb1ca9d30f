/**
 * Starts, stops and observes a child process. This is the only module of the sidecar that starts processes.
 *
 *   running ── exit ──▶ descendants are ended (process-ledger.ts, orphan-reaper.ts) ──▶ gone: ledger, host notified
 *      └─ stop: stdin ends ── 1 s ──▶ SIGTERM to the group and descendants ── 1 s ──▶ SIGKILL; Windows: whole tree
 *
 * Invariants:
 * - Each child leads its own process group and has a clean environment.
 * - Each child is recorded in the ledger before the first `await`.
 * - The stop sequence ends within 5 s.
 * - A command that cannot be started returns a reason; it never emits an unhandled event.
 * - After `forbidProcesses` no process is started.
 */
import { execFile, spawn, spawnSync, type ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { knownSecrets, secretArguments } from "../../src/protocol/redaction/redact";
import type { ChildProcessRecord } from "../../src/protocol/sidecar";
import { agentBusy, agentNotFound, agentNotStarted, type AgentError } from "../errors";
import type { Clock } from "../rpc/clock";
import { isObject } from "../rpc/json";
import { childEnvironment, RUN_ID } from "./child-environment";
import type { SystemTools } from "./process-list";
import { UnquotableArgument, windowsLaunch } from "./windows-command";

export interface ProcessSpec {
  /** Display name, for messages. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the cleaned environment of the sidecar. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /**
   * The program starts no other processes. After its exit, the process table is not searched for them, which takes
   * longer than a short command.
   */
  readonly isAlone?: true;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Record of running children that outlives the sidecar. Implemented by `Ledger`. */
export interface ProcessLedger {
  /** Returns the run id for the environment of the next child. */
  nextRunId(): string;
  /** Called synchronously with the start. */
  started(pid: number, runId: string, command: string): ChildProcessRecord;
  ended(pid: number): void;
  /** Sends SIGKILL to the group of a child that has not exited. */
  kill(record: ChildProcessRecord): void;
  /**
   * Ends the child and all its descendants. Resolves with false when a process remains. `justExited`: the child's group
   * still belongs to it, although its leader has exited.
   */
  end(
    record: ChildProcessRecord,
    how: { readonly clock: Clock; readonly killDelayMs: number; readonly limitMs: number; readonly justExited?: true },
  ): Promise<boolean>;
}

export interface ProcessDeps {
  readonly clock: Clock;
  readonly ledger: ProcessLedger;
  readonly report: { started(record: ChildProcessRecord): void; ended(pid: number): void };
  /** Base of a child's environment. Defaults to the sidecar's environment. */
  readonly environment?: () => Readonly<Record<string, string | undefined>>;
  /** Receives stderr, invalid stdout and the exit. Bounded. */
  readonly log: (message: string, detail: Readonly<Record<string, unknown>>) => void;
}

export interface Child {
  readonly pid: number;
  readonly stdin: ChildProcessWithoutNullStreams["stdin"];
  readonly stdout: ChildProcessWithoutNullStreams["stdout"];
  readonly stderr: ChildProcessWithoutNullStreams["stderr"];
  readonly exited: Promise<Exit>;
  /**
   * Resolves after the exit, when all descendants have ended and the ledger and the host are notified. If a descendant
   * cannot be ended, the promise resolves without these notifications.
   */
  readonly gone: Promise<void>;
  isRunning(): boolean;
  /** Resolves with whether `event` resolves within `ms`. */
  within(ms: number, event: Promise<unknown>): Promise<boolean>;
  /**
   * Ends stdin with `endInput`, then escalates to SIGTERM and SIGKILL. Resolves when the process is gone or cannot be
   * ended.
   */
  stop(endInput?: () => PromiseLike<void> | void): Promise<void>;
  /** Like `stop`, starting with SIGTERM. */
  kill(): Promise<void>;
}

export type Started =
  | { readonly kind: "running"; readonly child: Child }
  | { readonly kind: "failed"; readonly why: Promise<AgentError> };

let isForbidden = false;

/** From now on, this process starts no other process: every start fails. Cannot be undone. */
export function forbidProcesses(): void {
  isForbidden = true;
}

function checkPermitted(): void {
  if (isForbidden) throw new Error("No process is started in an untrusted workspace.");
}

/** Never throws. */
export function startChild(spec: ProcessSpec, deps: ProcessDeps): Started {
  const runId = deps.ledger.nextRunId();
  knownSecrets.add(secretArguments(spec.args, spec.env));
  let child: ChildProcessWithoutNullStreams;
  const environment = childEnvironment(deps.environment?.() ?? process.env, spec.env, runId);
  try {
    child = retriedWhileBusy(() => spawnChild(spec, environment), pause);
  } catch (error) {
    return { kind: "failed", why: Promise.resolve(startError(spec, error)) };
  }
  const { pid } = child;
  if (pid === undefined)
    return {
      kind: "failed",
      why: new Promise(resolve => {
        child.once("error", error => resolve(startError(spec, error)));
      }),
    };
  const record = deps.ledger.started(pid, runId, spec.command);
  const running = new RunningChild(child, spec, record, deps);
  deps.report.started(record);
  return { kind: "running", child: running };
}

/** Maximum size of a shell's stdout. */
const SHELL_BYTES = 16 * 1024 * 1024;
/** Processes started by the shell's start files can keep its stdout open. */
const SHELL_REST_MS = 250;

/**
 * Runs the user's own shell in the home folder, without stdin. Processes started by its start files, such as an
 * ssh-agent, belong to the user. They are therefore not recorded in the ledger and have no run id. Rejects when the
 * shell cannot be started. `signal` ends the shell and its group.
 */
export async function runShell(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
  clock: Clock,
): Promise<{ readonly code: number | null; readonly stdout: string }> {
  checkPermitted();
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
        /* already exited */
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

/** System programs for the process table. Locale and time zone are fixed, because their output is parsed. */
export const systemTools: SystemTools = {
  now(command, args) {
    checkPermitted();
    const { status, stdout } = spawnSync(command, args, {
      ...TOOL_OPTIONS,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return status === 0 ? stdout : undefined;
  },
  soon: (command, args) =>
    new Promise(resolve => {
      checkPermitted();
      execFile(command, args, TOOL_OPTIONS, (error, stdout) => resolve(error ? undefined : stdout));
    }),
};
const TOOL_OPTIONS = {
  env: { ...process.env, LC_ALL: "C", TZ: "UTC0" },
  timeout: 5000,
  windowsHide: true,
  maxBuffer: 64 * 1024 * 1024,
};

/** Time between the end of stdin and SIGTERM, and between SIGTERM and SIGKILL. */
const STOP_DELAY_MS = 1000;
/** Time for SIGKILL to take effect on a busy machine. */
const GRACE_MS = 900;

class RunningChild implements Child {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  readonly gone: Promise<void>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #spec: ProcessSpec;
  readonly #record: ChildProcessRecord;
  readonly #deps: ProcessDeps;
  #stopping: Promise<void> | undefined;

  constructor(child: ChildProcessWithoutNullStreams, spec: ProcessSpec, record: ChildProcessRecord, deps: ProcessDeps) {
    this.#child = child;
    this.#spec = spec;
    this.#record = record;
    this.#deps = deps;
    this.pid = record.pid;
    this.exited = new Promise(resolve => {
      child.once("exit", (code, signal) => resolve({ code, signal }));
    });
    this.gone = this.exited.then(exit => this.#cleanUp(exit));
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
    await Promise.resolve(); // `#stopping` is set before `endInput` runs
    await endInput();
    if (await this.within(STOP_DELAY_MS, this.exited)) await this.gone;
    else await this.#kill();
  }

  async #kill(): Promise<void> {
    if (process.platform !== "win32" && this.isRunning()) await this.#end({});
    if (this.isRunning()) this.#deps.ledger.kill(this.#record);
    if (!(await this.within(GRACE_MS, this.exited)))
      return this.#log("the process cannot be stopped", { pid: this.pid });
    await this.gone;
  }

  async #cleanUp(exit: Exit): Promise<void> {
    this.#log("exited", { pid: this.pid, status: statusOf(exit) });
    const clean =
      this.#spec.isAlone === true || (await this.#end(process.platform === "win32" ? {} : { justExited: true }));
    if (!clean)
      return this.#log("a child process cannot be stopped; the next start of the sidecar tries again", {
        pid: this.pid,
      });
    this.#deps.ledger.ended(this.pid);
    this.#deps.report.ended(this.pid);
  }

  #end(how: { readonly justExited?: true }): Promise<boolean> {
    return this.#deps.ledger.end(this.#record, {
      clock: this.#deps.clock,
      killDelayMs: STOP_DELAY_MS,
      limitMs: STOP_DELAY_MS + GRACE_MS,
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
    this.#deps.log(message, { agent: this.#spec.name, ...detail });
  }
}

function spawnChild({ command, args, cwd }: ProcessSpec, env: Record<string, string>): ChildProcessWithoutNullStreams {
  checkPermitted();
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
    detached: process.platform !== "win32", // own group and session; on Windows this would open a console window
  });
}

/** Maximum attempts to start a program whose file is still open for writing, and the pause between them. */
const MAX_ATTEMPTS = 20,
  BUSY_PAUSE_MS = 10;

/**
 * Retries on ETXTBSY: the program was just installed, or another starting process inherits its open file
 * (https://github.com/golang/go/issues/22315). Throws the last error.
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

/** Blocks the thread, so that `startChild` returns the process id synchronously. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** The system reports ENOENT for a missing folder as well as for a missing command. */
function startError({ name, command, cwd }: ProcessSpec, error: unknown): AgentError {
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
