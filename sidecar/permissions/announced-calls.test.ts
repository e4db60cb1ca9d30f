import { deepEqual, equal } from "node:assert/strict";
import { AnnouncedCalls, MAX_CALLS } from "./announced-calls";

const asking = (toolCallId: unknown) => ({ toolCall: { toolCallId } });

suite("AnnouncedCalls", () => {
  test("merges all updates of a call, the newest last", () => {
    const calls = new AnnouncedCalls();
    calls.onEvent({
      sessionUpdate: "tool_call",
      toolCallId: "1",
      title: "a",
      kind: "edit",
      rawInput: { x: 1 },
      _meta: { a: 1 },
      status: "pending",
      unknown: 1,
    });
    calls.onEvent({
      sessionUpdate: "tool_call_update",
      toolCallId: "1",
      title: "b",
      kind: null,
      _meta: { claudeCode: { toolName: "Edit" } },
    });
    deepEqual(calls.of(asking("1")), {
      title: "b",
      kind: "edit",
      rawInput: { x: 1 },
      _meta: { a: 1, claudeCode: { toolName: "Edit" } },
    });
    deepEqual(calls.of({ subject: { type: "tool_call", toolCall: { toolCallId: "1" } } }), calls.of(asking("1")));
    for (const item of [
      asking("2"),
      asking(undefined),
      undefined,
      { toolCall: null },
      { subject: { type: "command" } },
    ])
      equal(calls.of(item), undefined);
  });

  test("accepts an update without an announcement, and replaces a call that is announced again", () => {
    const calls = new AnnouncedCalls();
    calls.onEvent({ sessionUpdate: "tool_call_update", toolCallId: "1", name: "mcp__x__y" });
    deepEqual(calls.of(asking("1")), { name: "mcp__x__y" });
    calls.onEvent({ sessionUpdate: "tool_call", toolCallId: "1", title: "again" });
    deepEqual(calls.of(asking("1")), { title: "again" });
  });

  for (const status of ["completed", "failed", "cancelled"])
    test(`deletes a call that is ${status}`, () => {
      const calls = new AnnouncedCalls();
      calls.onEvent({ sessionUpdate: "tool_call", toolCallId: "1", title: "a" });
      calls.onEvent({ sessionUpdate: "tool_call_update", toolCallId: "1", status });
      equal(calls.of(asking("1")), undefined);
    });

  test("keeps only the newest calls and ignores invalid updates", () => {
    const calls = new AnnouncedCalls();
    for (let i = 0; i <= MAX_CALLS; i++)
      calls.onEvent({ sessionUpdate: "tool_call", toolCallId: String(i), title: "t" });
    equal(calls.of(asking("0")), undefined);
    deepEqual(calls.of(asking("1")), { title: "t" });
    for (const update of [
      undefined,
      null,
      7,
      [],
      {},
      { sessionUpdate: "tool_call" },
      { sessionUpdate: "plan", toolCallId: "1" },
    ])
      calls.onEvent(update);
    deepEqual(calls.of(asking("1")), { title: "t" });
  });
});
