/**
 * Decides when a response with questions is complete. The delay is `QUIET_MS` after the last question or announced
 * call, but at most `MAX_MS` after the first question.
 */
import type { Clock } from "../../rpc/clock";

export const QUIET_MS = 50,
  MAX_MS = 500;

export class QuestionDebounce implements Disposable {
  #timer: Disposable | undefined;
  /** Time of the first question. */
  #firstAt: number | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly onComplete: () => void,
  ) {}

  /** A question has arrived. */
  begin(): void {
    this.#firstAt ??= this.clock.now();
    this.prolong();
  }

  /** Restarts the delay, because another question is expected. */
  prolong(): void {
    if (this.#firstAt === undefined) return;
    const remaining = this.#firstAt + MAX_MS - this.clock.now();
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.clock.after(Math.max(0, Math.min(QUIET_MS, remaining)), () => {
      this.end();
      this.onComplete();
    });
  }

  end(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#firstAt = undefined;
  }

  [Symbol.dispose](): void {
    this.end();
  }
}
