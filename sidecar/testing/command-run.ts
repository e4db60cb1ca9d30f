/** The command as a child process of an editor, and the editor's end of the connection. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { randomUUID } from "node:crypto";
import { objectOr, type JsonObject } from "../rpc/json";
import { census } from "./census";
import { program } from "./programs/programs";

interface StartOptions {
  readonly name?: string | undefined;
  readonly wrap?: ((command: readonly string[]) => readonly string[]) | undefined;
}

export class CommandRun {
  /** Id of this test's run. Processes that the command starts inherit it. */
  readonly id = randomUUID();
  readonly process: ChildProcessWithoutNullStreams;
  readonly exit: Promise<readonly [code: number | null, signal: string | null]>;
  readonly received: JsonObject[] = [];
  stderr = "";
  #text = "";
  #watchers: (() => void)[] = [];

  /** `name`: the test program. `wrap`: wraps the command. */
  constructor(
    home: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    { name = "symposium-acp-agent", wrap = words => words }: StartOptions = {},
  ) {
    const { command, args: first } = program(name),
      [file = "", ...rest] = wrap([command, ...first, ...args]);
    this.process = spawn(file, rest, {
      env: { ...process.env, HOME: home, USERPROFILE: home, SYMPOSIUM_RUN_ID: this.id, ...env },
    });
    this.exit = new Promise(resolve => {
      this.process.once("close", (code, signal) => resolve([code, signal]));
    });
    this.process.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
      this.#check();
    });
    this.process.stdin.on("error", () => undefined);
  }

  /** Starts reading stdout. Not used with the SDK, which reads stdout itself. */
  read(): this {
    this.process.stdout.setEncoding("utf8").on("data", (text: string) => {
      const lines = (this.#text + text).split("\n");
      this.#text = lines.pop() ?? "";
      for (const line of lines) this.received.push(JSON.parse(line)); // only protocol messages
      this.#check();
    });
    return this;
  }

  report(message: object): void {
    this.process.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  async ask(id: number, method: string, params: object): Promise<JsonObject> {
    this.report({ id, method, params });
    return this.answer(id);
  }

  async answer(id: number): Promise<JsonObject> {
    const found = (): JsonObject | undefined =>
      this.received.find(message => message.id === id && !("method" in message));
    await this.until(() => found() !== undefined);
    return objectOr(found());
  }

  async open(): Promise<string> {
    await this.ask(1, "initialize", { protocolVersion: 1 });
    return String(
      objectOr((await this.ask(2, "session/new", { cwd: process.cwd(), mcpServers: [] })).result).sessionId,
    );
  }

  prompt(id: number, sessionId: string, text: string): void {
    this.report({ id, method: "session/prompt", params: { sessionId, prompt: [{ type: "text", text }] } });
  }

  get text(): string {
    return this.received
      .map(({ params }) => objectOr(objectOr(params).update))
      .filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")
      .map(({ content }) => String(objectOr(content).text))
      .join("");
  }

  /** Resolves when the condition is true or the command has exited. */
  until(condition: () => boolean): Promise<unknown> {
    const seen = new Promise<void>(resolve => {
      this.#watchers.push(() => {
        if (condition()) resolve();
      });
    });
    this.#check();
    return Promise.race([
      seen,
      this.exit.then(() => {
        if (!condition()) throw new Error(`it has ended: ${this.stderr}`);
      }),
    ]);
  }

  get agents(): readonly { readonly pid: number }[] {
    return census(this.id).filter(({ runId }) => runId !== this.id);
  }

  #check(): void {
    for (const look of this.#watchers) look();
  }
}
