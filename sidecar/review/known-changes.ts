/**
 * Separates what changed in a file during a turn into the agent's changes and the user's, where saves of the user and
 * operations of the review are known (issue 21 item 2). Pure.
 */
import type { StoredState } from "./review-log";
import { sameState } from "./snapshots/file-state";

/** A change that is not the agent's. An operation is in the log of the review already. */
export interface KnownChange {
  readonly by: "user" | "operation";
  readonly before: StoredState;
  readonly after: StoredState;
}

export interface ChangePart {
  readonly by: "agent" | "user";
  readonly before: StoredState;
  readonly after: StoredState;
}

/**
 * The changes from one state to another, in order. Changes between the known ones are the agent's. `at`: the
 * state at the start.
 */
export function partsOf(at: StoredState, known: readonly KnownChange[], now: StoredState): readonly ChangePart[] {
  const parts: ChangePart[] = [];
  let last = at;
  const add = (by: ChangePart["by"], before: StoredState, after: StoredState): void => {
    if (!sameState(before, after)) parts.push({ by, before, after });
  };
  for (const { by, before, after } of known) {
    add("agent", last, before);
    if (by === "user") add("user", before, after);
    last = after;
  }
  add("agent", last, now);
  return parts;
}
