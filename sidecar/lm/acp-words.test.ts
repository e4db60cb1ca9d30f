import { deepEqual, equal } from "node:assert/strict";
import { lineOf, nextTurn, NO_WORDS, wordsOfUpdate, type Words } from "./acp-words";

const says = (text: string, messageId?: string) => ({ sessionUpdate: "agent_message_chunk", content: { type: "text", text }, ...(messageId === undefined ? {} : { messageId }) });
const call = (toolCallId: string, status: string, title?: string) => ({ sessionUpdate: title === undefined ? "tool_call_update" : "tool_call", toolCallId, status, ...(title === undefined ? {} : { title }) });
const plan = (...entries: readonly (readonly [content: string, status: string])[]) => ({ sessionUpdate: "plan", entries: entries.map(([content, status]) => ({ content, status })) });

function play(...updates: readonly unknown[]): { readonly words: Words; readonly shown: string } {
  let words = NO_WORDS, shown = "";
  for (const update of updates) {
    const [next, parts] = wordsOfUpdate(words, update, ({ toolCallId }) => String(toolCallId).startsWith("mcp__"));
    words = next;
    shown += parts.map(part => part.type === "text" ? part.value : part.type === "thinking" ? `(${part.value})` : part.type === "data" ? `{${Buffer.from(part.data, "base64").toString()}}` : part.type).join("");
  }
  return { words, shown };
}

suite("an agent's updates as words", () => {
  test("pieces of a message are one text; another message is another paragraph", () => {
    equal(play(says("Hel", "a"), says("lo", "a"), says("World", "b"), says("!")).shown, "Hello\n\nWorld!");
    equal(play(says(""), says("a")).shown, "a");
  });

  test("a call of the agent's own is one line when it ends, and not before, whatever is told of it", () =>
    equal(play(says("I look."), call("1", "pending", "Read a.ts"), call("1", "in_progress"), call("1", "completed"), call("1", "completed"), call("2", "failed", "npm  test\n--all"), says("Done.")).shown,
      "I look.\n\n✓ Read a.ts\n\n✗ npm test --all\n\nDone."));

  test("a title cannot be Markdown, or more than a line", () => {
    equal(play(call("1", "completed", "`rm` [a](b) <img> *x*\u202E")).shown, "✓ \\`rm\\` \\[a\\](b) \\<img\\> \\*x\\*⟨U+202E⟩");
    equal(play(call("1", "completed", "a".repeat(300))).shown, `✓ ${"a".repeat(200)}…`);
  });

  test("a call of a tool of VS Code's is no line, but what follows is a new paragraph", () =>
    equal(play(says("I look."), call("mcp__x", "pending", "x"), call("mcp__x", "completed"), says("Done.")).shown, "I look.\n\nDone."));

  test("thinking is thinking", () => equal(play({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "hm" } }, says("a")).shown, "(hm)a"));

  test("a plan is told when it changes", () =>
    equal(play(plan(["a", "pending"], ["b", "pending"]), plan(["a", "in_progress"], ["b", "pending"]), plan(["a", "completed"], ["b", "pending"]), plan()).shown, "- [ ] a\n- [ ] b\n\n- [x] a\n- [ ] b"));

  test("how full the window is, when it changes", () => {
    const used = (n: unknown) => ({ sessionUpdate: "usage_update", used: n, size: 200 });
    equal(play(used(10), used(10), used("x"), used(-1), used(20)).shown, '{{"prompt_tokens":10,"completion_tokens":0,"total_tokens":10}}{{"prompt_tokens":20,"completion_tokens":0,"total_tokens":20}}');
  });

  test("links and files are words, what cannot be shown is named", () =>
    equal(play(...[{ type: "resource_link", uri: "file:///a b>", name: "a]" }, { type: "resource", resource: { text: "T" } }, { type: "image", data: "" }, { type: "audio" }, { type: "new" }].map(content => ({ sessionUpdate: "agent_message_chunk", content }))).shown,
      "[a\\]](<file:///ab>)T(an image that cannot be shown here)(a sound that cannot be shown here)"));

  test("what is none of the chat's, or no update, is nothing", () =>
    equal(play(undefined, 7, {}, says("a"), { sessionUpdate: "user_message_chunk", content: { type: "text", text: "x" } }, { sessionUpdate: "current_mode_update" }, { sessionUpdate: "agent_message_chunk" }, { sessionUpdate: "plan", entries: 1 }).shown, "a"));

  test("sentences of ours are paragraphs; the next turn begins without one", () => {
    const { words } = play(says("a"));
    deepEqual(lineOf(words, "b")[1], [{ type: "text", value: "\n\nb" }]);
    deepEqual(wordsOfUpdate(nextTurn(words), says("c"), () => false)[1], [{ type: "text", value: "c" }]);
  });

  test("of calls that never end so many are kept", () => {
    const { words } = play(...Array.from({ length: 300 }, (_, i) => call(`${i}`, "pending", "t")));
    equal(words.titles.size, 200);
  });
});
