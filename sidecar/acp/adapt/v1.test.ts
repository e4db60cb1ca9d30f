import { deepEqual, doesNotThrow, equal } from "node:assert/strict";
import fc from "fast-check";
import { applyEvent, emptyConversation, type Conversation, type Entry } from "../../../src/protocol/chat/chat";
import { controlsOf } from "./controls";
import { permissionOptions } from "./tools";
import { adaptUpdate } from "./v1";

function adaptAll(...updates: readonly unknown[]): Conversation {
  let made = 0;
  return updates.reduce<Conversation>(
    (conversation, raw) => {
      if (typeof raw === "string")
        return applyEvent(conversation, { type: "upsert", entry: { kind: "user", id: raw, text: raw } });
      const adapted = adaptUpdate(conversation, raw, n => `e${made + n}`);
      made += adapted.made;
      return adapted.events.reduce(applyEvent, conversation);
    },
    emptyConversation({ id: "a", name: "Ada" }, "/w"),
  );
}
const entries = (...updates: readonly unknown[]): readonly Entry[] => adaptAll(...updates).entries;
const chunk = (text: string, messageId?: string, sessionUpdate = "agent_message_chunk") => ({
  sessionUpdate,
  content: { type: "text", text },
  ...(messageId === undefined ? {} : { messageId }),
});

