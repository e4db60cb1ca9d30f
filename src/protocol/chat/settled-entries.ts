/** Ends the open entries of a conversation whose turn, process or subagent has ended. Pure. */
import { isTerminal, type Conversation, type Entry, type Subagent } from "./chat";

/**
 * The entries after the process of the conversation exited: the last answer of a running turn is marked as interrupted,
 * and open entries are settled. Unchanged entries are the same objects.
 */
export function interrupted({ entries, turn }: Pick<Conversation, "entries" | "turn">, why: string): readonly Entry[] {
  const lastText = turn.state === "idle" ? -1 : entries.findLastIndex(entry => entry.kind === "agent");
  const lastUser = entries.findLastIndex(entry => entry.kind === "user");
  return settled(entries, why).map((entry, i) =>
    entry.kind === "agent" && i === lastText && i > lastUser ? { ...entry, interrupted: true } : entry,
  );
}

/** Cancels running tool calls and compactions, ends waiting, and answers open questions with `why`. */
export function settled(entries: readonly Entry[], why: string): readonly Entry[] {
  return entries.map((entry): Entry => {
    switch (entry.kind) {
      case "tool":
        return isTerminal(entry.status) ? entry : { ...entry, status: "cancelled" };
      case "permission":
      case "elicitation":
        return entry.answered ? entry : { ...entry, answered: { kind: "cancelled", why } };
      case "compaction":
        return entry.status === "in_progress" ? { ...entry, status: "cancelled" } : entry;
      case "notice":
        return entry.until === undefined || entry.isOver === true ? entry : { ...entry, isOver: true };
      case "subagent":
        return settledSubagent(entry, why);
      default:
        return entry;
    }
  });
}

/** Returns the same object if it contains no open entries. */
export function settledSubagent(entry: Subagent, why: string): Subagent {
  const inside = settled(entry.entries, why),
    isChanged = inside.some((each, i) => each !== entry.entries[i]);
  const status = entry.status === "running" || entry.status === "waiting" ? "cancelled" : entry.status;
  return isChanged || status !== entry.status
    ? { ...entry, status, entries: isChanged ? inside : entry.entries }
    : entry;
}
