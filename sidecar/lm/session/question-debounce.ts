/**
 * Decides when a response with questions is complete: `QUIET_MS` after the last question, or after the last call that
 * the agent announced, but at most `MAX_MS` after the first question.
 */
import type { Clock } from "../../rpc/clock";

export const QUIET_MS = 50,
  MAX_MS = 500;

export class QuestionDebounce implements Disposable {
  #timer: Disposable | undefined;
  /** Time of the first question. */
  #since: number | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly over: () => void,
  ) {}

  /** A question has arrived. */
  begin(): void {
    this.#since ??= this.clock.now();
    this.prolong();
  }

  /** Another question is expected. */
  prolong(): void {
    if (this.#since === undefined) return;
    const remaining = this.#since + MAX_MS - this.clock.now();
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.clock.after(Math.max(0, Math.min(QUIET_MS, remaining)), () => {
      this.end();
      this.over();
    });
  }

  end(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#since = undefined;
  }

  [Symbol.dispose](): void {
    this.end();
  }
}
