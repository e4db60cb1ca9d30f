/**
 * Throttles progress reports: a new phase is reported immediately, other progress at most ten times a second. The last
 * report is never dropped.
 */
import type { InstallProgress } from "../../../src/protocol/agents/agent-service";
import type { Clock } from "../../rpc/clock";

const INTERVAL_MS = 100;

export class ProgressThrottle implements Disposable {
  readonly #clock: Clock;
  readonly #notify: (progress: InstallProgress) => void;
  #phase: InstallProgress["phase"] | undefined;
  #reported = 0;
  /** The delayed report and its timer. */
  #delayed: { progress: InstallProgress; readonly timer: Disposable } | undefined;

  constructor(clock: Clock, notify: (progress: InstallProgress) => void) {
    this.#clock = clock;
    this.#notify = notify;
  }

  notify(progress: InstallProgress): void {
    const remaining = INTERVAL_MS - (this.#clock.now() - this.#reported);
    if (progress.phase !== this.#phase || remaining <= 0) return this.#now(progress);
    if (this.#delayed) this.#delayed.progress = progress;
    else
      this.#delayed = {
        progress,
        timer: this.#clock.after(remaining, () => {
          if (this.#delayed) this.#now(this.#delayed.progress);
        }),
      };
  }

  /** Cancels the delayed report. */
  [Symbol.dispose](): void {
    this.#delayed?.timer[Symbol.dispose]();
    this.#delayed = undefined;
  }

  #now(progress: InstallProgress): void {
    this[Symbol.dispose]();
    this.#phase = progress.phase;
    this.#reported = this.#clock.now();
    this.#notify(progress);
  }
}
