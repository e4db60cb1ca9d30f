import { deepEqual, doesNotThrow, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { applyEvent, emptyConversation, type Conversation, type Entry } from "../../../src/protocol/chat/chat";
import { adaptUpdateV2, subjectOf } from "./v2";

function adaptAll(...updates: readonly unknown[]): Conversation {
  let made = 0;
  return updates.reduce<Conversation>(
    (conversation, raw) => {
      if (typeof raw === "string")
        return applyEvent(conversation, { type: "upsert", entry: { kind: "user", id: raw, text: raw } });
      const adapted = adaptUpdateV2(conversation, raw, n => `e${made + n}`);
      made += adapted.made;
      return adapted.events.reduce(applyEvent, conversation);
    },
    emptyConversation({ id: "a", name: "Ada" }, "/w"),
  );
}
const entries = (...updates: readonly unknown[]): readonly Entry[] => adaptAll(...updates).entries;
const text = (words: string): object => ({ type: "text", text: words });
const chunk = (words: string, messageId = "m", sessionUpdate = "agent_message_chunk"): object => ({
  sessionUpdate,
  messageId,
  content: text(words),
});
const base64 = (words: string): string => Buffer.from(words).toString("base64");
const messages = (all: readonly Entry[]): unknown =>
  all.flatMap(entry => ("text" in entry ? [[entry.kind, entry.text]] : [[entry.kind]]));

suite("ACP v2 adapter", () => {
  test("replaces the chunks of a message by its complete form, at any position", () => {
    const whole = (content: unknown): object => ({ sessionUpdate: "agent_message", messageId: "m", content });
    deepEqual(
      messages(
        entries(
          chunk("a"),
          { sessionUpdate: "tool_call_update", toolCallId: "t" },
          chunk("b"),
          whole([text("new "), text("words")]),
        ),
      ),
      [["agent", "new words"], ["tool"], ["agent", ""]],
    );
    deepEqual(messages(entries(chunk("a"), { sessionUpdate: "agent_message", messageId: "m" })), [["agent", "a"]]);
    deepEqual(messages(entries(chunk("a"), whole(null))), [["agent", ""]]);
    deepEqual(messages(entries(whole([text("hi"), { type: "image", mimeType: "image/png", data: "AA==" }]))), [
      ["agent", "hi"],
      ["media"],
    ]);
    deepEqual(
      messages(
        entries(chunk("x", "1", "agent_thought_chunk"), {
          sessionUpdate: "agent_thought",
          messageId: "1",
          content: [text("y")],
        }),
      ),
      [["thought", "y"]],
    );
  });

  test("drops an echo of the prompt", () =>
    deepEqual(
      messages(
        entries(
          "hello",
          { sessionUpdate: "user_message", messageId: "u", content: [text("hello")] },
          { sessionUpdate: "user_message_chunk", messageId: "u", content: text("hello") },
        ),
      ),
      [["user", "hello"]],
    ));

  test("patches a call: null clears, chunks append, a pause waits, a diff shows its patch", () => {
    const [tool] = entries(
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "t",
        title: "Edit",
        kind: "edit",
        status: "paused",
        content: [{ type: "content", content: text("one") }],
        locations: [{ path: "/f" }],
      },
      {
        sessionUpdate: "tool_call_content_chunk",
        toolCallId: "t",
        content: {
          type: "diff",
          changes: [{ operation: "modify", path: "/f" }],
          patch: { format: "git_patch", text: "-a\n+```b" },
        },
      },
      {
        sessionUpdate: "tool_call_content_chunk",
        toolCallId: "t",
        content: { type: "diff", changes: [{ operation: "move", oldPath: "/f", path: "/g" }] },
      },
      { sessionUpdate: "tool_call_update", toolCallId: "t", locations: null },
    );
    deepEqual(
      tool?.kind === "tool" && [
        tool.title,
        tool.status,
        tool.locations,
        tool.content.map(content => (content.kind === "text" ? content.text : content.kind)),
      ],
      ["Edit", "pending", [], ["one", "````diff\n-a\n+```b\n````", "```\nmove /f → /g\n```"]],
    );
    deepEqual(
      entries(
        { sessionUpdate: "tool_call_update", toolCallId: "t", content: [{ type: "content", content: text("one") }] },
        { sessionUpdate: "tool_call_update", toolCallId: "t", content: null },
      ).map(entry => entry.kind === "tool" && entry.content),
      [[]],
    );
  });

  test("shows terminal output at its mention, before or after, or separately without one", () => {
    const mention = {
      sessionUpdate: "tool_call_update",
      toolCallId: "t",
      content: [{ type: "terminal", terminalId: "1" }],
    };
    const shown = (...updates: readonly unknown[]): unknown =>
      entries(...updates).flatMap(entry =>
        entry.kind === "tool"
          ? [
              [
                entry.title,
                entry.status,
                entry.content.map(content => (content.kind === "terminal" ? content.output : "")),
              ],
            ]
          : [],
      );
    deepEqual(
      shown(
        mention,
        { sessionUpdate: "terminal_output_chunk", terminalId: "1", data: base64("a") },
        { sessionUpdate: "terminal_output_chunk", terminalId: "1", data: base64("b") },
      ),
      [["Tool call", "pending", ["ab"]]],
    );
    deepEqual(
      shown(
        { sessionUpdate: "terminal_update", terminalId: "1", command: "ls", output: { data: base64("x") } },
        { sessionUpdate: "terminal_update", terminalId: "1", exitStatus: { exitCode: 0 } },
      ),
      [["ls", "completed", ["x"]]],
    );
    deepEqual(
      shown(
        { sessionUpdate: "terminal_update", terminalId: "1", command: "ls", output: { data: base64("x") } },
        mention,
      ),
      [
        ["ls", "in_progress", ["x"]],
        ["Tool call", "pending", ["x"]],
      ],
    );
    deepEqual(
      shown(
        { sessionUpdate: "terminal_update", terminalId: "1", exitStatus: { exitCode: 2 } },
        { sessionUpdate: "terminal_update", terminalId: "1", output: null },
      ),
      [["Terminal", "failed", [""]]],
    );
  });

  test("identifies a plan by its id and keeps an unknown kind raw", () => {
    const plan = (planId: string, content: string): object => ({
      sessionUpdate: "plan_update",
      plan: { type: "items", planId, entries: [{ content, status: "pending", priority: "low" }] },
    });
    deepEqual(
      entries(plan("1", "a"), plan("2", "b"), plan("1", "c"), {
        sessionUpdate: "plan_update",
        plan: { type: "_mind_map", planId: "3" },
      }).map(entry => (entry.kind === "plan" ? entry.steps.map(({ content }) => content).join() : entry.kind)),
      ["c", "b", "unknown"],
    );
  });

  test("shows no entry for a state update and shows v1 updates as in v1", () => {
    deepEqual(
      entries(
        { sessionUpdate: "state_update", state: "running" },
        { sessionUpdate: "notice", severity: "error", title: "x" },
      ).map(({ kind }) => kind),
      ["notice"],
    );
    deepEqual(
      adaptAll({
        sessionUpdate: "config_option_update",
        configOptions: [{ configId: "a", name: "A", type: "boolean", currentValue: true }],
      }).controls.map(({ id }) => id),
      ["a"],
    );
  });

  test("reads the subject of a permission: a call, a command or a title", () => {
    deepEqual(
      subjectOf({
        title: "May I?",
        description: "why",
        subject: { type: "command", command: "rm x", cwd: "/w", toolCallId: "t" },
      }),
      {
        toolCall: { kind: "execute", title: "rm x", rawInput: { command: "rm x", cwd: "/w" }, toolCallId: "t" },
        title: "May I?",
        description: "why",
      },
    );
    deepEqual(
      subjectOf({ title: "May I?", subject: { type: "tool_call", toolCall: { toolCallId: "t", status: "paused" } } }),
      { toolCall: { toolCallId: "t", status: "pending" }, title: "May I?" },
    );
    deepEqual(subjectOf({ title: "May I?" }), { toolCall: { title: "May I?" }, title: "May I?" });
    deepEqual(subjectOf({ title: "May I?", subject: { type: "_odd", x: 1 } }), {
      toolCall: { title: "May I?", rawInput: { type: "_odd", x: 1 } },
      title: "May I?",
    });
  });

  test("shows a patch with backticks inside a longer fence", () => {
    const [tool] = entries({
      sessionUpdate: "tool_call_update",
      toolCallId: "t",
      content: [{ type: "diff", changes: [], patch: { text: "` ```` ".repeat(200_000) } }],
    });
    ok(
      tool?.kind === "tool" && tool.content[0]?.kind === "text" && tool.content[0].text.startsWith("`````diff\n` ````"),
    );
  });

  test("never throws for any agent input", () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.record(
            {
              sessionUpdate: fc.constantFrom(
                "agent_message",
                "agent_message_chunk",
                "user_message",
                "tool_call_update",
                "tool_call_content_chunk",
                "terminal_update",
                "terminal_output_chunk",
                "plan_update",
                "plan_removed",
                "session_message",
                "session_message_chunk",
                "state_update",
                "x",
              ),
              content: fc.jsonValue(),
              messageId: fc.jsonValue(),
              toolCallId: fc.jsonValue(),
              terminalId: fc.jsonValue(),
              output: fc.jsonValue(),
              exitStatus: fc.jsonValue(),
              data: fc.jsonValue(),
              plan: fc.jsonValue(),
            },
            { requiredKeys: ["sessionUpdate"] },
          ),
          { maxLength: 8 },
        ),
        updates => {
          doesNotThrow(() => adaptAll(...updates));
        },
      ),
      { numRuns: 500 },
    ));

  test("shows the sent text for any chunks", () =>
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 20 }), pieces => {
        const [only, ...more] = entries(...pieces.map(piece => chunk(piece)));
        equal(more.length, 0);
        equal(only?.kind === "agent" && only.text, pieces.join(""));
      }),
    ));
});
