import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { emptyConversation, type Entry } from "../src/protocol/chat";
import { emptyPage, newest, restored, type SavedPage } from "./saved-page";
import { isHostToPage } from "./shape";

const entry = fc.oneof(
  fc.record({ kind: fc.constantFrom("user" as const, "agent" as const, "thought" as const), id: fc.uuid(), text: fc.string({ maxLength: 3_000 }) }),
  fc.record({ kind: fc.constant("tool" as const), id: fc.uuid(), toolCallId: fc.uuid(), title: fc.string(), toolKind: fc.constant("read"), status: fc.constant("completed" as const), content: fc.constant([]), locations: fc.constant([]), input: fc.string({ maxLength: 5_000 }) }),
);

suite("saved page", () => {
  test("it keeps the newest entries, within the limit, and says when it left some out", () =>
    fc.assert(fc.property(fc.array(entry, { maxLength: 12 }), entries => {
      const kept = newest(entries, 4_000);
      ok(JSON.stringify(kept).length <= 4_400);
      if (entries.length > 0) equal(kept.at(-1)?.id, entries.at(-1)?.id);
      if (kept === entries) return;
      equal(kept[0]?.kind, "notice");
      equal(newest(kept, 10_000), kept);
    }), { numRuns: 200 }));

  test("saving again does not say twice that something was left out", () => {
    const texts = (n: number): Entry[] => Array.from({ length: n }, (_, i) => ({ kind: "user", id: `u${i}`, text: "x".repeat(100) }));
    const kept = newest(newest(texts(20), 1_500), 500);
    equal(kept.filter(({ kind }) => kind === "notice").length, 1);
  });

  test("whatever else was saved, by another version or by nobody, is an empty page", () => {
    for (const state of [undefined, null, 7, "x", [], {}, { version: 2, asked: 0, selected: "", tabs: [] }, { version: 1, asked: "0", selected: "", tabs: [] }]) deepEqual(restored(state), emptyPage);
  });

  test("a tab that is not whole is left out, the others stay", () => {
    const tab = { tabId: "t", bootId: "", agent: { id: "e", name: "E" }, cwd: "/", title: "", entries: [], drafts: { text: "half", onTheWay: [] } };
    const page: SavedPage = { version: 1, asked: 3, selected: "t", tabs: [tab] };
    deepEqual(restored(JSON.parse(JSON.stringify({ ...page, tabs: [{ ...tab, drafts: 3 }, { ...tab, entries: [{ kind: "hologram", id: "x" }] }, tab] }))), page);
  });
});

suite("shape of what the host says", () => {
  const conversation = { ...emptyConversation({ id: "e", name: "E" }, "/"), entries: [{ kind: "user", id: "u", text: "hi" }] };
  const good = [
    { type: "askAgain" }, { type: "openTab" }, { type: "failed", tabId: "t", message: "No." },
    { type: "state", agents: [{ id: "e", name: "E" }], currentAgentId: "e", tabs: ["t"], sidecar: { state: "failed", message: "No.", actions: ["showLogs"] } },
    { type: "snapshot", tabId: "t", bootId: "b", seq: 0, conversation },
    { type: "event", tabId: "t", bootId: "b", seq: 1, event: { type: "append", id: "a", offset: 0, text: "x" } },
    { type: "event", tabId: "t", bootId: "b", seq: 1, event: { type: "upsert", entry: { kind: "plan", id: "p", steps: [] } } },
  ];
  test("messages of the contract pass", () => { for (const message of good) ok(isHostToPage(message), JSON.stringify(message)); });

  test("anything else is refused", () => {
    const bad = [
      undefined, "askAgain", { type: "toString" }, { type: "hologram" }, { type: "failed", tabId: "t" }, { type: "event", tabId: "t", bootId: "b", seq: 1.5, event: { type: "title", title: "x" } },
      { type: "event", tabId: "t", bootId: "b", seq: 1, event: { type: "upsert", entry: { kind: "__proto__", id: "p" } } },
      { type: "snapshot", tabId: "t", bootId: "b", seq: 0, conversation: { ...conversation, entries: [{ kind: "agent", id: "a" }] } },
      { type: "state", agents: [], currentAgentId: "e", tabs: [], sidecar: { state: "restarting" } },
    ];
    for (const message of bad) ok(!isHostToPage(message), JSON.stringify(message));
  });
});
