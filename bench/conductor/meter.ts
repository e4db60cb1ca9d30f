/**
 * Measures the cost of processes. Every process that the bench starts, directly or indirectly, connects to the bench's
 * socket and answers its queries.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

export interface Usage {
  /** User and system time in microseconds since the process started. */
  readonly cpu: number;
  /** Resident bytes, current and peak. */
  readonly rss: number;
  readonly peak: number;
}

/** Environment variables that make a process of a chain connect to the meter. */
const SOCKET = "SYMPOSIUM_BENCH_METER",
  CHAIN = "SYMPOSIUM_BENCH_CHAIN";

/** Runs in a program: answers queries without keeping the process alive. */
export function answerMeter(): void {
  const socket = connect(process.env[SOCKET] ?? "").unref();
  socket.on("error", () => undefined); // the bench has exited and closed stdio
  socket.on("data", () => {
    const { user, system } = process.cpuUsage();
    const usage: Usage = {
      cpu: user + system,
      rss: process.memoryUsage.rss(),
      peak: process.resourceUsage().maxRSS * 1024,
    };
    socket.write(`${JSON.stringify(usage)}\n`);
  });
  socket.write(`${process.env[CHAIN] ?? ""}\n`);
}

/** Runs in the bench. */
export class Meters implements AsyncDisposable {
  readonly #folder = mkdtempSync(path.join(tmpdir(), "symposium-bench-"));
  readonly #path =
    process.platform === "win32" ? `\\\\.\\pipe\\${path.basename(this.#folder)}` : path.join(this.#folder, "meter");
  readonly #server: Server;
  readonly #ofChain = new Map<string, Socket[]>();
  #arrived: (() => void)[] = [];

  constructor() {
    this.#server = createServer(socket => {
      socket.on("error", () => undefined);
      socket.once("data", name => {
        const chain = String(name).trim();
        this.#ofChain.set(chain, [...(this.#ofChain.get(chain) ?? []), socket]);
        for (const resolve of this.#arrived.splice(0)) resolve();
      });
    }).listen(this.#path);
  }

  environment(chain: string): Record<string, string> {
    return { [SOCKET]: this.#path, [CHAIN]: chain };
  }

  /** Resolves when this number of processes of a chain has connected. */
  async ready(chain: string, processes: number): Promise<void> {
    while ((this.#ofChain.get(chain)?.length ?? 0) < processes)
      await new Promise<void>(resolve => this.#arrived.push(resolve));
  }

  /** The sum over the processes of a chain. */
  async usage(chain: string): Promise<Usage> {
    const all = await Promise.all((this.#ofChain.get(chain) ?? []).map(ask));
    return all.reduce(
      (sum, usage) => ({ cpu: sum.cpu + usage.cpu, rss: sum.rss + usage.rss, peak: sum.peak + usage.peak }),
      {
        cpu: 0,
        rss: 0,
        peak: 0,
      },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of [...this.#ofChain.values()].flat()) socket.destroy();
    await new Promise(resolve => this.#server.close(resolve));
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function ask(socket: Socket): Promise<Usage> {
  return new Promise((resolve, reject) => {
    const onClose = (): void => reject(new Error("a process of the bench exited"));
    socket.once("close", onClose).once("data", line => {
      socket.off("close", onClose);
      resolve(JSON.parse(String(line)) as Usage); // written by our own programs
    });
    socket.write("?");
  });
}
