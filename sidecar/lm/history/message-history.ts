/**
 * The messages of one request. They are read once, beginning where the reading of the history that they continue
 * ended.
 */
import type { Run, ChatMessage } from "../../../src/protocol/lm";
import { readOn, type Progress, type Reading, type Repeated } from "./parse-history";

/** The history that this one was made from, and the delta to it. */
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
    // A history that was never read has no reading to begin with.
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
 * The part of the talk that a delta repeats from the beginning. System messages before it may have changed.
 * `undefined`: compare the messages.
 */
function repeatedIn({ leading, scattered }: Progress, items: readonly (Run | ChatMessage)[]): Repeated | undefined {
  const first = items.findIndex(item => "from" in item || item.role !== "system"),
    run = items[first];
  if (scattered > 0 || !run || !("from" in run) || run.from > leading) return undefined;
  return { talk: Math.max(0, run.count - (leading - run.from)), messages: first + run.count };
}
