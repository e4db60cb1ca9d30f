/**
 * Writes one HTTP response of the SDK's transport, no faster than the client reads. When more than `BACKLOG_BYTES` are
 * buffered for a client that does not read, the response is destroyed. An idle event stream is kept alive, because a
 * call can wait for the user. HTTP clients time out after minutes without data (Node's `fetch` after five).
 */
import type { ServerResponse } from "node:http";
import type { Clock } from "../../rpc/clock";
import type { Message } from "../../rpc/message";

const BACKLOG_BYTES = 16 * 1024 * 1024;
export const KEEP_ALIVE_MS = 15_000;

export class ResponseWriter {
  #waiting = 0;
  #stalled = false;
  #closed = false;

  constructor(
    private readonly response: ServerResponse,
    private readonly clock: Clock,
  ) {
    response.once("close", () => {
      this.#closed = true;
    });
    response.on("error", () => undefined); // `close` follows
  }

  get isOpen(): boolean {
    return !this.#closed;
  }

  onClose(closed: () => void): void {
    if (this.#closed) closed();
    else this.response.once("close", closed);
  }

  /**
   * Call before each message that is sent here. Returns false if the client has disconnected or was disconnected
   * because it does not read.
   */
  takes(message: Message): boolean {
    if (this.#waiting > BACKLOG_BYTES) this.response.destroy();
    else if (this.#stalled) this.#waiting += Buffer.byteLength(JSON.stringify(message)); // slow, so only when stalled
    return !this.#closed && !this.response.destroyed;
  }

  /** Resolves when the whole response is written or the client has disconnected. */
  async pour(answer: Response): Promise<void> {
    const reader = answer.body?.getReader();
    this.onClose(() => {
      reader?.cancel().catch(() => undefined);
    });
    if (this.#closed) return;
    this.response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (!reader) {
      this.response.end();
      return;
    }
    this.response.flushHeaders();
    using _alive = answer.headers.get("content-type")?.startsWith("text/event-stream") ? this.#keepAlive() : undefined;
    for (let next = await reader.read(); !next.done && !this.#closed; next = await reader.read()) {
      this.#waiting = Math.max(0, this.#waiting - next.value.length);
      if (!this.response.write(next.value)) await this.#drained();
    }
    this.response.end();
  }

  /** Writes comments between events. This is safe because each written chunk consists of whole events. */
  #keepAlive(): Disposable {
    let timer: Disposable;
    const wait = (): Disposable =>
      this.clock.after(KEEP_ALIVE_MS, () => {
        this.response.write(": keepalive\n\n");
        timer = wait();
      });
    timer = wait();
    return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
  }

  #drained(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#stalled = true;
    return new Promise(resolve => {
      const onDrained = (): void => {
        this.response.off("drain", onDrained).off("close", onDrained);
        this.#stalled = false;
        resolve();
      };
      this.response.on("drain", onDrained).on("close", onDrained);
    });
  }
}
