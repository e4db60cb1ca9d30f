/**
 * Matches a model's regular expression line by line in a worker thread. An expression with excessive backtracking is
 * terminated with its thread and blocks nothing else.
 */
import { Worker } from "node:worker_threads";
import { arrayOr, objectOr } from "../../rpc/json";
import { until } from "../session-client";

export interface MatchingLine {
  readonly line: number;
  readonly text: string;
}

/**
 * Source text, so that it runs wherever the program is bundled. Returns at most `longest` characters around the match
 * of each line.
 */
const PROGRAM = `
const { parentPort, workerData: { source, flags, longest } } = require("node:worker_threads");
const regex = new RegExp(source, flags);
parentPort.on("message", ({ text, most }) => {
  const found = [], lines = text.split(/\\r?\\n/);
  if (lines.at(-1) === "") lines.pop();
  for (let i = 0; i < lines.length && found.length < most; i++) {
    const at = lines[i].search(regex);
    if (at === -1) continue;
    const start = Math.max(0, Math.min(at - (longest >> 1), lines[i].length - longest));
    found.push({ line: i + 1, text: lines[i].slice(start, start + longest) });
  }
  parentPort.postMessage(found);
});
`;

export class LineWorker implements AsyncDisposable {
  readonly #worker: Worker;

  /** `regex` must not have the flag `g`. */
  constructor(regex: RegExp, longest: number) {
    this.#worker = new Worker(PROGRAM, {
      eval: true,
      workerData: { source: regex.source, flags: regex.flags, longest },
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    });
    this.#worker.on("error", () => undefined);
  }

  /** Returns at most `most` lines. Rejects if the thread fails, or with the reason of `signal`. One call at a time. */
  matches(text: string, most: number, signal: AbortSignal): Promise<readonly MatchingLine[]> {
    const worker = this.#worker;
    let settled = (): void => undefined;
    const answer = new Promise<readonly MatchingLine[]>((resolve, reject) => {
      const onEvent = (found: unknown): void =>
        resolve(
          arrayOr(found)
            .map(objectOr)
            .map(({ line, text: shown }) => ({ line: Number(line), text: String(shown) })),
        );
      const ended = (): void => reject(new Error("the thread has ended"));
      worker.once("message", onEvent).once("error", reject).once("exit", ended);
      settled = () => {
        worker.off("message", onEvent).off("error", reject).off("exit", ended);
      };
    });
    worker.postMessage({ text, most });
    return until(answer, signal).finally(settled);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}
