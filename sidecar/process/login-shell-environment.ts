/**
 * Resolves the environment of the user's login shell. An editor started from a dock or a menu lacks the PATH entries of
 * nvm, brew, cargo and similar tools. The shell runs once, with a script that prints the environment between two marks.
 * Other output of start files is ignored.
 *
 *   unresolved ──▶ resolving ──▶ resolved: the shell's environment, or the sidecar's with a problem
 *
 * Invariants:
 * - Never rejects and takes at most ten seconds.
 * - The sidecar's variables override the shell's, except PATH, which starts with the shell's folders.
 * - A PATH of the sidecar that contains all of the shell's folders is kept, because an activated venv depends on its
 *   order.
 */
import { randomUUID } from "node:crypto";
import path from "node:path";
import { errorMessage } from "../../src/protocol/wire/errors";
import type { Clock } from "../rpc/clock";
import { isObject } from "../rpc/json";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ResolvedEnvironment {
  readonly env: Environment;
  /** The shell that was run. */
  readonly shell: string | undefined;
  /** Why the sidecar's own environment is used, as a sentence. */
  readonly problem?: string;
}

export interface ShellDeps {
  readonly platform: string;
  readonly env: Environment;
  /** Executable that runs the sidecar: Node, or a program that can act as Node (Electron). */
  readonly node: string;
  readonly clock: Clock;
  /** Runs a command without stdin until it exits or `signal` aborts. Rejects when it cannot be started. */
  readonly run: (
    command: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ) => Promise<{ readonly code: number | null; readonly stdout: string }>;
}

/** Set for the shell, so that start files can detect the non-interactive run. */
export const RESOLVING = "SYMPOSIUM_RESOLVING_ENVIRONMENT";
const LIMIT_MS = 10_000;

export class ShellEnvironment {
  #resolving: Promise<ResolvedEnvironment> | undefined;

  constructor(private readonly deps: ShellDeps) {}

  resolved(): Promise<ResolvedEnvironment> {
    return (this.#resolving ??= this.#resolve());
  }

  async #resolve(): Promise<ResolvedEnvironment> {
    const { platform, env, node, clock, run } = this.deps,
      shell = platform === "win32" ? undefined : (env["SHELL"] ?? (platform === "darwin" ? "/bin/zsh" : "/bin/sh"));
    if (shell === undefined) return { env, shell };
    const mark = randomUUID().replaceAll("-", ""),
      limit = new AbortController();
    const timer = clock.after(LIMIT_MS, () => limit.abort());
    try {
      const { code, stdout } = await run(
        shell,
        shellArguments(shell, node, mark),
        { ELECTRON_RUN_AS_NODE: "1", [RESOLVING]: "1" },
        limit.signal,
      );
      const theirs = environmentIn(stdout, mark);
      if (theirs) return { env: merged(theirs, env), shell };
      return {
        env,
        shell,
        problem: limit.signal.aborted
          ? `${shell} did not finish its start files within ${LIMIT_MS / 1000} seconds.`
          : `${shell} exited with ${code === null ? "a signal" : `exit code ${code}`} before it printed its environment.`,
      };
    } catch (error) {
      return {
        env,
        shell,
        problem: `${shell} could not be started: ${errorMessage(error)}.`,
      };
    } finally {
      timer[Symbol.dispose]();
    }
  }
}

/** Starts a login shell that also reads the interactive start files, because people set their PATH there. */
export function shellArguments(shell: string, node: string, mark: string): readonly string[] {
  // The mark is split in two: a shell that echoes its commands (a trap that sets the title) must not print it.
  const half = mark.length >> 1,
    script = `const m="${mark.slice(0, half)}"+"${mark.slice(half)}";process.stdout.write(m+JSON.stringify(process.env)+m)`,
    name = path.basename(shell);
  switch (name) {
    case "pwsh":
    case "powershell":
      return ["-Login", "-Command", `& ${quoted(node, "''")} -e ${quoted(script, "''")}`];
    case "nu":
      return ["-l", "-c", `^${quoted(node, "")} -e ${quoted(script, "")}`];
    // csh and tcsh accept no option beside -l, and no -l beside -c. -i is sufficient for their start files.
    case "csh":
    case "tcsh":
      return ["-i", "-c", `${quoted(node, "'\\''")} -e ${quoted(script, "'\\''")}`];
    default:
      return ["-i", "-l", "-c", `${quoted(node, "'\\''")} -e ${quoted(script, "'\\''")}`];
  }
}

/** `inside`: the shell's escape for a quote within single quotes. */
function quoted(text: string, inside: string): string {
  return `'${text.replaceAll("'", inside)}'`;
}

export function environmentIn(stdout: string, mark: string): Environment | undefined {
  const [, json] = stdout.split(mark);
  if (json === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value)
      ? Object.fromEntries(
          Object.entries(value).filter(
            (entry): entry is [string, string] => typeof entry[1] === "string" && !RESOLUTION_VARIABLES.has(entry[0]),
          ),
        )
      : undefined;
  } catch {
    return undefined; // other shell output between the marks
  }
}

/** Variables that are set only by this resolution. */
const RESOLUTION_VARIABLES = new Set([RESOLVING, "ELECTRON_RUN_AS_NODE", "SHLVL", "PWD", "OLDPWD", "_"]);

function merged(theirs: Environment, ours: Environment): Environment {
  return { ...theirs, ...ours, PATH: pathOf(folders(theirs["PATH"]), folders(ours["PATH"])).join(path.delimiter) };
}

function pathOf(theirs: readonly string[], ours: readonly string[]): readonly string[] {
  return theirs.every(folder => ours.includes(folder)) ? ours : [...new Set([...theirs, ...ours])];
}

function folders(value: string | undefined): readonly string[] {
  return (value ?? "").split(path.delimiter).filter(folder => folder !== "");
}
