/** The response to `session/list`. Pure. */
import { isAbsolute } from "node:path";
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

/** Limits of untrusted values. A journal stores an id and a folder of at most this length. */
const MAX_TITLE = 1_000,
  MAX_LENGTH = 4_096;

/** Omits the sessions without an id or without the absolute path of a folder. */
export function sessionPage(result: unknown): SessionPage {
  const { sessions, nextCursor } = objectOr(result);
  return {
    sessions: arrayOr(sessions).flatMap(value => {
      const { sessionId, cwd, title, updatedAt } = objectOr(value);
      if (!isFilled(sessionId) || !isFilled(cwd) || !isAbsolute(cwd)) return [];
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

function isFilled(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= MAX_LENGTH;
}
