import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { emptyConversation, type ChatEvent, type Conversation, type Entry } from "../../src/protocol/chat/chat";
import type { HostToPage, PageToHost } from "../../src/protocol/page/host-to-page";
import { FIND_RETRY_MS, REFRESH_MS, REVEAL_TIMEOUT_MS } from "./find";
import type { Effect, Page, Tab, UiEvent } from "./page-model";
import { openPage, step } from "./page-state";
import { emptyPage } from "./saved-page";

const ELIZA = { id: "elizacp", name: "Eliza" };
const entry = (id: string): Entry => ({ kind: "agent", id, text: id });
const entries = (...ids: readonly string[]): readonly Entry[] => ids.map(entry);
const omitted = (count: number) => ({ count, promptIds: [] });

/** A page that is told its time. */
class Chat {
  page: Page = openPage(emptyPage, 100, 0)[0];
  now = 0;
  seq = 0;
  effects: readonly Effect[] = [];

  constructor(conversation: Partial<Conversation> | "none" = {}) {
    this.receive({
      type: "state",
      agents: [ELIZA],
      currentAgentId: ELIZA.id,
      tabs: ["t1"],
      sidecar: { state: "running" },
    });
    if (conversation !== "none") this.snapshot(conversation);
  }
  get tab(): Tab {
    const tab = this.page.tabs.get("t1");
    if (!tab) throw new Error("The page has no tab.");
    return tab;
  }
  get kind(): string {
    return this.tab.find.kind;
  }
  perform(event: UiEvent): readonly PageToHost[] {
    [this.page, this.effects] = step(this.page, event, this.now);
    return this.effects.flatMap(effect =>
      effect.kind === "post" && effect.message.type !== "ack" ? [effect.message] : [],
    );
  }
  receive(message: HostToPage): readonly PageToHost[] {
    return this.perform({ kind: "received", message });
  }
  snapshot(conversation: Partial<Conversation>, tabId = "t1"): void {
    this.receive({
      type: "snapshot",
      tabId,
      bootId: "b1",
      seq: this.seq,
      requestNumber: 99_999,
      conversation: { ...emptyConversation(ELIZA, "/w"), ...conversation },
    });
  }
  emit(event: ChatEvent): readonly PageToHost[] {
    return this.receive({ type: "event", tabId: "t1", bootId: "b1", seq: ++this.seq, event });
  }
  open(origin?: string): void {
    this.perform({ kind: "findOpened", tabId: "t1", ...(origin === undefined ? {} : { origin }) });
  }
  type(query: string): readonly PageToHost[] {
    return this.perform({ kind: "queryTyped", tabId: "t1", query });
  }
  answer(entryIds: readonly string[], requestNumber = this.tab.findRequests): readonly PageToHost[] {
    return this.emit({ type: "found", requestNumber, entryIds, isCut: false });
  }
  move(by: 1 | -1): readonly PageToHost[] {
    return this.perform({ kind: "findStepped", tabId: "t1", by });
  }
  later(ms: number): readonly PageToHost[] {
    this.now += ms;
    return this.perform({ kind: "ticked" }).filter(({ type }) => type === "find" || type === "showEntry");
  }
  get at(): number | undefined {
    return this.tab.find.kind === "found" ? this.tab.find.at : undefined;
  }
}

