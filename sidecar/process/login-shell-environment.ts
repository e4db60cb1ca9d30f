/**
 * The environment of the user's login shell. An editor that was started from a dock or a menu has none of what nvm,
 * brew, cargo and the like put into PATH; the shell is asked once, by a program of ours that it runs between two marks,
 * whatever else its start files print.
 *
 *   unasked ──▶ asking ──▶ known: the shell's, or our own with the reason
 *
 * Invariants: never rejects, and takes ten seconds at most; our own variables stay, but for PATH, which has the shell's
 * folders first unless ours has all of them in it already (then somebody has put it together on purpose: an activated
 * venv).
 */
import { randomUUID } from "node:crypto";
import path from "node:path";
import type { Clock } from "../rpc/clock";
import { isObject } from "../rpc/json";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ResolvedEnvironment {
  readonly env: Environment;
  /** The shell that was asked. */
  readonly shell: string | undefined;
  /** Why it is our own environment after all, as a sentence. */
  readonly problem?: string;
}

export interface ShellDeps {
  readonly platform: string;
  readonly env: Environment;
  /** The program that runs us, which is a Node, or can be one. */
  readonly node: string;
  readonly clock: Clock;
  /** Runs a command with nothing on its stdin, to its end or until `signal`; rejects when it cannot be started. */
  readonly run: (
    command: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ) => Promise<{ readonly code: number | null; readonly stdout: string }>;
}

/** For start files: that nobody sits before this shell. */
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
          : `${shell} ended with ${code === null ? "a signal" : `exit code ${code}`} before it could say its environment.`,
      };
    } catch (error) {
      return {
        env,
        shell,
        problem: `${shell} could not be started: ${error instanceof Error ? error.message : String(error)}.`,
      };
    } finally {
      timer[Symbol.dispose]();
    }
  }
}

/** As a login shell that reads what an interactive one reads, because that is where people set their PATH. */
export function shellArguments(shell: string, node: string, mark: string): readonly string[] {
  // In two halves: a shell that prints the commands it runs (by a trap that sets the title) must not print a mark.
  const half = mark.length >> 1,
    script = `const m="${mark.slice(0, half)}"+"${mark.slice(half)}";process.stdout.write(m+JSON.stringify(process.env)+m)`,
    name = path.basename(shell);
  switch (name) {
    case "pwsh":
    case "powershell":
      return ["-Login", "-Command", `& ${quoted(node, "''")} -e ${quoted(script, "''")}`];
    case "nu":
      return ["-l", "-c", `^${quoted(node, "")} -e ${quoted(script, "")}`];
    // They take no other option beside -l, and no -l beside -c; -i is enough for their start files.
    case "csh":
    case "tcsh":
      return ["-i", "-c", `${quoted(node, "'\\''")} -e ${quoted(script, "'\\''")}`];
    default:
      return ["-i", "-l", "-c", `${quoted(node, "'\\''")} -e ${quoted(script, "'\\''")}`];
  }
}

/** `inside`: how the shell writes a quote within single quotes. */
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
            (entry): entry is [string, string] => typeof entry[1] === "string" && !OF_ASKING.has(entry[0]),
          ),
        )
      : undefined;
  } catch {
    return undefined; // something of the shell's stands between the marks
  }
}

/** What is so only because we ask. */
const OF_ASKING = new Set([RESOLVING, "ELECTRON_RUN_AS_NODE", "SHLVL", "PWD", "OLDPWD", "_"]);

function merged(theirs: Environment, ours: Environment): Environment {
  return { ...theirs, ...ours, PATH: pathOf(folders(theirs["PATH"]), folders(ours["PATH"])).join(path.delimiter) };
}

function pathOf(theirs: readonly string[], ours: readonly string[]): readonly string[] {
  return theirs.every(folder => ours.includes(folder)) ? ours : [...new Set([...theirs, ...ours])];
}

function folders(value: string | undefined): readonly string[] {
  return (value ?? "").split(path.delimiter).filter(folder => folder !== "");
}
