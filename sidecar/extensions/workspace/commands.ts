/**
 * Runs commands with the platform's shell, in a terminal of the client if it offers terminals, else as a child process.
 *
 * Invariants: when a run settles, the command and all its child processes have exited or are being killed. The output
 * until then is retained.
 */
import { StringDecoder } from "node:string_decoder";
import { AgentError } from "../../errors";
import type { Clock } from "../../rpc/clock";
import { numberOr, objectOr, stringOr, type JsonObject } from "../../rpc/json";
import { RpcError } from "../../rpc/message";
import type { ExtensionDeps } from "../extension";
import { ToolFailure } from "../tool";
import { HeadAndTail } from "./bounded-output";
import { type SessionClient } from "../session-client";
import { CLIENT_METHODS } from "../../acp/methods";

export interface Command {
  readonly command: string;
  /** Absolute path. */
  readonly cwd: string;
  readonly timeoutMs: number;
}

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  /** `null`: the command did not exit normally. */
  readonly code: number | null;
  /** A sentence about the exit, if `code` does not explain it. */
  readonly note?: string;
}

export interface Commands {
  /**
   * Rejects with a `ToolFailure` if the command cannot be started, or with the reason of `signal`. `show` receives
   * content for the tool call as soon as it is available.
   */
  run(command: Command, signal: AbortSignal, show: (content: readonly JsonObject[]) => void): Promise<Ran>;
}

class TimeLimitReached extends Error {}

/** A signal that aborts after `ms`. */
function limitOf(clock: Clock, ms: number): Disposable & { readonly signal: AbortSignal } {
  const over = new AbortController(),
    timer = clock.after(ms, () => over.abort(new TimeLimitReached()));
  return { signal: over.signal, [Symbol.dispose]: () => timer[Symbol.dispose]() };
}

const timeoutNote = ({ timeoutMs }: Command): string =>
  `The command did not exit within ${timeoutMs} ms and was stopped with all its child processes. Use a longer timeout or a shorter command.`;

async function shellFor(
  { command }: Command,
  { platform, environment }: Pick<ExtensionDeps, "platform" | "environment">,
): Promise<{ readonly command: string; readonly args: readonly string[] }> {
  return platform === "win32"
    ? { command: (await environment())["ComSpec"] ?? "cmd.exe", args: ["/d", "/s", "/c", command] }
    : { command: "/bin/sh", args: ["-c", command] };
}

type ProcessDeps = Pick<ExtensionDeps, "platform" | "environment" | "run" | "clock">;

export function nodeCommands(deps: ProcessDeps): Commands {
  return {
    async run(command, signal, show) {
      const stdout = new Stream(),
        stderr = new Stream();
      using limit = limitOf(deps.clock, command.timeoutMs);
      try {
        const { exit } = await deps.run(
          { name: "The command", env: {}, cwd: command.cwd, ...(await shellFor(command, deps)) },
          {
            signal: AbortSignal.any([signal, limit.signal]),
            stdout: stdout.push,
            stderr: stderr.push,
            quietMs: command.timeoutMs + 60_000,
          },
        );
        return {
          ...streams(),
          code: exit.code,
          ...(exit.signal === null ? {} : { note: `It was terminated by ${exit.signal}.` }),
        };
      } catch (error) {
        if (error instanceof TimeLimitReached) return { ...streams(), code: null, note: timeoutNote(command) };
        throw error instanceof AgentError ? new ToolFailure(error.message) : error;
      } finally {
        show([printed(stdout.toString(), stderr.toString())]);
      }
      function streams(): { readonly stdout: string; readonly stderr: string } {
        return { stdout: stdout.toString(), stderr: stderr.toString() };
      }
    },
  };
}

class Stream {
  readonly #decoder = new StringDecoder();
  readonly #text = new HeadAndTail();
  readonly push = (chunk: Buffer): void => this.#text.push(this.#decoder.write(chunk));
  toString(): string {
    return this.#text.toString();
  }
}

/** Maximum number of characters shown to the user. */
const SHOWN = 4_000;

function printed(stdout: string, stderr: string): JsonObject {
  const text = [stdout, stderr]
    .filter(each => each !== "")
    .join("\n")
    .trimEnd();
  const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return {
    type: "content",
    content: {
      type: "text",
      text:
        text === ""
          ? "(nothing was printed)"
          : `${fence}\n${text.length > SHOWN ? `…${text.slice(-SHOWN)}` : text}\n${fence}`,
    },
  };
}

/** Maximum number of bytes that the client retains. The client drops the beginning of longer output. */
const MAX_BYTES = 1024 * 1024;
/** Time for the client to kill a command and return its output, in milliseconds. */
const KILL_MS = 5_000;

/** A terminal has a single output stream, returned as stdout. */
export function clientCommands(
  client: SessionClient,
  deps: Pick<ExtensionDeps, "platform" | "environment" | "clock">,
): Commands {
  const never = new AbortController().signal;
  return {
    async run(command, signal, show) {
      // Not cancelled with the call, because a created terminal must be released.
      const created = objectOr(
        await client
          .request(
            CLIENT_METHODS.terminal_create,
            { ...(await shellFor(command, deps)), cwd: command.cwd, outputByteLimit: MAX_BYTES },
            never,
          )
          .catch((error: unknown) => {
            throw notStarted(error);
          }),
      );
      const terminalId = stringOr(created.terminalId, undefined),
        ask = (method: string, until: AbortSignal): Promise<unknown> => client.request(method, { terminalId }, until);
      if (terminalId === undefined)
        throw new ToolFailure("The command could not be started: the editor opened no terminal.");
      using limit = limitOf(deps.clock, command.timeoutMs);
      try {
        show([{ type: "terminal", terminalId }]);
        const exit = objectOr(
          await ask(CLIENT_METHODS.terminal_wait_for_exit, AbortSignal.any([signal, limit.signal])),
        );
        return { ...(await output(until => ask(CLIENT_METHODS.terminal_output, until), signal)), ...endOf(exit) };
      } catch (error) {
        if (!(error instanceof TimeLimitReached))
          throw error instanceof RpcError ? new ToolFailure(`The terminal was lost: ${error.message}`) : error;
        using timeout = limitOf(deps.clock, KILL_MS);
        const last = AbortSignal.any([signal, timeout.signal]);
        await ask(CLIENT_METHODS.terminal_kill, last).catch(() => undefined);
        return {
          ...(await output(until => ask(CLIENT_METHODS.terminal_output, until), last).catch(() => ({
            stdout: "",
            stderr: "",
          }))),
          code: null,
          note: timeoutNote(command),
        };
      } finally {
        // kills a command that is still running, as does the end of the session
        ask(CLIENT_METHODS.terminal_release, never).catch(() => undefined);
      }
    },
  };
}

async function output(
  ask: (until: AbortSignal) => Promise<unknown>,
  signal: AbortSignal,
): Promise<Pick<Ran, "stdout" | "stderr">> {
  const { output: text, truncated } = objectOr(await ask(signal)),
    collected = new HeadAndTail();
  collected.push(`${truncated === true ? "[The beginning is omitted.]\n" : ""}${stringOr(text, "")}`);
  return { stdout: collected.toString(), stderr: "" };
}

function endOf({ exitCode, signal }: JsonObject): Pick<Ran, "code" | "note"> {
  return {
    code: numberOr(exitCode, null),
    ...(typeof signal === "string" ? { note: `It was terminated by ${signal}.` } : {}),
  };
}

function notStarted(error: unknown): unknown {
  return error instanceof RpcError ? new ToolFailure(`The command could not be started: ${error.message}`) : error;
}
