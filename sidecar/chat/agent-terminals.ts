/**
 * Commands that an agent runs through us (ACP schema v1, `terminal/*`). They run without a terminal of the system: what
 * they print is kept for the agent, and shown as it comes.
 *
 *   running ── exit, or kill ──▶ ended          release: ended if it runs, and the agent cannot name it any more; what is shown stays
 *
 * Invariants: `terminal/create` answers at once; what is kept for the agent is the end of the output, cut between
 * characters; nothing runs on when the session is left.
 */
import path from "node:path";
import { StringDecoder } from "node:string_decoder";
import { TERMINAL_LIMIT } from "../../src/protocol/chat";
import type { ProcessSpec, Started } from "../process/child";
import { TailBuffer } from "../process/tail-buffer";
import type { Clock } from "../rpc/clock";
import { arrayOr, isObject, numberOr, objectOr, stringOr, type JsonObject } from "../rpc/json";
import { RpcCode, RpcError } from "../rpc/message";

/** What is shown of them. */
export interface TerminalScreen {
  started(terminal: { readonly terminalId: string; readonly command: string; readonly cwd: string }): void;
  /** `isCut`: what was printed before it has been left out. */
  printed(terminalId: string, text: string, isCut: boolean): void;
  ended(terminalId: string, exit: { readonly code?: number; readonly signal?: string }): void;
}

export type StartCommand = (spec: ProcessSpec) => Started;

/** Bytes kept when the agent does not say how many, and at most. */
const DEFAULT_BYTES = 1024 * 1024,
  MOST_BYTES = 16 * 1024 * 1024;
const MOST_TERMINALS = 100;
/** What a process has printed may come a moment after its end; what it left behind may keep its pipes open. */
const LAST_OUTPUT_MS = 250;
/** A command that prints without end is shown so often, and of that only what a screen can hold. */
const SHOWN_EVERY_MS = 50;

export class AgentTerminals {
  readonly #terminals = new Map<string, RunningTerminal>();
  #made = 0;

  /** `prefix`: terminal ids are unique among all sessions of all boots. */
  constructor(
    private readonly prefix: string,
    private readonly cwd: string,
    private readonly start: StartCommand,
    private readonly clock: Clock,
    private readonly screen: TerminalScreen,
  ) {}

  create(raw: unknown): JsonObject {
    const params = objectOr(raw);
    if (this.#terminals.size >= MOST_TERMINALS)
      throw new RpcError(RpcCode.invalidRequest, `${MOST_TERMINALS} terminals are open. Release one first.`);
    const spec = specFrom(params, this.cwd),
      terminalId = `${this.prefix}t${++this.#made}`;
    const limit = Math.min(MOST_BYTES, Math.max(0, numberOr(params.outputByteLimit, DEFAULT_BYTES)));
    this.screen.started({ terminalId, command: spec.name, cwd: spec.cwd });
    this.#terminals.set(
      terminalId,
      new RunningTerminal(
        this.start(spec),
        limit,
        new Printed(this.clock, (text, isCut) => this.screen.printed(terminalId, text, isCut)),
        exit => this.screen.ended(terminalId, exit),
      ),
    );
    return { terminalId };
  }

  output(raw: unknown): JsonObject {
    return this.#of(raw).output();
  }
  async waitForExit(raw: unknown): Promise<JsonObject> {
    return this.#of(raw).exited;
  }

  async kill(raw: unknown): Promise<JsonObject> {
    await this.#of(raw).kill();
    return {};
  }

  async release(raw: unknown): Promise<JsonObject> {
    const terminal = this.#of(raw);
    this.#terminals.delete(stringOr(objectOr(raw).terminalId, ""));
    await terminal.kill();
    return {};
  }

