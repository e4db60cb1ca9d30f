/** Version 2 of ACP. */
import { MemoryAgent } from "../memory-agent";
import { golden } from "./golden";
import type { Product, ProductOptions } from "./product";

const text = (value: string): object => ({ type: "text", text: value });
const agents: MemoryAgent[] = [];
const V2: ProductOptions = {
  chat: { protocol: 2 },
  withStart: true,
  agent: () => {
    const agent = new MemoryAgent([], {
      protocolVersion: 2,
      info: { name: "ada", version: "1" },
      capabilities: { session: { prompt: { image: {} } } },
    });
    agents.push(agent);
    return agent.channel;
  },
};

/** Accepts a prompt, sends the updates of its turn, and ends it. */
async function turn(product: Product, updates: readonly object[], stopReason = "end_turn"): Promise<void> {
  const agent = agents.at(-1);
  if (!agent) throw new Error("no agent has started");
  await product.prompt("Hello.");
  (await agent.next("session/prompt")).respond({});
  agent.update("s1", { sessionUpdate: "state_update", state: "running" });
  for (const update of updates) agent.update("s1", update);
  agent.update("s1", { sessionUpdate: "state_update", state: "idle", stopReason });
  await product.frame();
}

suite("golden transcripts: ACP version 2", () => {
  golden(
    "v2-turn",
    "ends a turn with the agent's state instead of the response to the prompt",
    product =>
      turn(product, [
        { sessionUpdate: "agent_thought_chunk", messageId: "t1", content: text("A greeting.") },
        { sessionUpdate: "agent_message_chunk", messageId: "m1", content: text("Hello ") },
        { sessionUpdate: "agent_message_chunk", messageId: "m1", content: text("there.") },
      ]),
    V2,
  );

  golden(
    "v2-tool-call",
    "shows tool calls and plans of version 2",
    product =>
      turn(product, [
        {
          sessionUpdate: "plan_update",
          planId: "p",
          plan: { type: "items", entries: [{ content: "Read", priority: "high", status: "in_progress" }] },
        },
        { sessionUpdate: "tool_call_update", toolCallId: "t", title: "Read a.ts", kind: "read", status: "in_progress" },
        {
          sessionUpdate: "tool_call_update",
          toolCallId: "t",
          status: "completed",
          content: [{ type: "content", content: text("3 lines") }],
        },
        { sessionUpdate: "plan_removed", planId: "p" },
      ]),
    { ...V2, withStart: false },
  );

  golden(
    "v2-stop",
    "cancels a turn of version 2",
    async product => {
      const agent = agents.at(-1);
      await product.prompt("Count to a million.");
      (await agent?.next("session/prompt"))?.respond({});
      agent?.update("s1", { sessionUpdate: "state_update", state: "running" });
      await product.frame();
      await product.send("chat/cancel", {});
      await product.frame();
      agent?.update("s1", { sessionUpdate: "state_update", state: "idle", stopReason: "cancelled" });
      await product.frame();
    },
    { ...V2, withStart: false },
  );

  golden(
    "v2-offered-to-v1",
    "continues with version 1 if the agent answers the offer of version 2 with 1",
    product => product.prompt("say Hello."),
    { chat: { protocol: 2 }, withStart: true },
  );
});
