/**
 * Commands that Symposium runs for an agent (ACP schema v1, `terminal/*`). The commands run without a pseudo-terminal.
 * Their output is buffered for the agent and displayed immediately.
 *
 *   running ── exit, or kill ──▶ ended
 *
 * `terminal/release` ends a running command and invalidates its id. The displayed output remains.
 *
 * Invariants:
 * - `terminal/create` responds immediately.
 * - The buffer retains the end of the output, cut between characters.
 * - No command runs after the end of the session.
 */
import path from "node:path";
import { StringDecoder } from "node:string_decoder";
import { TERMINAL_LIMIT } from "../../../src/protocol/chat/chat";
import type { ProcessSpec, Started } from "../../process/child";
import { TailBuffer } from "../../process/tail-buffer";
import type { Clock } from "../../rpc/clock";
import { arrayOr, isObject, numberOr, objectOr, stringOr, type JsonObject } from "../../rpc/json";
import { RpcCode, RpcError } from "../../rpc/message";

/** Displays the terminals. */
export interface TerminalScreen {
  started(terminal: { readonly terminalId: string; readonly command: string; readonly cwd: string }): void;
  /** `isCut`: earlier output was omitted. */
  printed(terminalId: string, text: string, isCut: boolean): void;
  ended(terminalId: string, exit: { readonly code?: number; readonly signal?: string }): void;
}

export type StartCommand = (spec: ProcessSpec) => Started;

/** Default and maximum size of the output buffer, in bytes. */
const DEFAULT_BYTES = 1024 * 1024,
  MAX_BYTES = 16 * 1024 * 1024;
const MAX_TERMINALS = 100;
/** Milliseconds to wait for output after a process has exited. Its child processes may keep the pipes open. */
const LAST_OUTPUT_MS = 250;
/** Milliseconds between updates of the display. */
const DISPLAY_INTERVAL_MS = 50;

export class AgentTerminals {
  readonly #terminals = new Map<string, RunningTerminal>();
  #created = 0;

  /** `prefix` makes terminal ids unique among all sessions of all boots. */
  constructor(
    private readonly prefix: string,
    private readonly cwd: string,
    private readonly start: StartCommand,
    private readonly clock: Clock,
    private readonly screen: TerminalScreen,
  ) {}

  create(raw: unknown): JsonObject {
    const params = objectOr(raw);
    if (this.#terminals.size >= MAX_TERMINALS)
      throw new RpcError(RpcCode.invalidRequest, `${MAX_TERMINALS} terminals are open. Release one first.`);
    const spec = specFrom(params, this.cwd),
      terminalId = `${this.prefix}t${++this.#created}`;
    const limit = Math.min(MAX_BYTES, Math.max(0, numberOr(params.outputByteLimit, DEFAULT_BYTES)));
    this.screen.started({ terminalId, command: spec.name, cwd: spec.cwd });
    this.#terminals.set(
      terminalId,
      new RunningTerminal(
        this.start(spec),
        limit,
        new DisplayBuffer(this.clock, (text, isCut) => this.screen.printed(terminalId, text, isCut)),
        exit => this.screen.ended(terminalId, exit),
      ),
    );
    return { terminalId };
  }

  output(raw: unknown): JsonObject {
    return this.#terminalIn(raw).output();
  }
  async waitForExit(raw: unknown): Promise<JsonObject> {
    return this.#terminalIn(raw).exited;
  }

  async kill(raw: unknown): Promise<JsonObject> {
    await this.#terminalIn(raw).kill();
    return {};
  }

  async release(raw: unknown): Promise<JsonObject> {
    const terminal = this.#terminalIn(raw);
    this.#terminals.delete(stringOr(objectOr(raw).terminalId, ""));
    await terminal.kill();
    return {};
  }

  /** Ends all commands, at the end of the session. */
  leave(): Promise<unknown> {
    const all = [...this.#terminals.values()];
    this.#terminals.clear();
    return Promise.all(all.map(terminal => terminal.kill()));
  }

  #terminalIn(raw: unknown): RunningTerminal {
    const terminalId = stringOr(objectOr(raw).terminalId, ""),
      terminal = this.#terminals.get(terminalId);
    if (!terminal) throw new RpcError(RpcCode.notFound, `Terminal ${terminalId} does not exist.`, { terminalId });
    return terminal;
  }
}

class RunningTerminal {
  /** Resolves with the exit status in ACP's format. */
  readonly exited: Promise<JsonObject>;
  readonly #tail: TailBuffer;
  readonly #started: Started;
  #exit: JsonObject | undefined;

