/**
 * Throttles progress reports: a new phase is reported at once, other progress at most ten times a second. The last
 * report is never dropped.
 */
import type { InstallProgress } from "../../../src/protocol/agents/agent-service";
import type { Clock } from "../../rpc/clock";

const EACH_MS = 100;

export class ProgressTeller implements Disposable {
  readonly #clock: Clock;
  readonly #notify: (progress: InstallProgress) => void;
  #phase: InstallProgress["phase"] | undefined;
  #reported = 0;
  /** Throttled report. */
  #next: { progress: InstallProgress; readonly alarm: Disposable } | undefined;

  constructor(clock: Clock, notify: (progress: InstallProgress) => void) {
    this.#clock = clock;
    this.#notify = notify;
  }

  notify(progress: InstallProgress): void {
    const early = EACH_MS - (this.#clock.now() - this.#reported);
    if (progress.phase !== this.#phase || early <= 0) return this.#now(progress);
    if (this.#next) this.#next.progress = progress;
    else
      this.#next = {
        progress,
        alarm: this.#clock.after(early, () => {
          if (this.#next) this.#now(this.#next.progress);
        }),
      };
  }

  /** Cancels the throttled report. */
  [Symbol.dispose](): void {
    this.#next?.alarm[Symbol.dispose]();
    this.#next = undefined;
  }

  #now(progress: InstallProgress): void {
    this[Symbol.dispose]();
    this.#phase = progress.phase;
    this.#reported = this.#clock.now();
    this.#notify(progress);
  }
}
