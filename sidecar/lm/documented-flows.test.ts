import { deepEqual, equal } from "node:assert/strict";
import type { ChatMessage, ChatPart, ChatRequest } from "../../src/protocol/lm/lm";
import { Chronicle } from "./fixtures/session-records";

/** A client that sends only documented members, without marks and ids. */
class Documents {
  readonly chronicle = new Chronicle();
  ask(...texts: readonly (string | ChatPart)[]): string {
    const messages = texts.map(
      (each, i): ChatMessage => ({
        role: i % 2 === 0 ? "user" : "assistant",
        content: [typeof each === "string" ? { type: "text", value: each } : each],
      }),
    );
    const request: ChatRequest = { modelId: "symposium", messages, agent: { eliza: {} } };
    return this.chronicle.receive(request).kind;
  }
  answer(text: string, id = "s1"): void {
    this.chronicle.report(id, { type: "text", value: text });
    this.chronicle.end(id, "answered");
  }
}
const CALL: ChatPart = { type: "tool_call", toolCallId: "t", toolName: "read", parameters: {} },
  RESULT: ChatPart = { type: "tool_result", toolCallId: "t", result: "ok" };

suite("documented history flows", () => {
  test("commit: continues the session for a history with its response", () => {
    const flow = new Documents();
    equal(flow.ask("U1"), "new");
    flow.answer("A1");
    equal(flow.ask("U1", "A1", "U2"), "continue s1");
    flow.answer("A2");
    equal(flow.ask("U1", "A1", "U2", "A2", "U3"), "continue s1");
  });

  test("mismatch: drops an unfinished response that the history lacks and continues the session", () => {
    const flow = new Documents();
    flow.ask("U1");
    flow.answer("A1");
    flow.ask("U1", "A1", "U2");
    flow.chronicle.report("s1", { type: "text", value: "partly" }, CALL);
    flow.chronicle.wait("s1");
    equal(flow.ask("U1", "A1", "U3"), "continue s1");
    deepEqual(flow.chronicle.sessions[0]?.turns.length, 1);
  });

  test("mismatch during streaming: continues the same session", () => {
    const flow = new Documents();
    flow.ask("U1");
    flow.answer("A1");
    flow.ask("U1", "A1", "U2");
    flow.chronicle.report("s1", { type: "text", value: "P1" });
    equal(flow.ask("U1", "A1", "U3"), "continue s1");
  });

  test("resumes with a tool result, repeats a duplicate and starts a turn for new text", () => {
    const flow = new Documents();
    flow.ask("U1");
    flow.chronicle.report("s1", CALL);
    flow.chronicle.wait("s1");
    equal(flow.ask("U1", CALL, RESULT), "resume s1");
    equal(flow.ask("U1", CALL, RESULT), "repeat s1");
    flow.chronicle.report("s1", { type: "tool_call", toolCallId: "u", toolName: "read", parameters: {} });
    flow.chronicle.wait("s1");
    const { kind, session } = flow.chronicle.receive({
      modelId: "symposium",
      agent: { eliza: {} },
      messages: [
        { role: "user", content: [{ type: "text", value: "U1" }] },
        { role: "assistant", content: [CALL] },
        { role: "user", content: [RESULT] },
        { role: "assistant", content: [{ ...CALL, toolCallId: "u" } as ChatPart] },
        { role: "user", content: [{ ...RESULT, toolCallId: "u" } as ChatPart, { type: "text", value: "U2" }] },
      ],
    });
    deepEqual([kind, session?.turns.length, session?.provisional?.state], ["resume s1", 1, "streaming"]);
  });

  test("starts a new session for an empty history without cancelling another session", () => {
    const flow = new Documents();
    flow.ask("U1");
    equal(flow.ask("other"), "new");
    flow.answer("A1");
    equal(flow.ask("U1"), "new", "nor when it begins in the same way");
  });

  test("starts a new session when two sessions match the history", () => {
    const flow = new Documents();
    flow.ask("hi");
    flow.ask("hi");
    flow.answer("Hello.", "s1");
    flow.answer("Hello.", "s2");
    equal(flow.ask("hi", "Hello.", "more"), "new");
  });

  test("distinguishes two otherwise identical sessions by their tool calls", () => {
    const flow = new Documents();
    flow.ask("hi");
    flow.chronicle.report("s1", CALL);
    flow.chronicle.wait("s1");
    flow.ask("hi", CALL, RESULT);
    flow.answer("Hello.");
    const [call, result] = [
      { ...CALL, toolCallId: "other" } as ChatPart,
      { ...RESULT, toolCallId: "other" } as ChatPart,
    ];
    equal(flow.ask("hi", call, result, "Hello.", "more"), "new");
    equal(flow.ask("hi", CALL, RESULT, "Hello.", "more"), "continue s1");
  });
});
