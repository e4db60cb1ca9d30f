/**
 * Runs the user's git on a store.
 *
 * Options and commands, each with the version of git that introduced it. Git 2.25 is the oldest supported version.
 *   diff-files -z --name-only (1.5), ls-files -o -z --exclude-standard (1.5.4), update-index -z --add --remove
 *   --replace --stdin and --index-info (1.5), write-tree --prefix (1.5) and --missing-ok (1.4), diff-tree -r -t -z
 *   --raw --no-renames (1.5.3), cat-file --batch, --batch-check=FORMAT (1.8.4) and --buffer (2.6), check-attr -z
 *   --stdin (1.8.5), check-ignore -q (1.8.2), config -z --list (1.5.3), --literal-pathspecs (1.8.2)
 *
 * Invariants:
 * - No program of the repository or of the user's configuration runs: no hook, filter, file system monitor, pager,
 *   editor or credential helper. The store has its own configuration and attributes, and git reads no other.
 * - No variable `GIT_*` of the user's environment is inherited.
 * - A command ends within `MAX_MS`, and starts no other processes.
 */
import path from "node:path";
import { realpathSync } from "node:fs";
import { startChild, type Child, type ProcessDeps } from "../../process/child";
import { findProgram, isProgramFile } from "../../process/find-program";
import { TailBuffer } from "../../process/tail-buffer";
import { parseVersion } from "./git-output";
import { isWithin } from "./repository";

export interface GitCommand {
  readonly args: readonly string[];
  readonly cwd: string;
  /** `GIT_DIR`, `GIT_WORK_TREE` and others. */
  readonly env: Readonly<Record<string, string>>;
  readonly input?: Uint8Array;
  /** Exit codes besides 0 that are results. */
  readonly codes?: readonly number[];
}

export interface GitResult {
  readonly code: number;
  readonly stdout: Buffer;
}

export class GitError extends Error {
  override readonly name = "GitError";
  constructor(
    readonly why: "notStarted" | "timeout" | "tooMuchOutput" | "failed",
    message: string,
    /** The end of stderr, in English. */
    readonly stderr = "",
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Maximum duration of a command, and of its output after its exit, in milliseconds. */
const MAX_MS = 60_000,
  DRAIN_MS = 250;
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024,
  STDERR_BYTES = 8 * 1024;
/** The oldest supported version. */
const MIN_VERSION = [2, 25] as const;

/**
 * Finds git on PATH, but not in one of `folders` or below: a project must not provide programs. `env`: the user's
 * environment. Returns an absolute path.
 */
export function findGit(
  env: Readonly<Record<string, string | undefined>>,
  folders: readonly string[],
  platform: string = process.platform,
): string | undefined {
  return findProgram("git", {
    platform,
    env,
    isProgram: file => isProgramFile(file) && !folders.some(folder => isWithin(folder, realpathSync(file))),
  });
}

export class Git {
  readonly #processes: ProcessDeps;
  readonly #running = new Set<Child>();
  #isStopped = false;

  constructor(
    private readonly program: string,
    processes: ProcessDeps,
    /** An empty folder, in which git finds no configuration of the user. */
    private readonly home: string,
  ) {
    this.#processes = {
      ...processes,
      environment: () => withoutGitVariables(processes.environment?.() ?? process.env),
    };
  }

  /** Whether the version is supported, and the text of the version. Rejects with `GitError`. */
  async version(cwd: string): Promise<{ readonly isSupported: boolean; readonly text: string }> {
    const { stdout } = await this.run({ args: ["--version"], cwd, env: {} }),
      text = stdout.toString().trim(),
      [major, minor] = parseVersion(text) ?? [0, 0];
    return {
      isSupported: major > MIN_VERSION[0] || (major === MIN_VERSION[0] && minor >= MIN_VERSION[1]),
      text,
    };
  }

  /** With the configuration of the store only. Rejects with `GitError`. */
  run(command: GitCommand): Promise<GitResult> {
    return this.#run({
      ...command,
      env: {
        ...command.env,
        HOME: this.home,
        XDG_CONFIG_HOME: this.home,
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_CONFIG_GLOBAL: path.join(this.home, "gitconfig"), // since 2.32; before, HOME decides
        GIT_ATTR_NOSYSTEM: "1",
        ...COMMON,
      },
    });
  }

  /** With the configuration of the user. Only for commands that read configuration or attributes. */
  runAsUser(command: GitCommand): Promise<GitResult> {
    return this.#run({
      ...command,
      args: ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=", ...command.args],
      env: { ...command.env, ...COMMON },
    });
  }

  /** Ends the running commands, and refuses others. */
  stop(): void {
    this.#isStopped = true;
    for (const child of this.#running) void child.kill();
  }

  async #run({ args, cwd, env, input, codes = [] }: GitCommand): Promise<GitResult> {
    if (this.#isStopped) throw new GitError("notStarted", "Symposium is closing.");
    const started = startChild({ name: "git", command: this.program, args, env, cwd, isAlone: true }, this.#processes);
    if (started.kind === "failed") {
      const cause = await started.why;
      throw new GitError("notStarted", cause.message, "", { cause });
    }
    const { child } = started,
      chunks: Buffer[] = [],
      stderr = new TailBuffer(STDERR_BYTES);
    this.#running.add(child);
    let bytes = 0,
      stopped: GitError["why"] | undefined;
    const stop = (why: GitError["why"]): void => {
      stopped ??= why;
      void child.kill();
    };
    child.stdout.on("data", (chunk: Buffer) => {
      if ((bytes += chunk.length) > MAX_OUTPUT_BYTES) return stop("tooMuchOutput");
      chunks.push(chunk);
    });
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    const closed = Promise.all(
      [child.stdout, child.stderr].map(
        stream =>
          new Promise<void>(resolve => {
            stream.once("close", resolve);
          }),
      ),
    );
    const late = this.#processes.clock.after(MAX_MS, () => stop("timeout"));
    child.stdin.end(input);
    const exit = await child.exited;
    this.#running.delete(child);
    late[Symbol.dispose]();
    await child.within(DRAIN_MS, closed);
    child.stdout.destroy();
    child.stderr.destroy();
    const what = `git ${args.find(arg => !arg.startsWith("-") && !arg.includes("=")) ?? ""}`;
    if (stopped !== undefined) throw new GitError(stopped, `${what} was stopped: ${stopped}`);
    if (exit.code === null || (exit.code !== 0 && !codes.includes(exit.code)))
      throw new GitError("failed", `${what} failed (${exit.code ?? exit.signal ?? ""})`, stderr.text());
    return { code: exit.code, stdout: Buffer.concat(chunks) };
  }
}

/** Messages are parsed, so they are in English. */
const COMMON = { LC_ALL: "C", LANGUAGE: "", GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0" };

function withoutGitVariables(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^GIT_/i.test(name)));
}
