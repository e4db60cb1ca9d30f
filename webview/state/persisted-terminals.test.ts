import { deepEqual, equal } from "node:assert/strict";
import type { Entry, TerminalView } from "../../src/protocol/chat/chat";
import { withTerminals } from "./persisted-terminals";

const tool = (terminalId: string): Entry => ({
  kind: "tool",
  id: terminalId,
  toolCallId: "c",
  title: "t",
  toolKind: "execute",
  status: "completed",
  content: [
    { kind: "text", text: "x" },
    { kind: "terminal", terminalId },
  ],
  locations: [],
});
const terminal = (terminalId: string, output: string): TerminalView => ({
  terminalId,
  command: "ls",
  cwd: "/",
  output,
  isCut: false,
});
const words: Entry = { kind: "agent", id: "w", text: "words" };

suite("persisted terminal", () => {
  test("keeps the last 4,000 characters of the output in the tool call", () => {
    const a = tool("a");
    const kept = withTerminals([words, a, tool("b")], [terminal("a", `${"x".repeat(4_000)}end`)]);
    equal(kept[0], words);
    deepEqual(kept[1], {
      ...a,
      content: [
        { kind: "text", text: "x" },
        { kind: "terminal", terminalId: "a", output: `${"x".repeat(3_997)}end` },
      ],
    });
    deepEqual(kept[2], tool("b"));
  });

  test("creates a new entry only for more output", () => {
    const a = tool("a"),
      view = terminal("a", "1"),
      two = terminal("a", "12");
    const [before] = withTerminals([a], [view]);
    equal(withTerminals([a], [view, terminal("z", "")])[0], before);
    deepEqual(withTerminals([a], [two])[0], {
      ...a,
      content: [
        { kind: "text", text: "x" },
        { kind: "terminal", terminalId: "a", output: "12" },
      ],
    });
  });

  test("returns the same entries without terminals", () => {
    const entries = [words, tool("a")];
    equal(withTerminals(entries, undefined), entries);
    equal(withTerminals(entries, [terminal("z", "")])[1], entries[1]);
  });
});
