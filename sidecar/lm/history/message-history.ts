/**
 * The messages of one request, parsed at most once. Parsing continues from the result of the history that they extend.
 */
import type { Run, ChatMessage } from "../../../src/protocol/lm/lm";
import { readOn, type Progress, type Reading, type Repeated } from "./parse-history";

/** The base history, and the delta to it. */
interface Origin {
  readonly history: MessageHistory;
  readonly items: readonly (Run | ChatMessage)[];
}

export class MessageHistory {
  #origin: Origin | undefined;
  #progress: Progress | undefined;

  constructor(
    readonly messages: readonly ChatMessage[],
    origin?: Origin,
  ) {
    // An unparsed history provides no starting point.
    if (origin?.history.isRead) this.#origin = origin;
  }

  get isRead(): boolean {
    return this.#progress !== undefined;
  }

  get reading(): Reading {
    this.#progress ??= this.#read();
    this.#origin = undefined;
    return this.#progress.reading;
  }

  #read(): Progress {
    const before = this.#origin && this.#origin.history.#progress;
    return readOn(this.messages, before, before && this.#origin && repeatedIn(before, this.#origin.items));
  }
}

/**
 * The prefix of the earlier talk that a delta repeats. System messages before that prefix may have changed. Returns
 * `undefined` if the messages must be compared.
 */
function repeatedIn({ leading, scattered }: Progress, items: readonly (Run | ChatMessage)[]): Repeated | undefined {
  const first = items.findIndex(item => "from" in item || item.role !== "system"),
    run = items[first];
  if (scattered > 0 || !run || !("from" in run) || run.from > leading) return undefined;
  return { talk: Math.max(0, run.count - (leading - run.from)), messages: first + run.count };
}
