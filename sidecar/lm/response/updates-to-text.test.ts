import { deepEqual, equal } from "node:assert/strict";
import type { JsonObject } from "../../rpc/json";
import {
  contextSizeOf,
  lineOf,
  nextTurn,
  NO_TEXT,
  partsOfUsage,
  partsOfUpdate,
  type TextState,
} from "./updates-to-text";

const messageChunk = (text: string, messageId?: string) => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
  ...(messageId === undefined ? {} : { messageId }),
});
const call = (toolCallId: string, status: string, title?: string) => ({
  sessionUpdate: title === undefined ? "tool_call_update" : "tool_call",
  toolCallId,
  status,
  ...(title === undefined ? {} : { title }),
});
const plan = (...entries: readonly (readonly [content: string, status: string])[]) => ({
  sessionUpdate: "plan",
  entries: entries.map(([content, status]) => ({ content, status })),
});

function play(...updates: readonly unknown[]): { readonly state: TextState; readonly shown: string } {
  let state = NO_TEXT,
    shown = "";
  for (const update of updates) {
    const [next, parts] = partsOfUpdate(state, update, ({ toolCallId }) =>
      String(toolCallId).startsWith("mcp__") ? "bridged" : String(toolCallId).startsWith("may__") ? "claimed" : "own",
    );
    state = next;
    shown += parts
      .map(part =>
        part.type === "text"
          ? part.value
          : part.type === "thinking"
            ? `(${part.value})`
            : part.type === "data"
              ? `{${Buffer.from(part.data, "base64").toString()}}`
              : part.type,
      )
      .join("");
  }
  return { state, shown };
}

