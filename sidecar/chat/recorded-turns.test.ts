import { deepEqual } from "node:assert/strict";
import {
  applyEvent,
  emptyConversation,
  type ChatEvent,
  type Conversation,
  type ToolCall,
} from "../../src/protocol/chat/chat";
import type { Recording } from "../review/review-service";
import { RecordedTurns } from "./recorded-turns";

function fakeRecording(done: string[]): Recording {
  return {
    summary: undefined,
    begin: async ({ entryId, title }, sessionTitle) => void done.push(`begin ${entryId} ${title} | ${sessionTitle}`),
    announced: async files => void done.push(`announced ${files.join(" ")}`),
    toolEnded: () => void done.push("tool ended"),
    writing: async () => undefined,
    end: async () => void done.push("end"),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

suite("recorded turns of a chat session", () => {
  const done: string[] = [];
  let turns: RecordedTurns, conversation: Conversation;
  setup(() => {
    done.length = 0;
    turns = new RecordedTurns(fakeRecording(done), "/w");
    conversation = emptyConversation({ id: "ada", name: "Ada" }, "/w");
  });
  function emit(event: ChatEvent): void {
    const before = conversation;
    conversation = applyEvent(before, event);
    turns.onEvent(event, before);
  }
  const call = (changes: Partial<ToolCall>): ChatEvent => ({
    type: "upsert",
    entry: {
      kind: "tool",
      id: "t1",
      toolCallId: "t1",
      title: "Edit",
      toolKind: "edit",
      status: "in_progress",
      content: [],
      locations: [],
      ...changes,
    },
  });

  test("begin with the prompt and end when the session is idle", async () => {
    await turns.begin({ messageId: "m1", text: " Change\n it " }, conversation);
    emit({ type: "turn", turn: { state: "running", messageId: "m1" } });
    emit({ type: "turn", turn: { state: "idle" } });
    deepEqual(done, ["begin m1 Change it | Change it", "end"]);
  });

  test("report the absolute paths of calls that can write, and each end once", () => {
    emit(call({ locations: [{ path: "a.txt" }], content: [{ kind: "diff", path: "/x/b.txt", newText: "" }] }));
    emit(call({ status: "completed" }));
    emit(call({ status: "completed", ms: 1 }));
    emit(call({ id: "t2", toolKind: "read", status: "completed", locations: [{ path: "a.txt" }] }));
    deepEqual(done, ["announced /w/a.txt /x/b.txt", "announced ", "tool ended", "announced "]);
  });

  test("report the calls of subagents", () => {
    const event = call({ status: "failed" });
    if (event.type === "upsert") emit({ type: "nested", id: "s1", event });
    deepEqual(done, ["announced ", "tool ended"]);
  });
});
