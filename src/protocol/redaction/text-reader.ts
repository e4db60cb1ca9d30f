/**
 * Reads a text character by character. `steps` counts the characters read, so that tests can check linear time. Pure.
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

  /** End of the run of characters in these classes; reads at most `limit` characters. */
  protected while(at: number, bits: number, limit = Infinity): number {
    let end = at;
    while (end - at < limit && this.is(end, bits)) end++;
    return end;
  }

  /** Position of the next character in these classes, or the end of the text. */
  protected until(at: number, bits: number): number {
    let end = at;
    while (end < this.text.length && !this.is(end, bits)) end++;
    return end;
  }

  /** Position of the next occurrence of `end`, or the end of the text. */
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
