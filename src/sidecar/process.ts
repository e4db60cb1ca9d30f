/**
 * The sidecar's process: program, handshake and termination. The only module of the host that starts processes.
 * `restart-policy.ts` decides when.
 *
 * Invariants:
 * - `ready` settles within the time limit of the handshake.
 * - `ended` settles for every launch, also if the process never ran.
 * - The client stays open until the caller closes it. The caller is notified of the end first.
 * - A process whose connection failed is stopped.
 *
 * Stopping a process ends stdin, then sends SIGTERM and finally SIGKILL to its group (on Windows to its tree).
 */
import * as l10n from "@vscode/l10n";
import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from "node:child_process";
import { homedir } from "node:os";
import type { Readable } from "node:stream";
import type { Clock } from "../clock";
import { deferred } from "../protocol/wire/deferred";
import {
  noHandshake,
  noLoginNode,
  otherVersion,
  sidecarEnded,
  SidecarRefused,
  SHUTTING_DOWN,
  StartFailed,
} from "../errors";
import type { Log } from "../log";
import { answeredNode, ASK_NODE, invocation, needsNode, type Invocation } from "./node-program";
import { ErrorCode } from "../protocol/wire/errors";
import type { ChildProcessRecord, HelloFromHost, SidecarToHost } from "../protocol/sidecar";
import type { Handlers } from "../protocol/wire/wire";
import { StreamClient, type SidecarClient } from "./client";
import type { NodeChoice } from "./restart-policy";
import type { Launcher, SidecarProcess } from "./supervisor";

export interface LaunchDeps {
  /** `bundled`: path of the bundled program. `custom`: the current value of `symposium.acpAgentPath`. */
  readonly bundled: string;
  custom(): string;
  hello(): HelloFromHost;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: Log;
}

const HANDSHAKE_MS = 5_000;
const SHELL_MS = 5_000;
/** Time to read remaining output after the exit; child processes may hold the pipes open indefinitely. */
const DRAIN_MS = 250;
/**
 * Delays from the end of stdin to SIGTERM, and from SIGTERM to SIGKILL. The sidecar stops its agents during the first
 * delay. VS Code allows five seconds in total.
 */
const STOP_DELAYS_MS = [3_000, 1_000] as const;

export class ProcessLauncher implements Launcher {
  #loginNode: Promise<string> | undefined;

  constructor(private readonly deps: LaunchDeps) {}

  launch(node: NodeChoice, handlers: Handlers<SidecarToHost>): SidecarProcess {
    const ended = deferred<string>();
    const stopRequested = deferred<void>();
    const ready = this.#spawn(node).then(
      ({ how, child }) => this.#start(node, how, child, handlers, ended.resolve, stopRequested.promise),
      (error: unknown) => {
        ended.resolve(l10n.t("The sidecar never ran."));
        throw error;
      },
    );
    return {
      ready,
      ended: ended.promise,
      async stop() {
        stopRequested.resolve();
        await ended.promise;
      },
    };
  }

  async reap(node: NodeChoice, records: readonly ChildProcessRecord[]): Promise<void> {
    const { log } = this.deps;
    const how = await this.#invocation("reap", node);
    const child = run(how);
    lines(child.stderr, line => log.info("sidecar", line, { program: "reap" }));
    child.stdout.resume();
    child.stdin.on("error", () => undefined);
    child.stdin.end(JSON.stringify(records));
    child.unref();
    const status = await endOf(child, this.deps.clock);
    log.info("sidecar", "Ended leftover processes of the sidecar", {
      processes: records.map(({ pid, command }) => `${pid} ${command}`),
      status,
    });
  }

  async #spawn(node: NodeChoice): Promise<{ how: Invocation; child: ChildProcessWithoutNullStreams }> {
    const how = await this.#invocation("serve", node);
    this.deps.log.info("sidecar", "Starting the sidecar", { program: how.program, node: how.command });
    return { how, child: run(how) };
  }

  async #start(
    node: NodeChoice,
    how: Invocation,
    child: ChildProcessWithoutNullStreams,
    handlers: Handlers<SidecarToHost>,
    ended: (why: string) => void,
    stopRequested: Promise<void>,
  ): Promise<SidecarClient> {
    const { log, clock } = this.deps;
    const end = endOf(child, clock);
    const stopping = deferred<void>();
    void Promise.race([stopRequested, stopping.promise]).then(() => stop(child, end, clock));
    lines(child.stderr, line => log.warn("sidecar", line));
    child.stdin.on("error", () => undefined); // the client reports it, too

    const client = new StreamClient(child.stdout, child.stdin, handlers, {
      broken: what => {
        log.debug("sidecar", "The connection to the sidecar failed", { what });
        stopping.resolve();
      },
      report: what => log.warn("sidecar", what),
    });
    void end.then(status => ended(sidecarEnded(status)));
    try {
      await this.#handshake(client, how, node, end);
      return client;
    } catch (error) {
      client.close(SHUTTING_DOWN);
      stopping.resolve();
      throw error;
    }
  }

  async #handshake(client: SidecarClient, how: Invocation, node: NodeChoice, end: Promise<string>): Promise<void> {
    const { log, clock, hello } = this.deps;
    const remedy = node === "own" && needsNode({ custom: this.deps.custom() }) ? "otherNode" : "again";
    const late = deferred<never>();
    const timer = clock.after(HANDSHAKE_MS, () =>
      late.reject(noHandshake(how.program, remedy, `no response within ${HANDSHAKE_MS / 1_000} s`)),
    );
    const exited = end.then((status): never => {
      throw noHandshake(how.program, remedy, status);
    });
    const ours = hello();
    try {
      const theirs = await Promise.race([client.request("hello", ours), late.promise, exited]);
      if (theirs.protocol !== ours.protocol || theirs.build !== ours.build)
        throw otherVersion(this.deps.custom() !== "", ours.build);
      log.info("sidecar", "Sidecar started", { pid: theirs.pid, bootId: theirs.bootId });
    } catch (error) {
      log.warn("sidecar", "No handshake with the sidecar", {
        program: how.program,
        node: how.command,
        why: error instanceof Error ? (error.cause ?? error.message) : error,
      });
      if (error instanceof StartFailed) throw error;
      const versions = error instanceof SidecarRefused && error.code === ErrorCode.versionMismatch;
      throw versions ? otherVersion(this.deps.custom() !== "", ours.build) : noHandshake(how.program, remedy, error);
    } finally {
      timer.dispose();
    }
  }

  async #invocation(mode: "serve" | "reap", node: NodeChoice): Promise<Invocation> {
    const { bundled, env } = this.deps;
    const custom = this.deps.custom();
    const loginNode = node === "login" && needsNode({ custom }) ? await this.#login() : "";
    return invocation(mode, node, { bundled, custom, ownNode: process.execPath, loginNode }, env);
  }

  /** Queried once. A failure is not cached, because the user can install Node in the meantime. */
  #login(): Promise<string> {
    this.#loginNode ??= askLoginShell(this.deps).catch((error: unknown) => {
      this.#loginNode = undefined;
      throw error;
    });
    return this.#loginNode;
  }
}

