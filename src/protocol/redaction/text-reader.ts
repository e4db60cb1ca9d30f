/**
 * A text that is read character by character. `steps` counts the characters, so that a test can see that there are few.
 * Pure.
 */
import { isIn } from "./characters";

export class TextReader {
  steps = 0;

  constructor(protected readonly text: string) {}

  protected code(at: number): number {
    this.steps++;
    return this.text.charCodeAt(at);
  }

  protected is(at: number, bits: number): boolean {
    return isIn(this.code(at), bits);
  }

  protected starts(at: number, start: string): boolean {
    this.steps += start.length;
    return this.text.startsWith(start, at);
  }

  /** Where the characters of these classes end; at most so many are read. */
  protected while(at: number, bits: number, most = Infinity): number {
    let end = at;
    while (end - at < most && this.is(end, bits)) end++;
    return end;
  }

  /** The next character of these classes, or the text's end. */
  protected until(at: number, bits: number): number {
    let end = at;
    while (end < this.text.length && !this.is(end, bits)) end++;
    return end;
  }

  /** Likewise the next occurrence of `end`. */
  protected untilText(at: number, end: string): number {
    const found = this.text.indexOf(end, at),
      to = found === -1 ? this.text.length : found;
    this.steps += to - at;
    return to;
  }

  protected slice(from: number, to: number): string {
    this.steps += to - from;
    return this.text.slice(from, to);
  }
}
