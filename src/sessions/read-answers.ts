/** Removes the state `unread` of sessions whose last answer the user has seen in the chat. */
import type { SessionSummary } from "../protocol/sessions/sessions";

export class ReadAnswers {
  /** The last change that was shown, by conversation. */
  readonly #seen = new Map<string, number>();

  /** `shown`: the conversations that the visible chat shows. */
  of(sessions: readonly SessionSummary[], shown: readonly string[]): readonly SessionSummary[] {
    return sessions.map(session => {
      const { ref, activity, changedAt, ...others } = session;
      if (activity !== "unread" || ref.kind !== "stored") return session;
      if (shown.includes(ref.conversation)) this.#seen.set(ref.conversation, changedAt);
      return this.#seen.get(ref.conversation) === changedAt ? { ref, changedAt, ...others } : session;
    });
  }
}
