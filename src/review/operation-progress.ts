/**
 * Shows the progress of operations on many files. The sidecar reports it for these only.
 *
 * Invariant: a shown progress ends with its operation.
 */
import type { ReviewProgress } from "../protocol/review/review";

export interface ShownProgress {
  /** `percent`: of the whole operation. */
  report(percent: number): void;
  end(): void;
}

interface Running {
  readonly title: string;
  shown?: ShownProgress;
}

export class OperationProgress {
  /** By the id of the review, in the order in which the sidecar performs them. */
  readonly #running = new Map<string, Running[]>();

  constructor(private readonly show: (title: string) => ShownProgress) {}

  async during<T>(id: string, title: string, run: () => Promise<T>): Promise<T> {
    const running: Running = { title };
    this.#running.set(id, [...(this.#running.get(id) ?? []), running]);
    try {
      return await run();
    } finally {
      running.shown?.end();
      const others = (this.#running.get(id) ?? []).filter(each => each !== running);
      if (others.length > 0) this.#running.set(id, others);
      else this.#running.delete(id);
    }
  }

  received({ id, done, total }: ReviewProgress): void {
    const running = this.#running.get(id)?.[0];
    if (running === undefined) return;
    running.shown ??= this.show(running.title);
    running.shown.report(total === 0 ? 100 : (done / total) * 100);
  }
}