async function askLoginShell({ env, clock }: LaunchDeps): Promise<string> {
  const { env: clean } = invocation("serve", "login", { bundled: "", custom: "", ownNode: "", loginNode: "" }, env);
  const [command, args] =
    process.platform === "win32"
      ? (["cmd.exe", ["/d", "/s", "/c", ASK_NODE]] as const)
      : ([env["SHELL"] || "/bin/sh", ["-ilc", ASK_NODE]] as const);
  const shell = run({ command, args, env: clean, program: command });
  let text = "";
  shell.stdin.on("error", () => undefined).end();
  shell.stderr.resume();
  shell.stdout.setEncoding("utf8").on("data", (piece: string) => {
    text = (text + piece).slice(-64 * 1024);
  });
  const timer = clock.after(SHELL_MS, () => killGroup(shell, "SIGKILL"));
  const status = await endOf(shell, clock);
  timer.dispose();
  const node = answeredNode(text);
  if (node === undefined) throw noLoginNode(`${command}: ${status}`);
  return node;
}

function run({ command, args, env }: Invocation): ChildProcessWithoutNullStreams {
  // A separate process group: an interactive shell must not suspend the host, and a kill must reach the whole group.
  return spawn(command, [...args], {
    cwd: homedir(),
    env,
    stdio: ["pipe", "pipe", "pipe"],
    detached: process.platform !== "win32",
    windowsHide: true,
  });
}

/** Resolves with the exit status, after the remaining output was read. */
function endOf(child: ChildProcess, clock: Clock): Promise<string> {
  return new Promise(resolve => {
    let drain: { dispose(): void } | undefined;
    child.once("error", error => {
      if (child.pid === undefined) resolve(error.message);
    });
    child.once("exit", (code, signal) => {
      const status = signal === null ? `exit code ${code ?? 0}` : `signal ${signal}`;
      drain = clock.after(DRAIN_MS, () => resolve(status));
      child.once("close", () => {
        drain?.dispose();
        resolve(status);
      });
    });
  });
}

async function stop(child: ChildProcessWithoutNullStreams, end: Promise<string>, clock: Clock): Promise<void> {
  child.stdin.end();
  let timer = clock.after(STOP_DELAYS_MS[0], () => {
    killGroup(child, "SIGTERM");
    timer = clock.after(STOP_DELAYS_MS[1], () => killGroup(child, "SIGKILL"));
  });
  await end;
  timer.dispose();
}

function killGroup(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  if (process.platform === "win32") {
    spawn("taskkill", ["/pid", String(child.pid), "/t", "/f"], { stdio: "ignore", windowsHide: true }).on(
      "error",
      () => undefined,
    );
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch {
    /* the process has just exited */
  }
}

const MAX_LINE_LENGTH = 16 * 1024;

function lines(stream: Readable, line: (text: string) => void): void {
  let remaining = "";
  stream.setEncoding("utf8").on("data", (piece: string) => {
    const parts = (remaining + piece).split(/\r?\n/);
    remaining = parts.pop() ?? "";
    if (remaining.length > MAX_LINE_LENGTH) {
      parts.push(remaining);
      remaining = "";
    }
    for (const part of parts) if (part.trim() !== "") line(part);
  });
  stream.once("end", () => {
    if (remaining.trim() !== "") line(remaining);
  });
}
