/**
 * What is said to a screen reader, one utterance after the other: a reader keeps what it is given, and one that is
 * given a whole answer at once cannot be stopped, nor can it be told of a question.
 *
 * Invariants: what is said keeps its order; the next utterance comes when the last may have been spoken; what waits is
 * bounded, and what is left out is said to be.
 */
import type { Clock } from "../page-clock";
import { counted } from "../view-model/sentences";

/** Milliseconds for a character, at the pace of those who listen often. */
const PER_CHARACTER_MS = 40;
const SHORTEST_MS = 600;
/** Sentences are said together as long as they are not more than this. */
const UTTERANCE = 300;
/** About three minutes. */
export const MOST_WAITING = 5_000;

export class LiveRegion {
  #waiting: string[] = [];
  #leftOut = 0;
  /** What is being spoken. */
  #now: { readonly utterance: string } | undefined;

  /** `speak` has an utterance spoken behind others, `alert` at once. */
  constructor(
    private readonly speak: (utterance: string) => void,
    private readonly alert: (utterance: string) => void,
    private readonly clock: Clock,
  ) {}

  say(sentence: string): void {
    const length = this.#waiting.reduce((sum, each) => sum + each.length, sentence.length);
    if (this.#leftOut > 0 || (length > MOST_WAITING && this.#waiting.length > 0)) this.#leftOut++;
    else this.#waiting.push(sentence);
    this.#next();
  }

  sayNow(sentence: string): void {
    this.alert(sentence);
  }

  /** Forgets what waits. What is being spoken cannot be taken back, and what comes now is next. */
  hush(): void {
    this.#waiting = [];
    this.#leftOut = 0;
    this.#now = undefined;
  }

  #next(): void {
    if (this.#now) return;
    const utterance = this.#taken();
    if (utterance === undefined) return;
    const now = { utterance };
    this.#now = now;
    this.speak(utterance);
    this.clock.after(Math.max(SHORTEST_MS, utterance.length * PER_CHARACTER_MS), () => {
      if (this.#now !== now) return; // it was to be forgotten
      this.#now = undefined;
      this.#next();
    });
  }

  #taken(): string | undefined {
    let count = 0;
    for (let length = 0; count < this.#waiting.length; count++) {
      length += this.#waiting[count]?.length ?? 0;
      if (count > 0 && length > UTTERANCE) break;
    }
    if (count > 0) return this.#waiting.splice(0, count).join(" ");
    if (this.#leftOut === 0) return undefined;
    const leftOut = this.#leftOut;
    this.#leftOut = 0;
    return `${counted(leftOut, "sentence")} left out, to be read in the conversation.`;
  }
}
