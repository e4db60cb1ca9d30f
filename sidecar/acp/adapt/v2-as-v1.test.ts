import { deepEqual } from "node:assert/strict";
import { V2Updates } from "./v2-as-v1";

const text = (value: string) => ({ type: "text", text: value });
/** The v1 updates of a series of v2 updates. */
function inV1(...updates: readonly unknown[]): readonly unknown[] {
  const session = new V2Updates();
  return updates.flatMap(update => session.inV1(update));
}

suite("V2Updates", () => {
  test("converts a whole message to chunks", () =>
    deepEqual(inV1({ sessionUpdate: "agent_message", messageId: "m", content: [text("a"), text("b")] }), [
      { sessionUpdate: "agent_message_chunk", messageId: "m", content: text("a") },
      { sessionUpdate: "agent_message_chunk", messageId: "m", content: text("b") },
    ]));

  test("converts a message that completes its chunks to the missing part", () => {
    const chunk = { sessionUpdate: "agent_message_chunk", messageId: "m", content: text("Hello") };
    deepEqual(inV1(chunk, { sessionUpdate: "agent_message", messageId: "m", content: [text("Hello, world")] }), [
      chunk,
      { sessionUpdate: "agent_message_chunk", messageId: "m", content: text(", world") },
    ]);
    deepEqual(inV1(chunk, { sessionUpdate: "agent_message", messageId: "m", content: [text("Hello")] }), [chunk]);
  });

  test("converts a message with a changed text to a new message", () => {
    const chunk = { sessionUpdate: "agent_thought_chunk", messageId: "m", content: text("Hello") };
    deepEqual(inV1(chunk, { sessionUpdate: "agent_thought", messageId: "m", content: [text("Bye")] }), [
      chunk,
      { sessionUpdate: "agent_thought_chunk", messageId: "m (changed)", content: text("Bye") },
    ]);
  });

  test("announces a call with its first update", () =>
    deepEqual(
      inV1(
        { sessionUpdate: "tool_call_update", toolCallId: "c", title: "Run", status: "paused" },
        { sessionUpdate: "tool_call_update", toolCallId: "c", status: "completed" },
      ),
      [
        { sessionUpdate: "tool_call", toolCallId: "c", title: "Run", status: "pending" },
        { sessionUpdate: "tool_call_update", toolCallId: "c", status: "completed" },
      ],
    ));

  test("announces a call again that starts again, and drops other updates after its end", () =>
    deepEqual(
      inV1(
        { sessionUpdate: "tool_call_update", toolCallId: "c", status: "completed" },
        { sessionUpdate: "tool_call_update", toolCallId: "c", title: "Ran" },
        { sessionUpdate: "tool_call_content_chunk", toolCallId: "c", content: text("x") },
        { sessionUpdate: "tool_call_update", toolCallId: "c", status: "in_progress" },
      ),
      [
        { sessionUpdate: "tool_call", toolCallId: "c", status: "completed" },
        { sessionUpdate: "tool_call", toolCallId: "c", status: "in_progress" },
      ],
    ));

  test("converts content chunks to the call's whole content", () => {
    const item = (value: string) => ({ type: "content", content: text(value) });
    deepEqual(
      inV1(
        { sessionUpdate: "tool_call_update", toolCallId: "c", title: "Run", content: [item("a")] },
        { sessionUpdate: "tool_call_content_chunk", toolCallId: "c", content: item("b") },
        { sessionUpdate: "tool_call_update", toolCallId: "c", status: "in_progress" },
        { sessionUpdate: "tool_call_content_chunk", toolCallId: "c", content: item("c") },
      ),
      [
        { sessionUpdate: "tool_call", toolCallId: "c", title: "Run", content: [item("a")] },
        { sessionUpdate: "tool_call_update", toolCallId: "c", content: [item("a"), item("b")] },
        { sessionUpdate: "tool_call_update", toolCallId: "c", status: "in_progress" },
        { sessionUpdate: "tool_call_update", toolCallId: "c", content: [item("a"), item("b"), item("c")] },
      ],
    );
  });

  test("converts a plan with steps", () =>
    deepEqual(
      inV1(
        { sessionUpdate: "plan_update", plan: { planId: "p", type: "items", entries: [{ content: "One" }] } },
        { sessionUpdate: "plan_update", plan: { planId: "p", type: "markdown", content: "# Two" } },
      ),
      [{ sessionUpdate: "plan", entries: [{ content: "One" }] }],
    ));

  test("keeps other and malformed updates", () =>
    deepEqual(inV1({ sessionUpdate: "usage_update", used: 1 }, 7, null), [
      { sessionUpdate: "usage_update", used: 1 },
      7,
      null,
    ]));
});
