/** The time limit of an IDE operation. It starts again after the user was asked for a permission. */
import type { Clock } from "../../rpc/clock";
import { refused } from "./documents";

/** Milliseconds before the limit at which an operation returns what it has found. */
const LAST_MS = 3_000;

export class OperationLimit implements Disposable {
  readonly #late = new AbortController();
  #startedAt = 0;
  #timer: Disposable | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly limitMs: number,
  ) {
    this.#start();
  }

  /** Aborts at the limit, with a sentence for the model. */
  get signal(): AbortSignal {
    return this.#late.signal;
  }

  /** When the operation should return what it has found. */
  get until(): number {
    return this.#startedAt + this.limitMs - Math.min(LAST_MS, this.limitMs / 2);
  }

  /** The limit starts again when `promise` settles. */
  async without<T>(promise: Promise<T>): Promise<T> {
    this.#timer?.[Symbol.dispose]();
    try {
      return await promise;
    } finally {
      this.#start();
    }
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }

  #start(): void {
    this.#startedAt = this.clock.now();
    this.#timer = this.clock.after(this.limitMs, () =>
      this.#late.abort(
        refused(
          `The language server did not respond within ${Math.round(this.limitMs / 1000)} seconds. It may still be loading. Try again later.`,
        ),
      ),
    );
  }
}
