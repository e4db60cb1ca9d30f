/**
 * Matches a model's regular expression line by line in a worker thread. Termination of the thread stops an expression
 * with excessive backtracking.
 */
import { Worker } from "node:worker_threads";
import { arrayOr, objectOr } from "../../rpc/json";
import { until } from "../session-client";

export interface MatchingLine {
  readonly line: number;
  readonly text: string;
}

/**
 * Source of the worker as text, so that no bundle needs a separate file. Returns at most `maxLength` characters around
 * the match of each line.
 */
const PROGRAM = `
const { parentPort, workerData: { source, flags, maxLength } } = require("node:worker_threads");
const regex = new RegExp(source, flags);
parentPort.on("message", ({ text, maxLines }) => {
  const found = [], lines = text.split(/\\r?\\n/);
  if (lines.at(-1) === "") lines.pop();
  for (let i = 0; i < lines.length && found.length < maxLines; i++) {
    const at = lines[i].search(regex);
    if (at === -1) continue;
    const start = Math.max(0, Math.min(at - (maxLength >> 1), lines[i].length - maxLength));
    found.push({ line: i + 1, text: lines[i].slice(start, start + maxLength) });
  }
  parentPort.postMessage(found);
});
`;

export class LineWorker implements AsyncDisposable {
  readonly #worker: Worker;

  /** `regex` must not have the flag `g`. */
  constructor(regex: RegExp, maxLength: number) {
    this.#worker = new Worker(PROGRAM, {
      eval: true,
      workerData: { source: regex.source, flags: regex.flags, maxLength },
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    });
    this.#worker.on("error", () => undefined);
  }

  /**
   * Returns at most `maxLines` lines. Rejects if the thread fails, or with the reason of `signal`. One call at a time.
   */
  matches(text: string, maxLines: number, signal: AbortSignal): Promise<readonly MatchingLine[]> {
    const worker = this.#worker;
    let settled = (): void => undefined;
    const answer = new Promise<readonly MatchingLine[]>((resolve, reject) => {
      const onMessage = (found: unknown): void =>
        resolve(
          arrayOr(found)
            .map(objectOr)
            .map(({ line, text: shown }) => ({ line: Number(line), text: String(shown) })),
        );
      const onExit = (): void => reject(new Error("the thread has ended"));
      worker.once("message", onMessage).once("error", reject).once("exit", onExit);
      settled = () => {
        worker.off("message", onMessage).off("error", reject).off("exit", onExit);
      };
    });
    worker.postMessage({ text, maxLines });
    return until(answer, signal).finally(settled);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}
