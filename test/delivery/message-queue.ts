/** One direction of a connection. Messages wait, in order, until the test delivers them. */
import { drained } from "./clock-and-marks";

export class Line<T> {
  #waiting: T[] = [];
  /** Number of messages sent so far. */
  sent = 0;

  constructor(private readonly arrive: (item: T) => void) {}

  get length(): number {
    return this.#waiting.length;
  }

  send(item: T): void {
    this.sent++;
    this.#waiting.push(item);
  }

  /** Delivers the next item. */
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

  /** Removes and returns all items after the first `keep`. */
  cut(keep: number): readonly T[] {
    return this.#waiting.splice(keep);
  }

  /** Drops up to `max` items that may be lost, starting at `from`. */
  lose(from: number, max: number, mayBeLost: (item: T) => boolean): readonly T[] {
    const lost = this.#waiting.slice(from).filter(mayBeLost).slice(0, max);
    this.#waiting = this.#waiting.filter(item => !lost.includes(item));
    return lost;
  }

  /** Duplicates up to `max` items that may be repeated, in place. */
  stutter(from: number, max: number, mayBeRepeated: (item: T) => boolean): void {
    const repeated = this.#waiting.slice(from).filter(mayBeRepeated).slice(0, max);
    this.#waiting = this.#waiting.flatMap(item => (repeated.includes(item) ? [item, item] : [item]));
  }

  /** Appends copies of up to `max` items that may be repeated. */
  echo(from: number, max: number, mayBeRepeated: (item: T) => boolean): void {
    this.#waiting.push(...this.#waiting.slice(from).filter(mayBeRepeated).slice(0, max));
  }
}
