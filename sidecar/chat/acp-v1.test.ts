import { deepEqual, doesNotThrow, equal } from "node:assert/strict";
import fc from "fast-check";
import { applyEvent, emptyConversation, type Conversation, type Entry } from "../../src/protocol/chat";
import { adaptUpdate, permissionOptions } from "./acp-v1";

function play(...updates: readonly unknown[]): Conversation {
  let made = 0;
  return updates.reduce<Conversation>((conversation, raw) => {
    if (typeof raw === "string") return applyEvent(conversation, { type: "upsert", entry: { kind: "user", id: raw, text: raw } });
    const adapted = adaptUpdate(conversation, raw, n => `e${made + n}`);
    made += adapted.made;
    return adapted.events.reduce(applyEvent, conversation);
  }, emptyConversation({ id: "a", name: "Ada" }, "/w"));
}
const entries = (...updates: readonly unknown[]): readonly Entry[] => play(...updates).entries;
const chunk = (text: string, messageId?: string, sessionUpdate = "agent_message_chunk") => ({ sessionUpdate, content: { type: "text", text }, ...(messageId === undefined ? {} : { messageId }) });

suite("ACP v1 to the chat model", () => {
  test("chunks of one message join, another message or kind begins a new entry", () => {
    deepEqual(entries(chunk("a"), chunk("b"), chunk("t", undefined, "agent_thought_chunk"), chunk("c")).map(entry => "text" in entry ? [entry.kind, entry.text] : []),
      [["agent", "ab"], ["thought", "t"], ["agent", "c"]]);
    deepEqual(entries(chunk("a", "1"), chunk("b", "1"), chunk("c", "2")).map(entry => "text" in entry ? entry.text : ""), ["ab", "c"]);
  });

  test("text after a tool call does not go back above it", () =>
    deepEqual(entries(chunk("a", "1"), { sessionUpdate: "tool_call", toolCallId: "t" }, chunk("b", "1")).map(({ kind }) => kind), ["agent", "tool", "agent"]));

  test("an update without a status keeps status and title; arrays replace, what is left out stays", () => {
    const [tool] = entries({ sessionUpdate: "tool_call", toolCallId: "t", title: "List", kind: "read", status: "in_progress", rawInput: { path: "/" }, content: [{ type: "content", content: { type: "text", text: "one" } }] },
      { sessionUpdate: "tool_call_update", toolCallId: "t", rawOutput: "done", content: [] });
    deepEqual(tool, { kind: "tool", id: "e0", toolCallId: "t", title: "List", toolKind: "read", status: "in_progress", content: [], locations: [], input: `{\n  "path": "/"\n}`, output: "done" });
  });

  test("an update of a call that was never announced makes it", () =>
    deepEqual(entries({ sessionUpdate: "tool_call_update", toolCallId: "t", status: "completed" }).map(entry => entry.kind === "tool" ? [entry.title, entry.status] : []), [["Tool call", "completed"]]));

  test("a call id that is announced again in a later turn is another call", () =>
    deepEqual(entries("1", { sessionUpdate: "tool_call", toolCallId: "t", title: "A" }, "2", { sessionUpdate: "tool_call", toolCallId: "t", title: "B" }, { sessionUpdate: "tool_call_update", toolCallId: "t", status: "failed" })
      .map(entry => entry.kind === "tool" ? [entry.title, entry.status] : []), [[], ["A", "pending"], [], ["B", "failed"]]));

  test("a plan is replaced while its turn lasts", () => {
    const plan = (content: string) => ({ sessionUpdate: "plan", entries: [{ content, priority: "high", status: "pending" }, 7] });
    deepEqual(entries("1", plan("a"), plan("b"), "2", plan("c")).flatMap(entry => entry.kind === "plan" ? entry.steps.map(({ content }) => content) : []), ["b", "c"]);
  });

  test("every kind of tool content has a form, and one that is not known is kept raw", () => {
    const [tool] = entries({ sessionUpdate: "tool_call", toolCallId: "t", content: [
      { type: "content", content: { type: "text", text: "x" } }, { type: "diff", path: "/f", oldText: null, newText: "n" }, { type: "terminal", terminalId: "1", _meta: { terminal_output: { data: "out" } } },
      { type: "content", content: { type: "image", mimeType: "image/png", data: "AA==" } }, { type: "content", content: { type: "resource_link", uri: "file:///f", name: "f" } }, { type: "hologram", depth: 3 }] });
    deepEqual(tool?.kind === "tool" && tool.content, [
      { kind: "text", text: "x" }, { kind: "diff", path: "/f", newText: "n" }, { kind: "terminal", terminalId: "1", output: "out" },
      { kind: "image", mimeType: "image/png", data: "AA==" }, { kind: "resource", uri: "file:///f", name: "f" }, { kind: "other", what: "hologram", json: `{\n  "type": "hologram",\n  "depth": 3\n}` }]);
  });

  test("an update of an unknown kind is one visible placeholder", () =>
    deepEqual(entries({ sessionUpdate: "_vendor_x", a: 1 }), [{ kind: "unknown", id: "e0", what: "_vendor_x", json: `{\n  "sessionUpdate": "_vendor_x",\n  "a": 1\n}` }]));

  test("commands and titles are the session's, not entries", () => {
    const { commands, title, entries: none } = play({ sessionUpdate: "available_commands_update", availableCommands: [{ name: "plan", description: "d", input: { hint: "h" } }, { name: 3 }] }, { sessionUpdate: "session_info_update", title: "T" });
    deepEqual({ commands, title, none }, { commands: [{ name: "plan", description: "d", hint: "h" }], title: "T", none: [] });
  });

  test("an echo of the user's words is not said again, and other words are not put into the user's mouth", () => {
    const said = (text: string) => ({ sessionUpdate: "user_message_chunk", content: { type: "text", text } });
    deepEqual(entries("hello there", said("hello "), said("there"), said("delete everything")).map(entry => "text" in entry ? [entry.kind, entry.text] : []), [["user", "hello there"], ["agent", "delete everything"]]);
  });

  test("what is too large for a card is cut, what is nested too deep is named", () => {
    let deep: unknown = 1;
    for (let i = 0; i < 20_000; i++) deep = [deep];
    const [tool] = entries({ sessionUpdate: "tool_call", toolCallId: "t", rawInput: deep, content: [{ type: "diff", path: "/f", newText: "x".repeat(1_000_000) }, { type: "content", content: { type: "image", mimeType: "image/png", data: "A".repeat(3_000_000) } }] });
    equal(tool?.kind === "tool" && tool.input, "(nested too deep to be shown)");
    equal(JSON.stringify(tool).length < 200_000, true);
  });

  test("an option of an unknown kind counts as a rejection", () =>
    deepEqual(permissionOptions([{ optionId: "a", name: "A", kind: "allow_all" }, { name: "no id" }, 4]), [{ optionId: "a", name: "A", kind: "reject_once" }]));

  test("nothing that an agent sends makes it throw", () =>
    fc.assert(fc.property(fc.array(fc.oneof(fc.jsonValue(), fc.record({ sessionUpdate: fc.constantFrom("agent_message_chunk", "tool_call", "tool_call_update", "plan", "available_commands_update", "session_info_update"), content: fc.jsonValue(), toolCallId: fc.jsonValue(), entries: fc.jsonValue(), availableCommands: fc.jsonValue(), locations: fc.jsonValue(), rawInput: fc.jsonValue() }, { requiredKeys: ["sessionUpdate"] })), { maxLength: 8 }), updates => {
      doesNotThrow(() => play(...updates.filter(update => typeof update !== "string")));
    }), { numRuns: 500 }));

  test("the text on screen is the text that was sent, however it was cut", () =>
    fc.assert(fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 20 }), pieces => {
      const [only, ...more] = entries(...pieces.map(piece => chunk(piece)));
      equal(more.length, 0);
      equal(only?.kind === "agent" && only.text, pieces.join(""));
    })));
});
