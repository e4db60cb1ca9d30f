/**
 * Merges the writes of one event-loop tick. vscode-jsonrpc writes twice for each message, and a growing answer consists
 * of many messages. Each write is a system call that wakes the reader.
 *
 * Invariants:
 * - Bytes keep their order.
 * - Every write is flushed when `soon` calls back.
 *
 * Implements the stream of vscode-jsonrpc's writer.
 */

/** The used part of a Node.js stream. */
export interface NodeOutput {
  cork(): void;
  uncork(): void;
  write(data: string | Uint8Array): unknown;
  end(): unknown;
  on(event: string, listener: (error: Error) => void): unknown;
  off(event: string, listener: (error: Error) => void): unknown;
}

interface Disposable {
  dispose(): void;
}

export class BatchedOutput {
  #buffer: (string | Uint8Array)[] = [];

  /** `soon`: calls back at the end of this tick. */
  constructor(
    private readonly output: NodeOutput,
    private readonly soon: (flush: () => void) => void,
  ) {}

  onClose(listener: () => void): Disposable {
    return this.#on("close", listener);
  }
  onError(listener: (error: Error) => void): Disposable {
    return this.#on("error", listener);
  }
  onEnd(listener: () => void): Disposable {
    return this.#on("end", listener);
  }

  /** Resolves before the data is written. `onError` reports stream errors. */
  write(data: string | Uint8Array): Promise<void> {
    if (this.#buffer.push(data) === 1) this.soon(() => this.flush());
    return Promise.resolve();
  }

  flush(): void {
    const buffered = this.#buffer;
    this.#buffer = [];
    this.output.cork();
    for (const data of buffered) this.output.write(data);
    this.output.uncork();
  }

  end(): void {
    this.flush();
    this.output.end();
  }

  #on(event: string, listener: (error: Error) => void): Disposable {
    this.output.on(event, listener);
    return { dispose: () => this.output.off(event, listener) };
  }
}
