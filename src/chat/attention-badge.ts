/**
 * What waits for the user while the chat is hidden: a number on its icon, and for a question a notification. A chat that is
 * looked at wants neither.
 */
import type { SessionId } from "../protocol/chat";
import type { SidecarToHost } from "../protocol/sidecar";
import type { ParamsOf } from "../protocol/wire";

export interface Badge { readonly value: number; readonly tooltip: string }

export interface AttentionWorld {
  /** On the view's icon; `undefined`: nothing. */
  show(badge: Badge | undefined): void;
  /** A sentence, with a way to the chat. */
  notify(sentence: string): void;
}

type Wanted = ParamsOf<SidecarToHost, "chat/attention">;

export class AttentionBadge {
  /** Those that want something. */
  readonly #wanted = new Map<SessionId, Wanted>();
  #isVisible = false;

  constructor(private readonly world: AttentionWorld) {}

  heard(wanted: Wanted): void {
    const before = this.#wanted.get(wanted.sessionId)?.wants;
    if (wanted.wants === "nothing" || (this.#isVisible && wanted.wants === "reading")) this.#wanted.delete(wanted.sessionId);
    else this.#wanted.set(wanted.sessionId, wanted);
    if (!this.#isVisible && wanted.wants === "answer" && before !== "answer") this.world.notify(`${wanted.name} asks you something${wanted.title === undefined ? "" : ` in “${wanted.title}”`}.`);
    this.#show();
  }

  /** What is shown is read; a question still waits when the view is hidden again. */
  visible(isVisible: boolean): void {
    this.#isVisible = isVisible;
    if (isVisible) for (const [sessionId, { wants }] of this.#wanted) if (wants === "reading") this.#wanted.delete(sessionId);
    this.#show();
  }

  /** The sidecar is gone, and what its sessions wanted. */
  clear(): void {
    this.#wanted.clear();
    this.#show();
  }

  #show(): void {
    const questions = [...this.#wanted.values()].filter(({ wants }) => wants === "answer").length, answers = this.#wanted.size - questions;
    const words = [...(questions > 0 ? [`${questions} ${questions === 1 ? "question waits" : "questions wait"} for your answer`] : []), ...(answers > 0 ? [`${answers} ${answers === 1 ? "answer" : "answers"} to read`] : [])];
    this.world.show(this.#isVisible || words.length === 0 ? undefined : { value: questions + answers, tooltip: words.join(", ") });
  }
}
