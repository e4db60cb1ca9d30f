/**
 * Who may research now: a few at once, some more wait in the order in which they came, and all others are sent away.
 */

export interface LinePlace extends Disposable {
  /** Has to wait, behind so many. */
  readonly behind: number;
}

export class ResearchLine {
  readonly #going = new Set<object>();
  readonly #waiting = new Map<object, () => void>();

  constructor(
    readonly most: number,
    readonly mostWaiting: number,
  ) {}

  /**
   * `admitted` is called once, also at once, unless the place was given up before. Undefined: there is no room to wait.
   */
  join(admitted: () => void): LinePlace | undefined {
    const behind = this.#going.size < this.most ? 0 : this.#going.size + this.#waiting.size,
      place = { behind, [Symbol.dispose]: () => this.#leave(place) };
    if (behind > 0 && this.#waiting.size >= this.mostWaiting) return undefined;
    this.#waiting.set(place, admitted);
    this.#next();
    return place;
  }

  #leave(place: object): void {
    this.#waiting.delete(place);
    if (this.#going.delete(place)) this.#next();
  }

  #next(): void {
    for (const [place, admitted] of this.#waiting) {
      if (this.#going.size >= this.most) return;
      this.#waiting.delete(place);
      this.#going.add(place);
      admitted();
    }
  }
}