suite("find in a conversation", () => {
  test("searches each typed query and shows the first match from the origin on", () => {
    const chat = new Chat({ entries: entries("c", "d", "e", "f") });
    chat.open("d");
    ok(chat.effects.some(({ kind }) => kind === "focusFind"));
    deepEqual(chat.type("x"), [{ type: "find", tabId: "t1", requestNumber: 1, query: "x" }]);
    chat.answer(["a", "c", "e", "f"]);
    deepEqual([chat.at, chat.tab.reveal], [2, { kind: "shown", entryId: "e" }]);
    deepEqual(chat.type(" "), []);
    deepEqual([chat.tab.find.kind, chat.tab.reveal.kind], ["open", "none"]);
    chat.type("y");
    chat.answer(["a", "c"]);
    equal(chat.at, 1, "no match follows: the newest");
    chat.type("yy");
    chat.answer([]);
    deepEqual([chat.at, chat.tab.reveal.kind, chat.move(1)], [-1, "none", []]);
  });

  test("moves through the matches in a circle", () => {
    const chat = new Chat({ entries: entries("a", "b", "c") });
    chat.open();
    chat.type("x");
    chat.answer(["a", "b", "c"]);
    const shown = [1, 1, -1, -1].map(by => {
      chat.move(by === 1 ? 1 : -1);
      return chat.tab.reveal.kind === "shown" ? chat.tab.reveal.entryId : "";
    });
    deepEqual(shown, ["a", "b", "a", "c"]);
  });

  test("ignores the answer to an earlier query", () => {
    const chat = new Chat({ entries: entries("a") });
    chat.open();
    chat.type("x");
    chat.type("xy");
    chat.answer(["a"], 1);
    equal(chat.kind, "searching");
    chat.answer(["a"], 2);
    chat.perform({ kind: "findClosed", tabId: "t1" });
    ok(chat.effects.some(({ kind }) => kind === "focus"));
    deepEqual([chat.tab.find, chat.tab.reveal.kind], [{ kind: "closed", query: "xy" }, "none"]);
    chat.answer(["a"], 2);
    equal(chat.kind, "closed");
    chat.open();
    deepEqual([chat.kind, chat.tab.findRequests], ["searching", 3], "the last query, as in the editor");
  });

  test("searches again while entries change, and stays at the match", () => {
    const chat = new Chat({ entries: entries("a", "b") });
    chat.open();
    chat.type("x");
    chat.answer(["b"]);
    deepEqual(chat.later(REFRESH_MS), [], "nothing has changed");
    chat.emit({ type: "upsert", entry: entry("c") });
    const { reveal } = chat.tab;
    deepEqual(chat.later(REFRESH_MS), [{ type: "find", tabId: "t1", requestNumber: 2, query: "x" }]);
    chat.answer(["a", "b", "c"]);
    deepEqual([chat.at, chat.tab.reveal === reveal], [1, true], "without scrolling");
  });

  test("repeats an unanswered search, and sends one without a session later", () => {
    const chat = new Chat("none");
    chat.open();
    deepEqual(chat.type("x"), []);
    chat.snapshot({ entries: entries("a") });
    equal(chat.later(FIND_RETRY_MS).length, 1);
    equal(chat.later(FIND_RETRY_MS - 1).length, 0);
    equal(chat.later(1).length, 1);
    chat.answer(["a"]);
    equal(chat.later(FIND_RETRY_MS).length, 0);
  });

  test("loads an entry before the window in steps, one per frame", () => {
    const chat = new Chat({ entries: entries("e", "f"), omitted: omitted(4) });
    chat.open();
    chat.type("x");
    chat.answer(["b", "f"]);
    const show = [{ type: "showEntry", tabId: "t1", entryId: "b" }];
    deepEqual(chat.move(-1), show);
    deepEqual(chat.perform({ kind: "drawn" }), [], "no answer yet");
    chat.emit({ type: "earlier", entries: entries("c", "d"), terminals: [], omitted: omitted(2) });
    deepEqual(chat.perform({ kind: "drawn" }), show);
    chat.emit({ type: "earlier", entries: entries("a", "b"), terminals: [] });
    deepEqual(chat.perform({ kind: "drawn" }), []);
    deepEqual(chat.tab.reveal, { kind: "shown", entryId: "b" });
  });

  test("gives up an entry that does not arrive", () => {
    const chat = new Chat({ entries: entries("b"), omitted: omitted(1) });
    chat.open();
    chat.type("x");
    chat.answer(["a"]);
    equal(chat.tab.reveal.kind, "loading");
    chat.later(REVEAL_TIMEOUT_MS);
    equal(chat.tab.reveal.kind, "none");
  });

  const action = fc.oneof(
    fc.constantFrom("open" as const, "close" as const, "tick" as const, "draw" as const, "reload" as const),
    fc.record({ query: fc.constantFrom("", "x", "xy") }),
    fc.record({ by: fc.constantFrom(1 as const, -1 as const) }),
    fc.record({ ids: fc.subarray(["a", "b", "c", "gone"]), stale: fc.nat(2) }),
    fc.record({ entry: fc.constantFrom("b", "c", "d") }),
  );
  test("shows only a match of the newest answer, for any events (property)", () =>
    fc.assert(
      fc.property(fc.array(action, { maxLength: 30 }), actions => {
        const chat = new Chat({ entries: entries("b", "c"), omitted: omitted(1) });
        for (const each of actions) {
          chat.now += 300;
          if (each === "open") chat.open();
          else if (each === "close") chat.perform({ kind: "findClosed", tabId: "t1" });
          else if (each === "tick") chat.perform({ kind: "ticked" });
          else if (each === "draw") chat.perform({ kind: "drawn" });
          else if (each === "reload") chat.snapshot({ entries: entries("a", "b", "c") });
          else if ("query" in each) chat.type(each.query);
          else if ("by" in each) chat.move(each.by);
          else if ("entry" in each) chat.emit({ type: "upsert", entry: entry(each.entry) });
          else chat.answer(each.ids, chat.tab.findRequests - each.stale);
          const { find, reveal } = chat.tab;
          if (find.kind === "found" && find.entryIds.length > 0) ok(find.at >= 0 && find.at < find.entryIds.length);
          if (find.kind === "closed") equal(reveal.kind, "none");
          if (find.kind === "found" && reveal.kind !== "none") equal(reveal.entryId, find.entryIds[find.at]);
        }
      }),
    ));
});

suite("an entry that a search in all sessions has found", () => {
  const open = (tabId: string, entryId: string): HostToPage => ({
    type: "openTab",
    tabId,
    agentId: ELIZA.id,
    cwd: "/w",
    entryId,
  });

  test("is shown in an open tab until the next prompt", () => {
    const chat = new Chat({ entries: entries("a", "b") });
    chat.receive(open("t1", "a"));
    deepEqual(chat.tab.reveal, { kind: "shown", entryId: "a" });
    chat.perform({ kind: "submitted", tabId: "t1", messageId: "m", text: "next" });
    equal(chat.tab.reveal.kind, "none");
  });

  test("is shown in a new tab after its snapshot, and requested if it is missing there", () => {
    const chat = new Chat({});
    const reveal = (): Tab["reveal"] | undefined => chat.page.tabs.get("t2")?.reveal;
    chat.receive(open("t2", "a"));
    deepEqual(reveal(), { kind: "waiting", entryId: "a" });
    chat.perform({ kind: "drawn" });
    deepEqual(reveal(), { kind: "waiting", entryId: "a" });
    chat.snapshot({ entries: entries("b"), omitted: omitted(1) }, "t2");
    deepEqual(chat.perform({ kind: "drawn" }), [{ type: "showEntry", tabId: "t2", entryId: "a" }]);
    equal(reveal()?.kind, "loading");
  });

  test("is ignored if it does not exist", () => {
    const chat = new Chat({ entries: entries("a") });
    deepEqual(
      chat.receive(open("t1", "gone")).filter(({ type }) => type === "showEntry"),
      [],
    );
    equal(chat.tab.reveal.kind, "none");
  });
});
