/**
 * Sends utterances to a screen reader one after the other. A screen reader queues its input, so that an answer sent as
 * a whole could be neither stopped nor interrupted by a question.
 *
 * Invariants:
 * - Utterances keep their order.
 * - The next utterance follows when the previous one has probably been spoken.
 * - The queue is bounded, and the number of omitted sentences is announced.
 */
import * as l10n from "@vscode/l10n";
import type { Clock } from "../page-clock";

/** Milliseconds per character, at the speech rate of experienced users. */
const PER_CHARACTER_MS = 40;
const MIN_MS = 600;
/** Maximum number of characters of sentences joined into one utterance. */
const MAX_UTTERANCE_LENGTH = 300;
/** Maximum number of queued characters; about three minutes of speech. */
export const MAX_WAITING = 5_000;

export class LiveRegion {
  #waiting: string[] = [];
  #omitted = 0;
  /** The utterance being spoken. */
  #current: { readonly utterance: string } | undefined;

  /** `speak` queues an utterance after others; `alert` outputs it immediately. */
  constructor(
    private readonly speak: (utterance: string) => void,
    private readonly alert: (utterance: string) => void,
    private readonly clock: Clock,
  ) {}

  report(sentence: string): void {
    const length = this.#waiting.reduce((sum, each) => sum + each.length, sentence.length);
    if (this.#omitted > 0 || (length > MAX_WAITING && this.#waiting.length > 0)) this.#omitted++;
    else this.#waiting.push(sentence);
    this.#next();
  }

  announceNow(sentence: string): void {
    this.alert(sentence);
  }

  /** Drops the queue. The current utterance cannot be stopped, and the next sentence follows it immediately. */
  hush(): void {
    this.#waiting = [];
    this.#omitted = 0;
    this.#current = undefined;
  }

  #next(): void {
    if (this.#current) return;
    const utterance = this.#dequeue();
    if (utterance === undefined) return;
    const current = { utterance };
    this.#current = current;
    this.speak(utterance);
    this.clock.after(Math.max(MIN_MS, utterance.length * PER_CHARACTER_MS), () => {
      if (this.#current !== current) return; // cancelled by `hush`
      this.#current = undefined;
      this.#next();
    });
  }

  #dequeue(): string | undefined {
    let count = 0;
    for (let length = 0; count < this.#waiting.length; count++) {
      length += this.#waiting[count]?.length ?? 0;
      if (count > 0 && length > MAX_UTTERANCE_LENGTH) break;
    }
    if (count > 0) return this.#waiting.splice(0, count).join(" ");
    if (this.#omitted === 0) return undefined;
    const omitted = this.#omitted;
    this.#omitted = 0;
    return omitted === 1
      ? l10n.t("1 sentence omitted. Read it in the conversation.")
      : l10n.t`${omitted} sentences omitted. Read them in the conversation.`;
  }
}
