/** Attention state of a conversation, for the badge of a hidden view. Pure. */
import type { ChatEvent, Conversation } from "../../src/protocol/chat/chat";
import type { Attention } from "../../src/protocol/sidecar";

/** Whether an event changes what the list of sessions shows. */
export function concernsList(event: ChatEvent): boolean {
  return (
    concernsAttention(event) ||
    event.type === "title" ||
    event.type === "renamed" ||
    event.type === "usage" ||
    (event.type === "upsert" && (event.entry.kind === "user" || event.entry.kind === "notice"))
  );
}

/** Whether an event can change the result of `attention`. Most events are updates, which cannot. */
export function concernsAttention(event: ChatEvent): boolean {
  return (
    event.type === "turn" ||
    (event.type === "upsert" && (event.entry.kind === "permission" || event.entry.kind === "elicitation"))
  );
}

/** Returns the attention state after a change. `previous`: the state before the change. */
export function attention(previous: Attention, before: Conversation, after: Conversation): Attention {
  if (before === after) return previous;
  if (after.entries.some(entry => (entry.kind === "permission" || entry.kind === "elicitation") && !entry.answered))
    return "answer";
  if (after.turn.state !== "idle") return "nothing";
  if (before.turn.state !== "idle") return endsWithError(after) ? "failed" : "reading";
  return previous === "answer" ? "nothing" : previous;
}

export function endsWithError({ entries }: Conversation): boolean {
  const last = entries.at(-1);
  return last?.kind === "notice" && last.severity === "error";
}
