/** The command `run` in a new home, as a child process of an editor, and the editor's end of the connection. */
import { deepEqual } from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Channel } from "../rpc/channel";
import { objectOr, type JsonObject } from "../rpc/json";
import { RpcError } from "../rpc/message";
import { ndjsonChannel } from "../rpc/ndjson-channel";
import { Peer } from "../rpc/peer";
import { CommandRun } from "./command-run";
import { scriptedAgent } from "./programs/programs";
import { Transcript } from "./transcript";

/** Text of a script of the scripted agent that identifies it. */
export const SCRIPT = "say Hello from the agent.";

interface RunOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Wraps the command. */
  readonly wrap?: (command: readonly string[]) => readonly string[];
}

export class EditorRun {
  readonly command: CommandRun;
  readonly peer: Peer;
  readonly transcript = new Transcript();
  readonly updates: JsonObject[] = [];
  #updated: () => void = () => undefined;

  constructor(home: string, { args = ["run"], env = {}, wrap }: RunOptions = {}) {
    const PATH = [path.join(home, "bin"), process.env.PATH].join(path.delimiter);
    this.command = new CommandRun(home, args, { PATH, ...env }, { wrap });
    const { stdout, stdin } = this.command.process;
    this.peer = new Peer(recorded(ndjsonChannel(stdout, stdin), this.transcript, home), {
      request: request => request.fail(new Error("the client answers no requests")),
      notification: (_method, params) => {
        this.updates.push(objectOr(objectOr(params).update));
        this.#updated();
      },
      closed: () => undefined,
    });
  }

  initialize(clientCapabilities: object = {}): Promise<unknown> {
    return this.peer.request("initialize", { protocolVersion: 1, clientCapabilities });
  }

  async open(): Promise<string> {
    return String(objectOr(await this.peer.request("session/new", { cwd: process.cwd(), mcpServers: [] })).sessionId);
  }

  /** Opens a session of the configuration agent. Resolves after its question. */
  async openSetup(): Promise<string> {
    const asked = new Promise<void>(resolve => {
      this.#updated = resolve;
    });
    const sessionId = await this.open();
    await asked;
    return sessionId;
  }

  /** Returns the text of the updates of one turn. */
  async ask(sessionId: string, text: string): Promise<string> {
    const from = this.updates.length;
    deepEqual(await this.peer.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] }), {
      stopReason: "end_turn",
    });
    return this.updates
      .slice(from)
      .map(({ content }) => String(objectOr(content).text ?? ""))
      .join("");
  }

  get id(): string {
    return this.command.id;
  }
  get exit(): CommandRun["exit"] {
    return this.command.exit;
  }
  get process(): CommandRun["process"] {
    return this.command.process;
  }
  get stderr(): string {
    return this.command.stderr;
  }
  get agents(): CommandRun["agents"] {
    return this.command.agents;
  }

  async end(): Promise<void> {
    this.process.stdin.end();
    deepEqual(await this.exit, [0, null]);
  }
}

function recorded(channel: Channel, transcript: Transcript, home: string): Channel {
  const shown = (message: unknown): unknown =>
    JSON.parse(JSON.stringify(message).replaceAll(home, "~").replaceAll(process.cwd(), "/workspace"));
  return {
    start: receiver =>
      channel.start({
        receive: frame => {
          transcript.record("←", shown(frame.message));
          return receiver.receive(frame);
        },
        closed: reason => receiver.closed(reason),
      }),
    send: frame => {
      transcript.record("→", shown(frame.message));
      return channel.send(frame);
    },
    drained: () => channel.drained(),
    [Symbol.asyncDispose]: () => channel[Symbol.asyncDispose](),
  };
}

export const failure = (request: Promise<unknown>): Promise<string> =>
  request.then(
    result => JSON.stringify(result),
    (error: unknown) => (error instanceof RpcError ? error.message : String(error)),
  );

/** The command line of a configuration. */
export const commandLine = ({ command, args }: Pick<ReturnType<typeof scriptedAgent>, "command" | "args">): string =>
  [command, ...args].map(word => `'${word}'`).join(" ");

export class RunFixture implements AsyncDisposable {
  readonly home = mkdtempSync(path.join(tmpdir(), "symposium-"));
  /** The configuration. */
  readonly file = path.join(this.home, ".symposium", "config.jsonc");
  readonly #runs: EditorRun[] = [];

  start(options?: RunOptions): EditorRun {
    const run = new EditorRun(this.home, options);
    this.#runs.push(run);
    return run;
  }

  write(text: string): void {
    mkdirSync(path.dirname(this.file), { recursive: true });
    writeFileSync(this.file, text);
  }

  configured(proxies: readonly object[] = [], agent = commandLine(scriptedAgent())): void {
    this.write(JSON.stringify({ agent, proxies }, undefined, 2));
  }

  /** Puts a program with the name of Kiro's on the PATH: the scripted agent. */
  addKiro(): void {
    const { command, args } = scriptedAgent(),
      bin = path.join(this.home, "bin");
    mkdirSync(bin, { recursive: true });
    if (process.platform === "win32")
      writeFileSync(path.join(bin, "kiro-cli-chat.cmd"), `@"${command}" ${args.map(arg => `"${arg}"`).join(" ")}\r\n`);
    else
      writeFileSync(path.join(bin, "kiro-cli-chat"), `#!/bin/sh\nexec ${commandLine({ command, args })}\n`, {
        mode: 0o755,
      });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const run of this.#runs) {
      run.process.kill("SIGKILL");
      await run.exit;
      for (const { pid } of process.platform === "linux" ? run.agents : []) process.kill(pid, "SIGKILL");
    }
    rmSync(this.home, { recursive: true, force: true });
  }
}
