/**
 * Runs `symposium-acp-agent run-with` as it is shipped, with built-in extensions before the agent of the bench. One
 * JSON message per line.
 */
import { spawn, type ChildProcess } from "node:child_process";
import path from "node:path";
import { program } from "../lm/wire";

interface RpcMessage {
  readonly id?: number;
  readonly method?: string;
  readonly result?: { readonly sessionId?: string };
  readonly error?: { readonly message: string };
}

export interface BenchSession {
  readonly id: string;
  /** Time at which the session was open. */
  readonly at: number;
}

const CHUNK = Buffer.from("agent_message_chunk");

export class ChainProgram implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #open = new Map<
    number,
    { readonly settle: (response: RpcMessage) => void; readonly fail: (error: Error) => void }
  >();
  readonly #ready: Promise<unknown>;
  readonly #work: string;
  #ids = 0;
  #rest: Buffer = Buffer.alloc(0);
  #onFirstText: () => void = () => undefined;

  /** `folder` must contain the folders `home` and `work`. */
  constructor(extensions: readonly string[], folder: string) {
    this.#work = path.join(folder, "work");
    const agent = JSON.stringify({ local: { command: process.execPath, args: [program("agent")] } });
    this.#child = spawn(
      process.execPath,
      ["dist/sidecar.js", "run-with", ...extensions.flatMap(id => ["--proxy", id]), "--agent", agent],
      { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, HOME: path.join(folder, "home") } },
    );
    this.#exited = new Promise(resolve => this.#child.once("exit", resolve));
    void this.#exited.then(code => {
      for (const { fail } of this.#open.values()) fail(new Error(`the chain exited with ${String(code)}`));
    });
    this.#child.stdout?.on("data", (chunk: Buffer) => this.#read(chunk));
    this.#ready = this.#request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  }

  async open(): Promise<BenchSession> {
    await this.#ready;
    const { result } = await this.#request("session/new", { cwd: this.#work, mcpServers: [] });
    return { id: String(result?.sessionId), at: performance.now() };
  }

  async close({ id }: BenchSession): Promise<void> {
    await this.#request("session/close", { sessionId: id });
  }

  /** Milliseconds from a prompt to the first text of its answer. */
  async firstWords({ id }: BenchSession): Promise<number> {
    const begin = performance.now(),
      first = new Promise<number>(resolve => {
        this.#onFirstText = () => resolve(performance.now() - begin);
      });
    await this.#request("session/prompt", { sessionId: id, prompt: [{ type: "text", text: "Go on with this: 1" }] });
    return first;
  }

  /** Milliseconds of a prompt with an answer of this number of chunks. */
  async prompt({ id }: BenchSession, pieces: number): Promise<number> {
    const begin = performance.now();
    await this.#request("session/prompt", {
      sessionId: id,
      prompt: [{ type: "text", text: `Go on with this: ${pieces}` }],
    });
    return performance.now() - begin;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin?.end();
    await this.#exited;
  }

  async #request(method: string, params: object): Promise<RpcMessage> {
    const id = ++this.#ids;
    const response = await new Promise<RpcMessage>((settle, fail) => {
      this.#open.set(id, { settle, fail });
      this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
    if (response.error) throw new Error(`${method}: ${response.error.message}`);
    return response;
  }

  /** Does not parse updates. */
  #read(chunk: Buffer): void {
    const all = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let start = 0;
    for (let end = all.indexOf(10, start); end !== -1; end = all.indexOf(10, start)) {
      const line = all.subarray(start, end);
      start = end + 1;
      if (line.subarray(0, 200).includes(CHUNK)) this.#onFirstText();
      else this.#receive(JSON.parse(line.toString()) as RpcMessage); // written by our own programs
    }
    this.#rest = all.subarray(start);
  }

  #receive(response: RpcMessage): void {
    if (response.id === undefined || response.method !== undefined) return;
    this.#open.get(response.id)?.settle(response);
    this.#open.delete(response.id);
  }
}
