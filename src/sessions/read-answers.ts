/** Removes the state `unread` of sessions whose last answer the user has seen in the chat. */
import type { SessionSummary } from "../protocol/sessions/sessions";

export class ReadAnswers {
  /** The last change that was shown, by conversation. */
  readonly #seen = new Map<string, number>();

  /** `shown`: the conversation that the visible chat shows. */
  of(sessions: readonly SessionSummary[], shown: string | undefined): readonly SessionSummary[] {
    return sessions.map(session => {
      const { ref, activity, changedAt, ...others } = session;
      if (activity !== "unread" || ref.kind !== "stored") return session;
      if (ref.conversation === shown) this.#seen.set(ref.conversation, changedAt);
      return this.#seen.get(ref.conversation) === changedAt ? { ref, changedAt, ...others } : session;
    });
  }
}
