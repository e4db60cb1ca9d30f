/**
 * Sends utterances to a screen reader one after the other. A screen reader queues its input, so that an answer sent at
 * once could be neither stopped nor interrupted by a question.
 *
 * Invariants:
 * - Utterances keep their order.
 * - The next utterance follows when the previous one has probably been spoken.
 * - The queue is bounded, and omitted sentences are announced as such.
 */
import * as l10n from "@vscode/l10n";
import type { Clock } from "../page-clock";

/** Milliseconds per character, at the speech rate of experienced users. */
const PER_CHARACTER_MS = 40;
const MIN_MS = 600;
/** Maximum number of characters of sentences joined into one utterance. */
const UTTERANCE = 300;
/** Maximum number of queued characters; about three minutes of speech. */
export const MAX_WAITING = 5_000;

export class LiveRegion {
  #waiting: string[] = [];
  #leftOut = 0;
  /** The utterance being spoken. */
  #now: { readonly utterance: string } | undefined;

  /** `speak` queues an utterance after others; `alert` outputs it immediately. */
  constructor(
    private readonly speak: (utterance: string) => void,
    private readonly alert: (utterance: string) => void,
    private readonly clock: Clock,
  ) {}

  report(sentence: string): void {
    const length = this.#waiting.reduce((sum, each) => sum + each.length, sentence.length);
    if (this.#leftOut > 0 || (length > MAX_WAITING && this.#waiting.length > 0)) this.#leftOut++;
    else this.#waiting.push(sentence);
    this.#next();
  }

  announceNow(sentence: string): void {
    this.alert(sentence);
  }

  /** Drops the queue. The current utterance cannot be stopped, and the next sentence follows it immediately. */
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
    this.clock.after(Math.max(MIN_MS, utterance.length * PER_CHARACTER_MS), () => {
      if (this.#now !== now) return; // hushed meanwhile
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
    return leftOut === 1
      ? l10n.t("1 sentence omitted. Read it in the conversation.")
      : l10n.t`${leftOut} sentences omitted. Read them in the conversation.`;
  }
}
