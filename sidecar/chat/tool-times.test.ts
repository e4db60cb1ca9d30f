import { deepEqual, equal } from "node:assert/strict";
import { emptyConversation, type ChatEvent, type ToolCall, type ToolStatus } from "../../src/protocol/chat/chat";
import { startSession } from "./session-state";
import { forgetTools, stopTime, timeTool } from "./tool-times";

const START = startSession(emptyConversation({ id: "a", name: "Ada" }, "/w"), "s-", undefined)[0];
const tool = (status: ToolStatus, id = "t"): ChatEvent => ({
  type: "upsert",
  entry: { kind: "tool", id, toolCallId: id, title: "Run", toolKind: "execute", status, content: [], locations: [] },
});
const msOf = (event: ChatEvent): ToolCall["ms"] =>
  event.type === "upsert" && event.entry.kind === "tool" ? event.entry.ms : undefined;

suite("tool times", () => {
  /** Duration in the last of these events. */
  const last = (...events: readonly (readonly [time: number, event: ChatEvent | "asked"])[]) => {
    let state = START,
      ms: number | undefined;
    for (const [time, event] of events) {
      if (event === "asked") state = stopTime(state, "t");
      else {
        const [next, shown] = timeTool(state, event, time);
        [state, ms] = [next, msOf(shown)];
      }
    }
    return ms;
  };

  test("are added to the end of a call of five seconds or more", () => {
    equal(last([0, tool("pending")], [10, tool("in_progress")], [5_000, tool("completed")]), 5_000);
    equal(last([0, tool("in_progress")], [4_999, tool("completed")]), undefined);
    equal(last([0, tool("completed")]), undefined);
  });

  test("do not include the wait for a permission", () => {
    equal(last([0, tool("pending")], [1, "asked"], [60_000, tool("in_progress")], [66_000, tool("failed")]), 6_000);
    equal(last([0, tool("pending")], [1, "asked"], [60_000, tool("completed")]), undefined);
  });

  test("are forgotten at the end of the turn", () => {
    const [running] = timeTool(START, tool("in_progress"), 0);
    deepEqual(forgetTools(running)[0], START);
  });
});