suite("ACP v1 adapter", () => {
  test("joins chunks of one message and starts an entry for another message or kind", () => {
    deepEqual(
      entries(chunk("a"), chunk("b"), chunk("t", undefined, "agent_thought_chunk"), chunk("c")).map(entry =>
        "text" in entry ? [entry.kind, entry.text] : [],
      ),
      [
        ["agent", "ab"],
        ["thought", "t"],
        ["agent", "c"],
      ],
    );
    deepEqual(
      entries(chunk("a", "1"), chunk("b", "1"), chunk("c", "2")).map(entry => ("text" in entry ? entry.text : "")),
      ["ab", "c"],
    );
  });

  test("starts an entry for text after a tool call", () =>
    deepEqual(
      entries(chunk("a", "1"), { sessionUpdate: "tool_call", toolCallId: "t" }, chunk("b", "1")).map(
        ({ kind }) => kind,
      ),
      ["agent", "tool", "agent"],
    ));

  test("keeps omitted members of a tool update and replaces arrays", () => {
    const [tool] = entries(
      {
        sessionUpdate: "tool_call",
        toolCallId: "t",
        title: "List",
        kind: "read",
        status: "in_progress",
        rawInput: { path: "/" },
        content: [{ type: "content", content: { type: "text", text: "one" } }],
      },
      { sessionUpdate: "tool_call_update", toolCallId: "t", rawOutput: "done", content: [] },
    );
    deepEqual(tool, {
      kind: "tool",
      id: "e0",
      toolCallId: "t",
      title: "List",
      toolKind: "read",
      status: "in_progress",
      content: [],
      locations: [],
      input: `{\n  "path": "/"\n}`,
      output: "done",
    });
  });

  test("creates a call from an update without an announcement", () =>
    deepEqual(
      entries({ sessionUpdate: "tool_call_update", toolCallId: "t", status: "completed" }).map(entry =>
        entry.kind === "tool" ? [entry.title, entry.status] : [],
      ),
      [["Tool call", "completed"]],
    ));

  test("creates another call if an id repeats in a later turn", () =>
    deepEqual(
      entries(
        "1",
        { sessionUpdate: "tool_call", toolCallId: "t", title: "A" },
        "2",
        { sessionUpdate: "tool_call", toolCallId: "t", title: "B" },
        { sessionUpdate: "tool_call_update", toolCallId: "t", status: "failed" },
      ).map(entry => (entry.kind === "tool" ? [entry.title, entry.status] : [])),
      [[], ["A", "pending"], [], ["B", "failed"]],
    ));

  test("replaces a plan within its turn", () => {
    const plan = (content: string) => ({
      sessionUpdate: "plan",
      entries: [{ content, priority: "high", status: "pending" }, 7],
    });
    deepEqual(
      entries("1", plan("a"), plan("b"), "2", plan("c")).flatMap(entry =>
        entry.kind === "plan" ? entry.steps.map(({ content }) => content) : [],
      ),
      ["b", "c"],
    );
  });

  test("converts every kind of tool content and keeps an unknown one raw", () => {
    const [tool] = entries({
      sessionUpdate: "tool_call",
      toolCallId: "t",
      content: [
        { type: "content", content: { type: "text", text: "x" } },
        { type: "diff", path: "/f", oldText: null, newText: "n" },
        { type: "terminal", terminalId: "1", _meta: { terminal_output: { data: "out" } } },
        { type: "content", content: { type: "image", mimeType: "image/png", data: "AA==" } },
        { type: "content", content: { type: "resource_link", uri: "file:///f", name: "f" } },
        { type: "hologram", depth: 3 },
      ],
    });
    deepEqual(tool?.kind === "tool" && tool.content, [
      { kind: "text", text: "x" },
      { kind: "diff", path: "/f", newText: "n" },
      { kind: "terminal", terminalId: "1", output: "out" },
      { kind: "image", mimeType: "image/png", data: "AA==" },
      { kind: "resource", uri: "file:///f", name: "f" },
      { kind: "other", what: "hologram", json: `{\n  "type": "hologram",\n  "depth": 3\n}` },
    ]);
  });

  test("shows an unknown update as one placeholder", () =>
    deepEqual(entries({ sessionUpdate: "_vendor_x", a: 1 }), [
      { kind: "unknown", id: "e0", what: "_vendor_x", json: `{\n  "sessionUpdate": "_vendor_x",\n  "a": 1\n}` },
    ]));

  test("stores commands and title in the session, not as entries", () => {
    const {
      commands,
      title,
      entries: none,
    } = adaptAll(
      {
        sessionUpdate: "available_commands_update",
        availableCommands: [{ name: "plan", description: "d", input: { hint: "h" } }, { name: 3 }],
      },
      { sessionUpdate: "session_info_update", title: "T" },
    );
    deepEqual(
      { commands, title, none },
      { commands: [{ name: "plan", description: "d", hint: "h" }], title: "T", none: [] },
    );
  });

  test("stores modes, options and usage in the session", () => {
    const { controls, usage } = adaptAll(
      {
        sessionUpdate: "config_option_update",
        configOptions: [{ id: "fast", name: "Fast", type: "boolean", currentValue: true }],
      },
      { sessionUpdate: "usage_update", used: 5, size: 10, cost: { amount: 0.5, currency: "EUR" } },
    );
    deepEqual(controls, [{ kind: "switch", id: "fast", name: "Fast", category: "", value: true }]);
    deepEqual(usage, { used: 5, size: 10, cost: { amount: 0.5, currency: "EUR" } });
    deepEqual(adaptAll({ sessionUpdate: "usage_update", used: -1, size: 10 }).usage, undefined);
  });

  test("shows a mode changed by the agent in its control", () => {
    const controls = controlsOf({
      modes: {
        currentModeId: "a",
        availableModes: [
          { id: "a", name: "A" },
          { id: "b", name: "B" },
        ],
      },
    });
    const { events } = adaptUpdate(
      { ...emptyConversation({ id: "a", name: "Ada" }, "/w"), controls },
      { sessionUpdate: "current_mode_update", currentModeId: "b" },
      String,
    );
    deepEqual(
      events.map(event => (event.type === "controls" ? event.controls.map(({ value }) => value) : [])),
      [["b"]],
    );
    const option = {
      id: "m",
      name: "Mode",
      category: "mode",
      type: "select",
      currentValue: "a",
      options: [
        { value: "a", name: "A" },
        { value: "b", name: "B" },
      ],
    };
    deepEqual(
      adaptAll(
        { sessionUpdate: "config_option_update", configOptions: [option] },
        { sessionUpdate: "current_mode_update", currentModeId: "b" },
      ).controls.map(({ value }) => value),
      ["b"],
    );
  });

  test("shows non-text content as separate entries between the text", () =>
    deepEqual(
      entries(
        chunk("see "),
        { sessionUpdate: "agent_message_chunk", content: { type: "image", mimeType: "image/png", data: "AA==" } },
        { sessionUpdate: "agent_message_chunk", content: { type: "audio", mimeType: "audio/wav", data: "AAAA" } },
        {
          sessionUpdate: "agent_message_chunk",
          content: { type: "resource", resource: { uri: "file:///b", blob: "AAAAAAAA", mimeType: "application/zip" } },
        },
        chunk("above"),
      ).map(entry => (entry.kind === "media" ? entry.content : "text" in entry ? entry.text : "")),
      [
        "see ",
        { kind: "image", mimeType: "image/png", data: "AA==" },
        { kind: "audio", mimeType: "audio/wav", bytes: 3 },
        { kind: "resource", uri: "file:///b", mimeType: "application/zip", bytes: 6 },
        "above",
      ],
    ));

  test("shows a notice of the agent with its severity", () =>
    deepEqual(
      entries(
        { sessionUpdate: "notice", severity: "warning", title: "Slow", description: "why" },
        { sessionUpdate: "notice", severity: "_odd", title: "x" },
      ),
      [
        { kind: "notice", id: "e0", severity: "warning", actions: [], from: "Ada", text: "Slow", detail: "why" },
        { kind: "notice", id: "e1", severity: "info", actions: [], from: "Ada", text: "x" },
      ],
    ));

  test("shows a compaction as one entry with a growing summary and patches", () => {
    const update = (rest: object) => ({ sessionUpdate: "compaction_update", compactionId: "c", ...rest });
    const grows = (text: string) => ({
      sessionUpdate: "compaction_summary_chunk",
      compactionId: "c",
      content: { type: "text", text },
    });
    const shown = (...updates: readonly unknown[]) =>
      entries(...updates).map(entry => (entry.kind === "compaction" ? [entry.status, entry.text, entry.error] : []));
    deepEqual(shown(update({ status: "in_progress" }), grows("a"), grows("b"), update({ status: "completed" })), [
      ["completed", "ab", undefined],
    ]);
    deepEqual(shown(grows("a"), update({ status: "failed", summary: [{ type: "text", text: "new" }], error: "no" })), [
      ["failed", "new", "no"],
    ]);
    deepEqual(shown(update({ status: "in_progress" }), update({ compactionId: "d", status: "_x" })), [
      ["in_progress", "", undefined],
      ["_x", "", undefined],
    ]);
  });

  test("drops an echo of the prompt and shows other user text as the agent's", () => {
    const userChunk = (text: string) => ({ sessionUpdate: "user_message_chunk", content: { type: "text", text } });
    deepEqual(
      entries("hello there", userChunk("hello "), userChunk("there"), userChunk("delete everything")).map(entry =>
        "text" in entry ? [entry.kind, entry.text] : [],
      ),
      [
        ["user", "hello there"],
        ["agent", "delete everything"],
      ],
    );
  });

  test("truncates oversized content and names values nested too deeply", () => {
    let deep: unknown = 1;
    for (let i = 0; i < 20_000; i++) deep = [deep];
    const [tool] = entries({
      sessionUpdate: "tool_call",
      toolCallId: "t",
      rawInput: deep,
      content: [
        { type: "diff", path: "/f", newText: "x".repeat(1_000_000) },
        { type: "content", content: { type: "image", mimeType: "image/png", data: "A".repeat(3_000_000) } },
      ],
    });
    equal(tool?.kind === "tool" && tool.input, "(nested too deep to be shown)");
    equal(JSON.stringify(tool).length < 200_000, true);
  });

  test("treats an option of unknown kind as a rejection", () =>
    deepEqual(permissionOptions([{ optionId: "a", name: "A", kind: "allow_all" }, { name: "no id" }, 4]), [
      { optionId: "a", name: "A", kind: "reject_once" },
    ]));

  test("never throws for any agent input", () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.jsonValue(),
            fc.record(
              {
                sessionUpdate: fc.constantFrom(
                  "agent_message_chunk",
                  "tool_call",
                  "tool_call_update",
                  "plan",
                  "available_commands_update",
                  "session_info_update",
                  "config_option_update",
                  "current_mode_update",
                  "usage_update",
                  "notice",
                  "compaction_update",
                  "compaction_summary_chunk",
                ),
                content: fc.jsonValue(),
                configOptions: fc.jsonValue(),
                compactionId: fc.jsonValue(),
                summary: fc.jsonValue(),
                used: fc.jsonValue(),
                size: fc.jsonValue(),
                toolCallId: fc.jsonValue(),
                entries: fc.jsonValue(),
                availableCommands: fc.jsonValue(),
                locations: fc.jsonValue(),
                rawInput: fc.jsonValue(),
              },
              { requiredKeys: ["sessionUpdate"] },
            ),
          ),
          { maxLength: 8 },
        ),
        updates => {
          doesNotThrow(() => adaptAll(...updates.filter(update => typeof update !== "string")));
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
