import { deepEqual, equal } from "node:assert/strict";
import type { PermissionAnswered, TerminalView, ToolCall } from "../../../src/protocol/chat/chat";
import { relative, toolLine, type LineContext } from "./tool-line";

const call: ToolCall = {
  kind: "tool",
  id: "t",
  toolCallId: "x",
  title: "Read /w/src/a.ts",
  toolKind: "read",
  status: "completed",
  content: [],
  locations: [],
};
const line = (rest: Partial<ToolCall>, context: Partial<LineContext> = {}) =>
  toolLine({ ...call, ...rest }, { cwd: "/w", terminals: [], ...context });
const words = (rest: Partial<ToolCall>, context: Partial<LineContext> = {}): string =>
  line(rest, context)
    .parts.map(({ text }) => text)
    .join(" ");
const allowed: PermissionAnswered = {
  kind: "selected",
  optionId: "o",
  name: "Yes",
  optionKind: "allow_once",
  by: "user",
};
const terminal = (exit?: TerminalView["exit"]) => [
  {
    terminal: { terminalId: "x", command: "npm test", cwd: "/w", output: "", isCut: false, ...(exit && { exit }) },
    where: undefined,
  },
];

suite("line of a tool call", () => {
  test("has the agent's title without the folder of the session", () => {
    equal(words({}), "Read src/a.ts");
    equal(words({}, { cwd: "/" }), "Read /w/src/a.ts");
    equal(words({ title: "Read C:\\w\\a.ts" }, { cwd: "C:\\w" }), "Read a.ts");
    equal(words({ title: "" }), "Tool call");
    equal(words({ title: "a\u202eb" }), "a⟦U+202E⟧b");
  });

  test("names the file of an edit with its counts", () => {
    const diff = { kind: "diff", path: "/w/src/a.ts", oldText: "a\nb\n", newText: "a\nc\nd\n" } as const,
      edit = { toolKind: "edit", content: [diff], locations: [{ path: "/w/src/a.ts", line: 3 }] };
    deepEqual(line(edit).parts, [
      { kind: "text", text: "Edited" },
      { kind: "link", text: "src/a.ts", href: "file:///w/src/a.ts#L3" },
      { kind: "added", text: "+2" },
      { kind: "removed", text: "−1" },
    ]);
    equal(words({ ...edit, status: "in_progress" }), "Editing src/a.ts +2 −1");
    equal(words({ ...edit, content: [{ kind: "diff", path: "/b", newText: "x" }] }), "Created /b +1");
    equal(words({ ...edit, status: "failed" }), "Read src/a.ts", "nothing was edited");
    equal(words({ ...edit, content: [diff, { ...diff, path: "/w/b.ts" }] }), "Read src/a.ts", "several files");
  });

  test("names and links a file that is the whole title", () => {
    const read = { title: "/w/src/a.ts", locations: [{ path: "/w/src/a.ts", line: 3 }] };
    deepEqual(line(read).parts, [
      { kind: "text", text: "Read" },
      { kind: "link", text: "src/a.ts", href: "file:///w/src/a.ts#L3" },
    ]);
    equal(words({ ...read, title: "src/a.ts", status: "in_progress" }), "Reading src/a.ts");
    equal(words({ ...read, title: "w/src/a.ts", toolKind: "edit" }), "Edited src/a.ts");
    equal(words({ ...read, toolKind: "search" }), "src/a.ts");
    equal(words({ ...read, title: "/w/b.ts" }), "b.ts", "another file");
    equal(words({ ...read, status: "failed" }), "src/a.ts", "not read");
    equal(words({ ...read, locations: [...read.locations, { path: "/w/b.ts" }] }), "src/a.ts", "several files");
  });

  test("has the command of the parameters or of the terminal", () => {
    const run = { toolKind: "execute", title: "Run tests" };
    equal(words({ ...run, input: '{"command":"npm test"}' }), "$ npm test");
    equal(words({ ...run, input: '{"command":["bash","-lc","npm test && ls"]}' }), "$ npm test && ls");
    equal(words({ ...run, input: '{"cmd":["echo","a b","it\'s"]}' }), "$ echo 'a b' 'it'\\''s'");
    equal(words(run, { terminals: terminal() }), "$ npm test");
    equal(words({ ...run, input: "{}" }), "Run tests");
    equal(words({ ...run, toolKind: "read", input: '{"command":"npm test"}' }), "Run tests");
  });

  test("has a result only if it is not the usual one", () => {
    const result = (rest: Partial<ToolCall>, context: Partial<LineContext> = {}) => {
      const { state, result, tone } = line(rest, context);
      return [state, result, tone];
    };
    deepEqual(result({}), ["ended", "", "plain"]);
    equal(line({ ms: 65_000 }).time, "1 min 5 s");
    deepEqual(result({ status: "in_progress" }), ["running", "", "plain"]);
    deepEqual(result({ status: "failed" }), ["failed", "failed", "error"]);
    deepEqual(result({ status: "cancelled" }), ["failed", "cancelled", "plain"]);
    deepEqual(result({}, { verdict: allowed }), ["ended", "allowed", "plain"]);
    deepEqual(result({}, { verdict: { ...allowed, by: "bypass" } }), ["ended", "allowed without asking", "plain"]);
    deepEqual(result({ status: "cancelled" }, { verdict: { ...allowed, by: "bypass" } }), [
      "failed",
      "allowed without asking · cancelled",
      "plain",
    ]);
    deepEqual(result({ status: "failed" }, { verdict: { ...allowed, optionKind: "reject_once" } }), [
      "failed",
      "rejected",
      "plain",
    ]);
    deepEqual(result({}, { verdict: allowed, terminals: terminal({ code: 1 }) }), ["ended", "exit 1", "error"]);
    deepEqual(result({}, { terminals: terminal({ signal: "SIGKILL" }) }), ["ended", "SIGKILL", "warning"]);
    deepEqual(result({}, { terminals: terminal({ code: 0 }) }), ["ended", "", "plain"]);
  });

  test("shortens only paths in the folder", () => {
    deepEqual(
      [
        ["/w/a", "/w"],
        ["/w/a", "/w/"],
        ["/ww/a", "/w"],
        ["/w", "/w"],
        ["C:\\w\\a", "C:\\w"],
        ["a", "/w"],
        ["/a", "/"],
      ].map(([path = "", folder = ""]) => relative(path, folder)),
      ["a", "a", "/ww/a", "/w", "a", "a", "/a"],
    );
  });
});
