import { deepEqual, equal } from "node:assert/strict";
import type { ChatEvent, ToolCall } from "../../src/protocol/chat/chat";
import type { PageToHost } from "../../src/protocol/page/host-to-page";
import type { UiEvent, Page } from "./page-model";
import { openPage, saved, step } from "./page-state";
import { emptyPage, restored } from "./saved-page";

const ELIZA = { id: "elizacp", name: "Eliza" };
const call = (id: string, path: string, overrides: Partial<ToolCall> = {}): ChatEvent => ({
  type: "upsert",
  entry: {
    kind: "tool",
    id,
    toolCallId: id,
    title: "t",
    toolKind: "edit",
    status: "in_progress",
    content: [],
    locations: [{ path: "/w/other.ts" }, { path, line: 3 }],
    ...overrides,
  },
});

/** A page in follow mode with two live tabs, the first one selected. */
class Following {
  page: Page = openPage(emptyPage, 100, 0)[0];
  #seq = 0;
  constructor() {
    for (const tabId of ["u", "t"]) {
      this.do({ kind: "opened", tabId }, 0);
      this.do(
        {
          kind: "received",
          message: {
            type: "snapshot",
            tabId,
            bootId: "b",
            seq: 0,
            requestNumber: 999,
            conversation: { agent: ELIZA, cwd: "/w", entries: [], turn: { state: "idle" }, commands: [], controls: [] },
          },
        },
        0,
      );
    }
    this.do({ kind: "followToggled" }, 0);
  }
  do(event: UiEvent, now: number): readonly PageToHost[] {
    const [page, effects] = step(this.page, event, now);
    this.page = page;
    return effects.flatMap(effect =>
      effect.kind === "post" && effect.message.type === "openLink" ? [effect.message] : [],
    );
  }
  receive(event: ChatEvent, now: number, tabId = "t"): readonly PageToHost[] {
    return this.do(
      { kind: "received", message: { type: "event", tabId, bootId: "b", seq: tabId === "t" ? ++this.#seq : 1, event } },
      now,
    );
  }
}

const preview = (href: string): PageToHost => ({ type: "openLink", href, preview: true });

suite("follow mode", () => {
  test("previews the newest location of a starting tool call once", () => {
    const it = new Following();
    deepEqual(it.receive(call("1", "/w/a b#1.ts", { status: "pending" }), 0), []);
    deepEqual(it.receive(call("1", "/w/a b#1.ts"), 0), [preview("file:///w/a%20b%231.ts#L3")]);
    deepEqual(it.receive(call("1", "/w/a b#1.ts", { title: "again" }), 5_000), []);
    deepEqual(it.receive(call("1", "C:\\b.ts"), 10_000), [preview("file:///C%3A/b.ts#L3")]);
    deepEqual(it.receive(call("1", "/w/c.ts", { status: "completed" }), 20_000), []);
    deepEqual(it.receive(call("2", "/w/c.ts", { locations: [] }), 20_000), []);
  });

  test("previews at most one location per second, the newest", () => {
    const it = new Following();
    equal(it.receive(call("1", "/w/a.ts"), 0).length, 1);
    deepEqual(it.receive(call("2", "/w/b.ts"), 300), []);
    deepEqual(it.receive(call("3", "/w/c.ts"), 600), []);
    deepEqual(it.do({ kind: "ticked" }, 999), []);
    deepEqual(it.do({ kind: "ticked" }, 1_000), [preview("file:///w/c.ts#L3")]);
    deepEqual(it.do({ kind: "ticked" }, 5_000), []);
  });

  test("previews nothing while the user types", () => {
    const it = new Following();
    it.do({ kind: "typed", tabId: "t", text: "and" }, 0);
    deepEqual(it.receive(call("1", "/w/a.ts"), 100), []);
    it.do({ kind: "typed", tabId: "t", text: "and then" }, 2_000);
    deepEqual(it.do({ kind: "ticked" }, 4_999), []);
    deepEqual(it.do({ kind: "ticked" }, 5_000), [preview("file:///w/a.ts#L3")]);
  });

  test("ignores other tabs, and all tabs when disabled", () => {
    const it = new Following();
    deepEqual(it.receive(call("1", "/w/a.ts"), 0, "u"), []);
    it.receive(call("1", "/w/a.ts"), 0);
    it.receive(call("2", "/w/b.ts"), 100);
    it.do({ kind: "followToggled" }, 200);
    deepEqual([it.do({ kind: "ticked" }, 5_000), it.receive(call("3", "/w/c.ts"), 6_000)], [[], []]);
  });

  test("persists its state across reloads", () => {
    const it = new Following();
    equal(openPage(restored(JSON.parse(JSON.stringify(saved(it.page)))), 0, 0)[0].following, true);
    it.do({ kind: "followToggled" }, 0);
    equal(openPage(restored(JSON.parse(JSON.stringify(saved(it.page)))), 0, 0)[0].following, false);
  });
});
