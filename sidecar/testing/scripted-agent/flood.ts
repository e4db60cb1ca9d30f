/** Large numbers of updates of one kind, and of lines on stderr. */
import type { JsonObject } from "../../rpc/json";
import type { FloodOf } from "./script";

/** Update number `i` of a flood, counted from 1. */
export function flooding(of: FloodOf, i: number): JsonObject {
  const text = { type: "text", text: `flood ${i}\n` };
  switch (of) {
    case "tools":
      return {
        sessionUpdate: "tool_call",
        toolCallId: `flood-${i}`,
        title: `flood ${i}`,
        kind: "other",
        status: "in_progress",
      };
    case "updates":
      return {
        sessionUpdate: i === 1 ? "tool_call" : "tool_call_update",
        toolCallId: "flood-1",
        title: `flood ${i}`,
        kind: "other",
        status: "in_progress",
      };
    case "results":
      return {
        sessionUpdate: "tool_call_update",
        toolCallId: `flood-${i % FLOODED_CALLS}`,
        title: `flood ${i}`,
        kind: "read",
        status: "completed",
        content: [{ type: "content", content: { type: "text", text: text.text.repeat(100) } }],
      };
    case "thoughts":
      return { sessionUpdate: i % 2 === 0 ? "agent_thought_chunk" : "agent_message_chunk", content: text };
    case "plans":
      return {
        sessionUpdate: "plan",
        entries: Array.from({ length: 20 }, (_, n) => ({
          content: `flood ${i}, step ${n}`,
          priority: "medium",
          status: n < i % 20 ? "completed" : "pending",
        })),
      };
    case "unknown":
      return { sessionUpdate: "_scripted_flood", text: text.text };
  }
}
const FLOODED_CALLS = 500;

export async function stderrFlood(lines: number): Promise<void> {
  for (let n = 1; n <= lines; n++) {
    if (!process.stderr.write(`complaint ${n}\n`))
      await new Promise(resolve => {
        process.stderr.once("drain", resolve);
      });
  }
}
