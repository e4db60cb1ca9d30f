import { deepEqual } from "node:assert/strict";
import { emptyConversation, type Conversation, type Entry } from "../../../src/protocol/chat/chat";
import { lossesBetween, openIn } from "./survival";

const agent = (id: string, text: string): Entry => ({ kind: "agent", id, text }),
  of = (entries: readonly Entry[], queue: readonly string[] = []): Conversation => ({
    ...emptyConversation({ id: "a", name: "Ada" }, "/w"),
    entries,
    queue: { prompts: queue.map(text => ({ messageId: text, text })), held: false },
  });

suite("survival of a conversation", () => {
  const before = of([agent("1", "one"), agent("2", "tw")], ["next"]);

  test("accepts growth, new entries and prompts that have left the queue", () => {
    deepEqual(lossesBetween(before, of([agent("1", "one"), agent("2", "two"), agent("3", "")], ["next"])), []);
    deepEqual(lossesBetween(before, of([...before.entries, { kind: "user", id: "next", text: "next" }])), []);
  });

  test("names each loss", () => {
    deepEqual(lossesBetween(before, of([agent("2", "t"), agent("2", "tw")])), [
      "agent 1 is missing",
      "the order has changed",
      "“next” is missing",
      "2 appears twice",
    ]);
    deepEqual(lossesBetween(before, of([agent("1", "on"), agent("2", "tw")], ["next"])), ["agent 1 has lost text"]);
  });

  test("names open entries and a running turn", () => {
    const tool: Entry = {
      kind: "tool",
      id: "t",
      toolCallId: "t",
      title: "T",
      toolKind: "read",
      status: "pending",
      content: [],
      locations: [],
    };
    deepEqual(openIn({ ...of([tool]), turn: { state: "running", messageId: "m" } }), [
      "the turn is running",
      "tool t is pending",
    ]);
  });
});
