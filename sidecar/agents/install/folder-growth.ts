/**
 * Measures a folder that another program fills, such as npm, which reports no progress. Measures at most once a second,
 * and a tenth of the time.
 */
import type { Clock } from "../../rpc/clock";

const INTERVAL_MS = 1_000,
  IDLE_FACTOR = 9;

export class FolderGrowth implements Disposable {
  #timer: Disposable | undefined;
  #isDisposed = false;

  /** `measure` resolves with the bytes of all files. Nothing is reported after the disposal. */
  constructor(
    private readonly clock: Clock,
    private readonly measure: () => Promise<number>,
    private readonly report: (bytes: number) => void,
  ) {
    this.#measureIn(INTERVAL_MS);
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#timer?.[Symbol.dispose]();
  }

  #measureIn(ms: number): void {
    this.#timer = this.clock.after(ms, () => void this.#measure());
  }

  async #measure(): Promise<void> {
    const started = this.clock.now();
    // The other program also renames and deletes files. The next measurement is complete.
    const bytes = await this.measure().catch(() => undefined);
    if (this.#isDisposed) return;
    if (bytes !== undefined) this.report(bytes);
    this.#measureIn(Math.max(INTERVAL_MS, IDLE_FACTOR * (this.clock.now() - started)));
  }
}
