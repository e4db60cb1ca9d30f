/**
 * Reports questions and finished answers while the chat is hidden: a number on the view's icon and a notification. A
 * visible chat needs neither. The host receives the event that the view was hidden with a delay, so a message that
 * arrived just before it counts as unread.
 */
import * as l10n from "@vscode/l10n";
import type { SessionId } from "../protocol/chat/chat";
import type { SidecarToHost } from "../protocol/sidecar";
import type { ParamsOf } from "../protocol/wire/wire";

export interface Badge {
  readonly value: number;
  readonly tooltip: string;
}

export interface AttentionDeps {
  /** Sets the badge of the view's icon; `undefined` removes it. */
  show(badge: Badge | undefined): void;
  /** Shows a notification with a button that opens the chat. */
  notify(sentence: string): void;
  /** Milliseconds of a monotonic clock. */
  now(): number;
}

/** A message counts as unread if the chat is hidden within this time after it. */
const UNREAD_MS = 2_000;

type Wanted = ParamsOf<SidecarToHost, "chat/attention">;

export class AttentionBadge {
  /** Unread requests for attention. */
  readonly #wanted = new Map<SessionId, Wanted>();
  /** Requests that arrived while the chat was visible, with their arrival times. */
  readonly #shown = new Map<SessionId, { readonly wanted: Wanted; readonly at: number }>();
  #isVisible = false;

  constructor(private readonly deps: AttentionDeps) {}

  onEvent(wanted: Wanted): void {
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
   * Showing the view marks everything as read. An open question counts again when the view is hidden. An answer that
   * ends as the user hides the view causes no notification.
   */
  visible(isVisible: boolean): void {
    this.#isVisible = isVisible;
    if (isVisible) this.#read();
    else for (const { wanted, at } of this.#shown.values()) if (this.deps.now() - at < UNREAD_MS) this.#missed(wanted);
    if (!isVisible) this.#shown.clear();
    this.#show();
  }

  /** Clears everything: the sidecar has exited with its sessions. */
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
    const event = wants === "answer" ? "asks you a question" : "has finished",
      place = title === undefined ? "" : ` in “${title}”`;
    this.deps.notify(`${name} ${event}${place}.`);
  }

  #show(): void {
    const questions = [...this.#wanted.values()].filter(({ wants }) => wants === "answer").length,
      answers = this.#wanted.size - questions;
    const words = [
      ...(questions > 0
        ? [l10n.t`${questions} ${questions === 1 ? "question waits" : "questions wait"} for your answer`]
        : []),
      ...(answers > 0 ? [l10n.t`${answers} unread ${answers === 1 ? "answer" : "answers"}`] : []),
    ];
    this.deps.show(
      this.#isVisible || words.length === 0 ? undefined : { value: questions + answers, tooltip: words.join(", ") },
    );
  }
}