suite("updates as text", () => {
  test("joins the chunks of a message and starts a paragraph for another message", () => {
    equal(
      play(messageChunk("Hel", "a"), messageChunk("lo", "a"), messageChunk("World", "b"), messageChunk("!")).shown,
      "Hello\n\nWorld!",
    );
    equal(play(messageChunk(""), messageChunk("a")).shown, "a");
  });

  test("shows the agent's own call once at its start and once at its end", () => {
    equal(
      play(
        messageChunk("I look."),
        call("1", "pending", "Read a.ts"),
        call("1", "in_progress"),
        call("1", "completed"),
        call("1", "completed"),
        call("2", "failed", "npm  test\n--all"),
        messageChunk("Done."),
      ).shown,
      "I look.\n\n▸ Read a.ts ✓\n\n✗ npm test --all\n\nDone.",
    );
    equal(
      play(
        call("1", "pending", "One"),
        call("2", "pending", "Two"),
        call("1", "completed"),
        messageChunk("So."),
        call("2", "failed"),
      ).shown,
      "▸ One \n\n▸ Two \n\n✓ One\n\nSo.\n\n✗ Two",
    );
    equal(
      play(call("1", "pending", "Terminal"), { ...call("1", "completed"), title: "npm test" }).shown,
      "▸ Terminal \n\n✓ npm test",
      "a later title",
    );
  });

  test("shows the output of a running call as thinking, and the end of its result", () => {
    const output = (text: string, status = "in_progress") => ({
      ...call("1", status),
      content: [{ type: "content", content: { type: "text", text } }],
    });
    const started = { ...call("1", "pending", "npm test"), kind: "execute" };
    equal(
      play(started, output("one\n"), output("one\ntwo\n"), output("one\ntwo\n"), call("1", "completed")).shown,
      "▸ npm test (\n\nnpm test\none\n)(two\n)\n\n✓ npm test\n\n```\none\ntwo\n```",
    );
    equal(play(started, output("```console\nall good\n```", "completed")).shown, "▸ npm test ✓\n\n```\nall good\n```");
    const { shown } = play(started, output(Array.from({ length: 100 }, (_, i) => `line ${i}`).join("\n"), "failed"));
    equal(shown.startsWith("▸ npm test ✗\n\n```\n…\nline 90\n") && shown.endsWith("line 99\n```"), true, shown);
  });

  test("shows files and changed lines of an edit, and the text of a read only on failure", () => {
    const edit = {
      ...call("1", "completed"),
      content: [
        { type: "diff", path: "/w/a.ts", oldText: "a\nb\nc", newText: "a\nx\ny\nc" },
        { type: "diff", path: "/w/b.ts", newText: "n" },
      ],
    };
    equal(
      play({ ...call("1", "pending", "Edit"), kind: "edit" }, edit).shown,
      "▸ Edit ✓\n\n- `/w/a.ts` +2 −1\n- `/w/b.ts` +1 −0",
    );
    const read = (status: string) => ({
      ...call("1", status, "Read"),
      kind: "read",
      content: [{ type: "content", content: { type: "text", text: "secret" } }],
    });
    deepEqual([play(read("completed")).shown, play(read("failed")).shown], ["✓ Read", "✗ Read\n\n```\nsecret\n```"]);
  });

  test("limits the output of a turn and shows the line of every call", () => {
    const long = Array.from({ length: 100 }, (_, i) => [
      { ...call(`${i}`, "in_progress", "t"), kind: "execute", rawOutput: "x".repeat(100_000) },
      { ...call(`${i}`, "completed"), rawOutput: "y".repeat(100_000) },
    ]).flat();
    const { shown } = play(...long);
    equal(shown.length < 30_000, true, String(shown.length));
    equal(shown.match(/✓/g)?.length, 100);
  });

  test("escapes Markdown in a title and limits it to one line", () => {
    equal(
      play(call("1", "completed", "`rm` [a](b) <img> *x*\u202E")).shown,
      "✓ &#96;rm&#96; \\[a\\](b) \\<img\\> \\*x\\*⟦U+202E⟧",
    );
    equal(
      play(call("1", "pending", "cp $A/x $B/x")).shown,
      "▸ cp &#36;A/x &#36;B/x ",
      "no formula, and nothing that holds text back",
    );
    equal(play(call("1", "completed", "a".repeat(300))).shown, `✓ ${"a".repeat(200)}…`);
  });

  test("shows no line for a call of a VS Code tool and starts a paragraph after it", () =>
    equal(
      play(messageChunk("I look."), call("mcp__x", "pending", "x"), call("mcp__x", "completed"), messageChunk("Done."))
        .shown,
      "I look.\n\nDone.",
    ));

  test("shows a call that only mentions a VS Code tool when it ends without a call of that tool", () =>
    equal(
      play(call("may__x", "pending", "x"), call("may__x", "in_progress"), call("may__x", "completed")).shown,
      "✓ x",
    ));

  test("sends thoughts as thinking parts", () =>
    equal(
      play({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "hm" } }, messageChunk("a")).shown,
      "(hm)a",
    ));

  test("shows a plan when it changes", () =>
    equal(
      play(
        plan(["a", "pending"], ["b", "pending"]),
        plan(["a", "in_progress"], ["b", "pending"]),
        plan(["a", "completed"], ["b", "pending"]),
        plan(),
      ).shown,
      "- [ ] a\n- [ ] b\n\n- [x] a\n- [ ] b",
    ));

  test("sends the context usage when it changes", () => {
    const used = (n: unknown) => ({ sessionUpdate: "usage_update", used: n, size: 200 });
    equal(
      play(used(10), used(10), used("x"), used(-1), used(20)).shown,
      '{{"prompt_tokens":10,"completion_tokens":0,"total_tokens":10}}{{"prompt_tokens":20,"completion_tokens":0,"total_tokens":20}}',
    );
  });

  test("counts the usage of a prompt result and prefers the context usage of an update", () => {
    const shown = (state: TextState, usage: JsonObject) =>
      partsOfUsage(state, usage)[1].map(part =>
        part.type === "data" ? Buffer.from(part.data, "base64").toString() : "",
      );
    const usage = {
      totalTokens: 160,
      inputTokens: 100,
      outputTokens: 20,
      cachedReadTokens: 30,
      thoughtTokens: 10,
      cachedWriteTokens: null,
    };
    deepEqual(shown(NO_TEXT, usage), ['{"prompt_tokens":130,"completion_tokens":30,"total_tokens":160}']);
    deepEqual(shown(play({ sessionUpdate: "usage_update", used: 50, size: 200 }).state, usage), [
      '{"prompt_tokens":50,"completion_tokens":30,"total_tokens":80}',
    ]);
    deepEqual([shown(NO_TEXT, {}), shown(NO_TEXT, { inputTokens: "7", outputTokens: -1 })], [[], []]);
    deepEqual(
      [200, 0, -1, "x", undefined].map(size => contextSizeOf({ sessionUpdate: "usage_update", used: 1, size })),
      [200, undefined, undefined, undefined, undefined],
    );
  });

  test("shows links and files as text and names content that cannot be shown", () =>
    equal(
      play(
        ...[
          { type: "resource_link", uri: "file:///a b>", name: "a]" },
          { type: "resource", resource: { text: "T" } },
          { type: "image", data: "" },
          { type: "audio" },
          { type: "new" },
        ].map(content => ({ sessionUpdate: "agent_message_chunk", content })),
      ).shown,
      "[a\\]](<file:///ab>)T(an image that cannot be shown here)(a sound that cannot be shown here)",
    ));

  test("ignores invalid updates and updates without content for the chat", () =>
    equal(
      play(
        undefined,
        7,
        {},
        messageChunk("a"),
        { sessionUpdate: "user_message_chunk", content: { type: "text", text: "x" } },
        { sessionUpdate: "current_mode_update" },
        { sessionUpdate: "agent_message_chunk" },
        { sessionUpdate: "plan", entries: 1 },
      ).shown,
      "a",
    ));

  test("adds notices as paragraphs and starts the next turn without one", () => {
    const { state } = play(messageChunk("a"));
    deepEqual(lineOf(state, "b")[1], [{ type: "text", value: "\n\nb" }]);
    deepEqual(partsOfUpdate(nextTurn(state), messageChunk("c"), () => "own")[1], [{ type: "text", value: "c" }]);
  });

  test("keeps at most 200 calls that never end", () => {
    const { state } = play(...Array.from({ length: 300 }, (_, i) => call(`${i}`, "pending", "t")));
    equal(state.calls.size, 200);
  });
});
