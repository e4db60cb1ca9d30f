/** The newest lines of the log, for a report. Bounded in number and length. The lines contain no secrets (`log.ts`). */

/** Maximum number of lines, and of characters per line. */
export const MAX_LINES = 200;
const MAX_LINE_LENGTH = 2_000;

export class RecentLog {
  #lines: string[] = [];

  get lines(): readonly string[] {
    return this.#lines;
  }

  appendLine(line: string): void {
    const length = line.length;
    this.#lines.push(length <= MAX_LINE_LENGTH ? line : `${line.slice(0, MAX_LINE_LENGTH)}… (${length} characters)`);
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
  }
}
