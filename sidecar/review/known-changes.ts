/**
 * Separates what changed in a file during a turn into the agent's changes and the user's, where saves of the user,
 * operations of the review and moves of HEAD are known (issue 21 item 2). Pure.
 */
import type { StoredState } from "./review-log";
import { sameState, type FileChange } from "./snapshots/file-state";
import type { HeadChange } from "./snapshots/head-log";

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

/**
 * The changes of a file whose content differs between commits of HEAD. A switched branch is no change of the agent, but
 * its commits are. `isUnclear`: the parts are not known, so the whole change counts as the agent's.
 */
export function partsOfMove(
  { before, after }: Pick<FileChange, "before" | "after">,
  moves: readonly HeadChange[],
): { readonly parts: readonly ChangePart[]; readonly isUnclear: boolean } {
  const [first] = moves,
    users = moves.filter(({ kind }) => kind !== "commit"),
    // Git may have discarded or converted a file with another content than that of its commit. A new file has none.
    isTraced =
      first?.kind !== "move" ||
      (sameState(first.before, before) && (before !== undefined || sameState(moves.at(-1)?.after, after)));
  if (users.length > 0 && (!isTraced || users.some(({ kind }) => kind === "unknown")))
    return { parts: [{ by: "agent", before, after }], isUnclear: true };
  const known = users.map(move => ({ by: "user" as const, before: move.before, after: move.after }));
  return { parts: partsOf(before, known, after), isUnclear: false };
}
