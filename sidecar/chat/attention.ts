/** The attention that a conversation needs from its user, for a badge while it is not on screen. Pure. */
import type { ChatEvent, Conversation } from "../../src/protocol/chat/chat";
import type { Attention } from "../../src/protocol/sidecar";

/**
 * Whether an event can change the result of `attention`. Only questions and turns can, which are few among thousands of
 * updates.
 */
export function concernsAttention(event: ChatEvent): boolean {
  return (
    event.type === "turn" ||
    (event.type === "upsert" && (event.entry.kind === "permission" || event.entry.kind === "elicitation"))
  );
}

/** The result after a change. `wanted`: the result before it. */
export function attention(wanted: Attention, before: Conversation, after: Conversation): Attention {
  if (before === after) return wanted;
  if (after.entries.some(entry => (entry.kind === "permission" || entry.kind === "elicitation") && !entry.answered))
    return "answer";
  if (after.turn.state !== "idle") return "nothing";
  if (before.turn.state !== "idle") return "reading";
  return wanted === "answer" ? "nothing" : wanted;
}
