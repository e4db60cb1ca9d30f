import { deepEqual, equal } from "node:assert/strict";
import { applyEvent, emptyConversation, type ChatEvent, type Conversation, type Entry } from "./chat";
import { interrupted } from "./settled-entries";

const EMPTY = emptyConversation({ id: "a", name: "Ada" }, "/w");
const play = (...events: readonly ChatEvent[]): Conversation => events.reduce(applyEvent, EMPTY);
const agent = (id: string, text: string): ChatEvent => ({ type: "upsert", entry: { kind: "agent", id, text } });
const user = (id: string): ChatEvent => ({ type: "upsert", entry: { kind: "user", id, text: id } });
const RUNNING: ChatEvent = { type: "turn", turn: { state: "running", messageId: "m" } };
const tool = {
  kind: "tool",
  id: "t",
  toolCallId: "t",
  title: "T",
  toolKind: "read",
  status: "in_progress",
  content: [],
  locations: [],
} as const;
const marks = (entries: readonly Entry[]) =>
  entries.map(entry =>
    entry.kind === "agent"
      ? entry.interrupted === true
      : entry.kind === "tool"
        ? entry.status
        : entry.kind === "permission"
          ? entry.answered?.kind
          : entry.kind,
  );

suite("chat model", () => {
  test("replaces a repeated entry and appends text to its entry", () =>
    deepEqual(
      play(
        agent("1", "a"),
        agent("2", "b"),
        { type: "append", id: "1", offset: 1, text: "c" },
        agent("2", "d"),
      ).entries.map(entry => ("text" in entry ? entry.text : "")),
      ["ac", "d"],
    ));

  test("replaces a repeated terminal", () => {
    const terminal = (terminalId: string, output: string): ChatEvent => ({
      type: "terminal",
      terminal: { terminalId, command: "ls", cwd: "/w", output, isCut: false },
    });
    deepEqual(
      play(terminal("1", "a"), terminal("2", "b"), terminal("1", "c")).terminals?.map(
        ({ terminalId, output }) => terminalId + output,
      ),
      ["1c", "2b"],
    );
  });

  test("ignores repeated, overlapping and gapped text", () => {
    const once = play(agent("1", "ab"), { type: "append", id: "1", offset: 2, text: "cd" });
    deepEqual(applyEvent(once, { type: "append", id: "1", offset: 2, text: "cd" }), once);
    deepEqual(applyEvent(once, { type: "append", id: "1", offset: 9, text: "x" }).entries, once.entries);
    deepEqual(applyEvent(once, { type: "append", id: "nobody", offset: 0, text: "x" }).entries, once.entries);
  });

  test("marks the answer and settles open entries on an exit during a turn", () => {
    const open = play(
      user("u1"),
      agent("1", "old"),
      user("u2"),
      agent("2", "half"),
      { type: "upsert", entry: tool },
      {
        type: "upsert",
        entry: {
          kind: "permission",
          id: "p",
          agent: "Ada",
          toolEntryId: "t",
          title: "T",
          toolKind: "read",
          content: [],
          options: [],
        },
      },
      RUNNING,
    );
    deepEqual(marks(interrupted(open, "gone")), ["user", false, "user", true, "cancelled", "cancelled"]);
  });

  test("marks nothing on an exit after a turn or before an answer", () => {
    deepEqual(marks(interrupted(play(user("u"), agent("1", "whole")), "gone")), ["user", false]);
    deepEqual(marks(interrupted(play(user("u"), agent("1", "old"), user("u2"), RUNNING), "gone")), [
      "user",
      false,
      "user",
    ]);
    const [first] = play(agent("1", "x")).entries;
    equal(interrupted(play(agent("1", "x")), "gone")[0]?.kind, first?.kind);
  });
});