  constructor(
    started: Started,
    limit: number,
    private readonly display: DisplayBuffer,
    ended: (exit: { readonly code?: number; readonly signal?: string }) => void,
  ) {
    this.#started = started;
    this.#tail = new TailBuffer(limit);
    this.exited = this.#run().then(exit => {
      this.display.flush();
      ended(exit);
      this.#exit = { exitCode: exit.code ?? null, signal: exit.signal ?? null };
      return this.#exit;
    });
  }

  output(): JsonObject {
    return {
      output: this.#tail.text(),
      truncated: this.#tail.total > this.#tail.limit,
      ...(this.#exit === undefined ? {} : { exitStatus: this.#exit }),
    };
  }

  async kill(): Promise<void> {
    if (this.#started.kind === "failed") return void (await this.exited);
    await this.#started.child.kill();
    if (!this.#started.child.isRunning()) await this.exited;
  }

  async #run(): Promise<{ readonly code?: number; readonly signal?: string }> {
    if (this.#started.kind === "failed") {
      const { message } = await this.#started.why;
      this.#print(new StringDecoder(), Buffer.from(`${message}\n`));
      return { code: 127 }; // a shell's exit code for an unknown command
    }
    const { child } = this.#started;
    child.stdin.end(); // no input is possible
    const closed = [child.stdout, child.stderr].map(stream => {
      const decoder = new StringDecoder();
      stream.on("data", (chunk: Buffer) => this.#print(decoder, chunk));
      return new Promise<void>(resolve => {
        stream.once("close", resolve);
      });
    });
    const { code, signal } = await child.exited;
    await child.within(LAST_OUTPUT_MS, Promise.all(closed));
    child.stdout.destroy();
    child.stderr.destroy();
    return { ...(code === null ? {} : { code }), ...(signal === null ? {} : { signal }) };
  }

  #print(decoder: StringDecoder, chunk: Buffer): void {
    this.#tail.push(chunk);
    const text = decoder.write(chunk);
    if (text !== "") this.display.add(text);
  }
}

/** Buffers output until the next update of the display. */
class DisplayBuffer {
  #text = "";
  #isCut = false;
  #timer: Disposable | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly show: (text: string, isCut: boolean) => void,
  ) {}

  add(text: string): void {
    this.#text += text;
    if (this.#text.length > 2 * TERMINAL_LIMIT) {
      this.#text = this.#text.slice(-TERMINAL_LIMIT);
      this.#isCut = true;
    }
    this.#timer ??= this.clock.after(DISPLAY_INTERVAL_MS, () => this.flush());
  }

  flush(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    if (this.#text !== "") this.show(this.#text, this.#isCut);
    this.#text = "";
    this.#isCut = false;
  }
}

/**
 * Agents send either a program with arguments or a shell command line. A command without arguments that contains shell
 * syntax runs in the shell.
 */
function specFrom(params: JsonObject, sessionCwd: string): ProcessSpec {
  const command = stringOr(params.command, ""),
    args = arrayOr(params.args).map(String),
    cwd = stringOr(params.cwd, undefined) ?? sessionCwd;
  if (command.trim() === "" || [command, ...args].some(word => word.includes("\0")))
    throw new RpcError(RpcCode.invalidParams, "command: a command is required");
  if (!path.isAbsolute(cwd)) throw new RpcError(RpcCode.invalidParams, "cwd: an absolute path is required");
  const env = Object.fromEntries(
    arrayOr(params.env)
      .filter(isObject)
      .filter(({ name }) => typeof name === "string" && name !== "")
      .map(({ name, value }) => [String(name), stringOr(value, "")]),
  );
  const name = ("PATH" in env ? undefined : shellLine(command, args)) ?? formatCommand(command, args);
  if (args.length > 0 || !/[\s|&;<>()$`"'*?#~]/.test(command)) return { name, command, args, env, cwd };
  return process.platform === "win32"
    ? { name, command: process.env["ComSpec"] ?? "cmd.exe", args: ["/d", "/s", "/c", command], env, cwd }
    : { name, command: "/bin/sh", args: ["-c", command], env, cwd };
}

/**
 * The command as a user would type it. Without arguments it may be a shell command line; with arguments it is one
 * quoted word.
 */
function formatCommand(command: string, args: readonly string[]): string {
  if (args.length === 0) return command;
  return [command, ...args]
    .map(word => (/[^\w@%+=:,./\\-]/.test(word) || word === "" ? JSON.stringify(word) : word))
    .join(" ");
}

/**
 * The command line that an agent passes to a system shell. `undefined` for a shell in another folder and for other
 * arguments, which may name a program. The whole command is then displayed.
 */
function shellLine(command: string, args: readonly string[]): string | undefined {
  const [option = "", line] = args.slice(-2),
    isShell = /^(?:(?:\/usr)?\/bin\/)?(?:ba|z|da)?sh$|^cmd(?:\.exe)?$/i.test(command);
  return isShell && /^[-/]c$/i.test(option) && args.slice(0, -2).every(word => /^\/[ds]$/i.test(word))
    ? line
    : undefined;
}
