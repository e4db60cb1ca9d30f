/** One direction of a wire, at a standstill: what was sent waits until the test lets it arrive. Order is kept. */
import { drained } from "./setting";

export class Line<T> {
  #waiting: T[] = [];
  /** How much was ever sent. */
  sent = 0;

  constructor(private readonly arrive: (item: T) => void) {}

  get length(): number {
    return this.#waiting.length;
  }

  send(item: T): void {
    this.sent++;
    this.#waiting.push(item);
  }

  /** Lets the next item arrive. */
  deliver(): void {
    const [item] = this.#waiting.splice(0, 1);
    if (item !== undefined) this.arrive(item);
  }

  async deliverAll(): Promise<void> {
    while (this.length > 0) {
      this.deliver();
      await drained();
    }
  }

  /** Takes out what comes after the first `keep`, and returns it. */
  cut(keep: number): readonly T[] {
    return this.#waiting.splice(keep);
  }

  /** Loses up to `most` items that may be lost, from the one at `from` on. */
  lose(from: number, most: number, mayBeLost: (item: T) => boolean): readonly T[] {
    const lost = this.#waiting.slice(from).filter(mayBeLost).slice(0, most);
    this.#waiting = this.#waiting.filter(item => !lost.includes(item));
    return lost;
  }

  /** Says up to `most` items that may be repeated twice, where they stand. */
  stutter(from: number, most: number, mayBeRepeated: (item: T) => boolean): void {
    const repeated = this.#waiting.slice(from).filter(mayBeRepeated).slice(0, most);
    this.#waiting = this.#waiting.flatMap(item => (repeated.includes(item) ? [item, item] : [item]));
  }

  /** Says up to `most` items that may be repeated again after all others. */
  echo(from: number, most: number, mayBeRepeated: (item: T) => boolean): void {
    this.#waiting.push(...this.#waiting.slice(from).filter(mayBeRepeated).slice(0, most));
  }
}