  /** The session is left. */
  leave(): Promise<unknown> {
    const all = [...this.#terminals.values()];
    this.#terminals.clear();
    return Promise.all(all.map(terminal => terminal.kill()));
  }

  #of(raw: unknown): RunningTerminal {
    const terminalId = stringOr(objectOr(raw).terminalId, ""),
      terminal = this.#terminals.get(terminalId);
    if (!terminal) throw new RpcError(RpcCode.notFound, `There is no terminal ${terminalId}.`, { terminalId });
    return terminal;
  }
}

class RunningTerminal {
  /** Resolves with the agent's words for it. */
  readonly exited: Promise<JsonObject>;
  readonly #kept: TailBuffer;
  readonly #started: Started;
  #exit: JsonObject | undefined;

  constructor(
    started: Started,
    limit: number,
    private readonly printed: Printed,
    ended: (exit: { readonly code?: number; readonly signal?: string }) => void,
  ) {
    this.#started = started;
    this.#kept = new TailBuffer(limit);
    this.exited = this.#run().then(exit => {
      this.printed.flush();
      ended(exit);
      this.#exit = { exitCode: exit.code ?? null, signal: exit.signal ?? null };
      return this.#exit;
    });
  }

  output(): JsonObject {
    return {
      output: this.#kept.text(),
      truncated: this.#kept.total > this.#kept.limit,
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
      return { code: 127 }; // as a shell says of a command that is not there
    }
    const { child } = this.#started;
    child.stdin.end(); // nobody can type
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
    this.#kept.push(chunk);
    const text = decoder.write(chunk);
    if (text !== "") this.printed.add(text);
  }
}

/** Collects what is printed until it is time to show it. */
class Printed {
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
    this.#timer ??= this.clock.after(SHOWN_EVERY_MS, () => this.flush());
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
 * A program with its arguments, or, when there are none and it looks like one, a line for the shell: agents send both.
 */
function specFrom(params: JsonObject, sessionCwd: string): ProcessSpec {
  const command = stringOr(params.command, ""),
    args = arrayOr(params.args).map(String),
    cwd = stringOr(params.cwd, undefined) ?? sessionCwd;
  if (command.trim() === "" || [command, ...args].some(word => word.includes("\0")))
    throw new RpcError(RpcCode.invalidParams, "command: a command is needed");
  if (!path.isAbsolute(cwd)) throw new RpcError(RpcCode.invalidParams, "cwd: an absolute path is needed");
  const env = Object.fromEntries(
    arrayOr(params.env)
      .filter(isObject)
      .filter(({ name }) => typeof name === "string" && name !== "")
      .map(({ name, value }) => [String(name), stringOr(value, "")]),
  );
  const name = ("PATH" in env ? undefined : shellLine(command, args)) ?? written(command, args);
  if (args.length > 0 || !/[\s|&;<>()$`"'*?#~]/.test(command)) return { name, command, args, env, cwd };
  return process.platform === "win32"
    ? { name, command: process.env["ComSpec"] ?? "cmd.exe", args: ["/d", "/s", "/c", command], env, cwd }
    : { name, command: "/bin/sh", args: ["-c", command], env, cwd };
}

/**
 * A command as a person types it. Alone it may be a line for the shell; with arguments it is one word, whatever is in
 * it.
 */
function written(command: string, args: readonly string[]): string {
  if (args.length === 0) return command;
  return [command, ...args]
    .map(word => (/[^\w@%+=:,./\\-]/.test(word) || word === "" ? JSON.stringify(word) : word))
    .join(" ");
}

/**
 * What an agent gives to a shell of the system is what a person would type. A program of that name elsewhere is not
 * known,
 * and other arguments may name a program, too: then all of it is shown.
 */
function shellLine(command: string, args: readonly string[]): string | undefined {
  const [option = "", line] = args.slice(-2),
    isShell = /^(?:(?:\/usr)?\/bin\/)?(?:ba|z|da)?sh$|^cmd(?:\.exe)?$/i.test(command);
  return isShell && /^[-/]c$/i.test(option) && args.slice(0, -2).every(word => /^\/[ds]$/i.test(word))
    ? line
    : undefined;
}
