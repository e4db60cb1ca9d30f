/** What a conversation wants of its user, for a badge where it is not on screen. Pure. */
import type { ChatEvent, Conversation } from "../../src/protocol/chat";
import type { Attention } from "../../src/protocol/sidecar";

/** Whether an event can change what `attention` gives: questions and turns only, of thousands of updates. */
export function concernsAttention(event: ChatEvent): boolean {
  return (
    event.type === "turn" ||
    (event.type === "upsert" && (event.entry.kind === "permission" || event.entry.kind === "elicitation"))
  );
}

/** After a change; `wanted` is what it wanted before. */
export function attention(wanted: Attention, before: Conversation, after: Conversation): Attention {
  if (before === after) return wanted;
  if (after.entries.some(entry => (entry.kind === "permission" || entry.kind === "elicitation") && !entry.answered))
    return "answer";
  if (after.turn.state !== "idle") return "nothing";
  if (before.turn.state !== "idle") return "reading";
  return wanted === "answer" ? "nothing" : wanted;
}
