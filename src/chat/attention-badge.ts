/**
 * What waits for the user while the chat is hidden: a number on its icon, and a notification. A chat that is looked at
 * wants neither. That it is hidden is heard a while after it is: what came just before was not seen.
 */
import type { SessionId } from "../protocol/chat";
import type { SidecarToHost } from "../protocol/sidecar";
import type { ParamsOf } from "../protocol/wire";

export interface Badge {
  readonly value: number;
  readonly tooltip: string;
}

export interface AttentionDeps {
  /** On the view's icon; `undefined`: nothing. */
  show(badge: Badge | undefined): void;
  /** A sentence, with a way to the chat. */
  notify(sentence: string): void;
  /** Milliseconds of a clock that never goes back. */
  now(): number;
}

/** Who hides the chat so soon after a question or the end of an answer came has not read it. */
const UNREAD_MS = 2_000;

type Wanted = ParamsOf<SidecarToHost, "chat/attention">;

export class AttentionBadge {
  /** Those that want something. */
  readonly #wanted = new Map<SessionId, Wanted>();
  /** Those that came while the chat was on show, and when. */
  readonly #shown = new Map<SessionId, { readonly wanted: Wanted; readonly at: number }>();
  #isVisible = false;

  constructor(private readonly deps: AttentionDeps) {}

  heard(wanted: Wanted): void {
    const before = this.#wanted.get(wanted.sessionId)?.wants;
    if (wanted.wants === "nothing" || (this.#isVisible && wanted.wants === "reading"))
      this.#wanted.delete(wanted.sessionId);
    else this.#wanted.set(wanted.sessionId, wanted);
    if (wanted.wants === "nothing") this.#shown.delete(wanted.sessionId);
    else if (this.#isVisible && before !== wanted.wants)
      this.#shown.set(wanted.sessionId, { wanted, at: this.deps.now() });
    if (wanted.wants !== "nothing" && before !== wanted.wants && !this.#isVisible) this.#notify(wanted);
    this.#show();
  }

  /**
   * What is shown is read; a question still waits when the view is hidden again. Who hides an answer as it ends is not
   * called back to it.
   */
  visible(isVisible: boolean): void {
    this.#isVisible = isVisible;
    if (isVisible) this.#read();
    else for (const { wanted, at } of this.#shown.values()) if (this.deps.now() - at < UNREAD_MS) this.#missed(wanted);
    if (!isVisible) this.#shown.clear();
    this.#show();
  }

  /** The sidecar is gone, and what its sessions wanted. */
  clear(): void {
    this.#wanted.clear();
    this.#shown.clear();
    this.#show();
  }

  #read(): void {
    for (const [sessionId, { wants }] of this.#wanted) if (wants === "reading") this.#wanted.delete(sessionId);
  }

  #missed(wanted: Wanted): void {
    this.#wanted.set(wanted.sessionId, wanted);
    if (wanted.wants === "answer") this.#notify(wanted);
  }

  #notify({ name, title, wants }: Wanted): void {
    this.deps.notify(
      `${name} ${wants === "answer" ? "asks you something" : "has ended its turn"}${title === undefined ? "" : ` in “${title}”`}.`,
    );
  }

  #show(): void {
    const questions = [...this.#wanted.values()].filter(({ wants }) => wants === "answer").length,
      answers = this.#wanted.size - questions;
    const words = [
      ...(questions > 0
        ? [`${questions} ${questions === 1 ? "question waits" : "questions wait"} for your answer`]
        : []),
      ...(answers > 0 ? [`${answers} ${answers === 1 ? "answer" : "answers"} to read`] : []),
    ];
    this.deps.show(
      this.#isVisible || words.length === 0 ? undefined : { value: questions + answers, tooltip: words.join(", ") },
    );
  }
}
