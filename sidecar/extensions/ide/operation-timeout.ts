/** The time limit of an IDE operation, restarted after a permission request. */
import type { Clock } from "../../rpc/clock";
import { refused } from "./documents";

/** Milliseconds before the limit at which an operation returns partial results. */
const PARTIAL_RESULT_MS = 3_000;

export class OperationLimit implements Disposable {
  readonly #controller = new AbortController();
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
    return this.#controller.signal;
  }

  /** Time at which the operation should return partial results. */
  get until(): number {
    return this.#startedAt + this.limitMs - Math.min(PARTIAL_RESULT_MS, this.limitMs / 2);
  }

  /** Suspends the limit until `promise` settles, and then restarts it. */
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
      this.#controller.abort(
        refused(
          `The language server did not respond within ${Math.round(this.limitMs / 1000)} seconds. It may still be loading. Try again later.`,
        ),
      ),
    );
  }
}
