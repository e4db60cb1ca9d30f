/**
 * The preparation of a session's next prompt: reading its files, setting a mode, waiting for `tools/list`.
 *
 *   idle ── begin ──▶ preparing ── prepared, failed or stopped ──▶ idle
 *
 * Invariants:
 * - At most one prompt is being prepared. Beginning another stops the first.
 * - `ready` or `failed` is called once, and neither after a stop.
 */
export class PromptPreparation {
  /** Undefined: idle. Aborts when the preparation is stopped. */
  #preparing: AbortController | undefined;

  /** Calls `ready` at once if `prepare` returns no promise. */
  begin<T extends object>(
    prepare: (stopped: AbortSignal) => T | Promise<T>,
    ready: (prepared: T) => void,
    failed: (error: unknown) => void,
  ): void {
    this.stop();
    const preparing = new AbortController();
    this.#preparing = preparing;
    const end = (settle: () => void): void => {
      if (this.#preparing !== preparing) return;
      this.#preparing = undefined;
      settle();
    };
    let prepared: T | Promise<T>;
    try {
      prepared = prepare(preparing.signal);
    } catch (error) {
      return end(() => failed(error));
    }
    if (!(prepared instanceof Promise)) return end(() => ready(prepared as T));
    void prepared.then(
      value => end(() => ready(value)),
      (error: unknown) => end(() => failed(error)),
    );
  }

  /** Returns false if no prompt is being prepared. */
  stop(): boolean {
    const preparing = this.#preparing;
    this.#preparing = undefined;
    preparing?.abort();
    return preparing !== undefined;
  }
}

/** A prompt that could not be sent for a reason other than the agent. `message` is for the user. */
export class UnsentPrompt extends Error {
  override readonly name = "UnsentPrompt";
}
