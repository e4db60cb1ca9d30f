/**
 * Clients for both sides of the comparison: the service with its agents, and the agent alone. One JSON message per
 * line.
 */
import { spawn, type ChildProcess } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";

export interface RpcMessage {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly requestId?: number; readonly part?: { readonly value?: string } };
  readonly result?: { readonly sessionId?: string };
  readonly error?: { readonly message: string };
}

/** The path of a program, as scripts/bench.mjs builds it. */
export function program(name: "agent" | "relay" | "service" | "sidecar"): string {
  const folder = process.env.SYMPOSIUM_BENCH_PROGRAMS;
  if (!folder) throw new Error("SYMPOSIUM_BENCH_PROGRAMS is not set: run the bench with scripts/bench.mjs");
  return path.join(folder, "lm", `${name}.program.mjs`);
}

export class Program implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #open = new Map<
    number,
    { readonly settle: (response: RpcMessage) => void; readonly fail: (error: Error) => void }
  >();
  #ids = 0;
  /** Receives the notifications between a request and its response. */
  onEvent: (response: RpcMessage) => void = () => undefined;

  constructor(name: "agent" | "relay" | "service", args: readonly string[] = []) {
    this.#child = spawn(process.execPath, [program(name), ...args], { stdio: ["pipe", "pipe", "inherit", "ipc"] });
    this.#exited = new Promise(resolve => this.#child.once("exit", resolve));
    void this.#exited.then(code => {
      for (const { fail } of this.#open.values()) fail(new Error(`${name} exited with ${String(code)}`));
    });
    if (!this.#child.stdout) throw new Error("a child with pipes has no stdout");
    // written by our own programs
    createInterface({ input: this.#child.stdout }).on("line", line => this.#read(JSON.parse(line) as RpcMessage));
  }

  /** Resolves with the response and the milliseconds until it arrived. */
  async request(
    method: string,
    params: object,
  ): Promise<{ readonly response: RpcMessage; readonly milliseconds: number }> {
    const id = ++this.#ids,
      begin = performance.now();
    const response = await new Promise<RpcMessage>((settle, fail) => {
      this.#open.set(id, { settle, fail });
      this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
    if (response.error) throw new Error(response.error.message);
    return { response, milliseconds: performance.now() - begin };
  }

  /** Bytes on the program's heap after a full collection. */
  async retainedBytes(): Promise<number> {
    const answer = new Promise<number>(resolve => this.#child.once("message", bytes => resolve(Number(bytes))));
    this.#child.send("how much?");
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin?.end();
    await this.#exited;
  }

  #read(response: RpcMessage): void {
    if (response.id === undefined) return this.onEvent(response);
    this.#open.get(response.id)?.settle(response);
    this.#open.delete(response.id);
  }
}
