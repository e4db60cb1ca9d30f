/**
 * Limits concurrent researches: up to `maxRunning` run, up to `maxWaiting` wait in order of arrival, and further
 * researches are rejected.
 */

export interface QueueSlot extends Disposable {
  /** Number of researches ahead; 0 if admitted at once. */
  readonly behind: number;
}

export class ResearchQueue {
  readonly #running = new Set<object>();
  readonly #waiting = new Map<object, () => void>();

  constructor(
    readonly maxRunning: number,
    readonly maxWaiting: number,
  ) {}

  /**
   * Calls `admitted` once, possibly synchronously, unless the place is disposed earlier. Undefined: the queue is full.
   */
  join(admitted: () => void): QueueSlot | undefined {
    const behind = this.#running.size < this.maxRunning ? 0 : this.#running.size + this.#waiting.size,
      place = { behind, [Symbol.dispose]: () => this.#release(place) };
    if (behind > 0 && this.#waiting.size >= this.maxWaiting) return undefined;
    this.#waiting.set(place, admitted);
    this.#admitNext();
    return place;
  }

  #release(place: object): void {
    this.#waiting.delete(place);
    if (this.#running.delete(place)) this.#admitNext();
  }

  #admitNext(): void {
    for (const [place, admitted] of this.#waiting) {
      if (this.#running.size >= this.maxRunning) return;
      this.#waiting.delete(place);
      this.#running.add(place);
      admitted();
    }
  }
}
