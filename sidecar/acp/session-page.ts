/** The response to `session/list`. Pure. */
import { arrayOr, objectOr, stringOr } from "../rpc/json";

/** A session that the agent stores. */
export interface ListedSession {
  readonly sessionId: string;
  readonly cwd: string;
  /** Empty if the agent sends none. */
  readonly title: string;
  /** Milliseconds since 1970; 0 if unknown. */
  readonly updatedAt: number;
}

export interface SessionPage {
  readonly sessions: readonly ListedSession[];
  /** Requests the next page; absent on the last one. */
  readonly nextCursor?: string;
}

const MAX_TITLE = 1_000;

/** Omits the sessions without an id or a folder. */
export function sessionPage(result: unknown): SessionPage {
  const { sessions, nextCursor } = objectOr(result);
  return {
    sessions: arrayOr(sessions).flatMap(value => {
      const { sessionId, cwd, title, updatedAt } = objectOr(value);
      if (typeof sessionId !== "string" || sessionId === "" || typeof cwd !== "string") return [];
      const time = typeof updatedAt === "string" ? Date.parse(updatedAt) : NaN;
      return [
        {
          sessionId,
          cwd,
          title: stringOr(title, "").replaceAll(/\s+/g, " ").trim().slice(0, MAX_TITLE),
          updatedAt: Number.isNaN(time) ? 0 : time,
        },
      ];
    }),
    ...(typeof nextCursor === "string" && nextCursor !== "" ? { nextCursor } : {}),
  };
}
