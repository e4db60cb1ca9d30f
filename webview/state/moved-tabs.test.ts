import { deepEqual, equal, ok } from "node:assert/strict";
import { emptyConversation, type Conversation } from "../../src/protocol/chat/chat";
import type { HostToPage, PageCommand, PageToHost } from "../../src/protocol/page/host-to-page";
import { pageToHost } from "../../src/protocol/page/page-to-host";
import { validated } from "../../src/protocol/wire/schema";
import type { Effect, Page, Surface, UiEvent } from "./page-model";
import { openPage, saved, step } from "./page-state";
import { emptyPage, restored } from "./saved-page";

const ADA = { id: "ada", name: "Ada" };
const STATE: Extract<HostToPage, { type: "state" }> = {
  type: "state",
  agents: [ADA],
  currentAgentId: "ada",
  tabs: [],
  sidecar: { state: "running" },
};

const received = (message: HostToPage): UiEvent => ({ kind: "received", message });
const snapshot = (tabId: string, conversation: Partial<Conversation> = {}): UiEvent =>
  received({
    type: "snapshot",
    tabId,
    bootId: "b",
    seq: 0,
    requestNumber: 99_999,
    conversation: { ...emptyConversation(ADA, "/w"), ...conversation },
  });
const command = (name: PageCommand): UiEvent => received({ type: "runCommand", command: name });

function run(page: Page, ...events: readonly UiEvent[]) {
  return events.reduce<{ page: Page; effects: readonly Effect[]; posts: readonly PageToHost[] }>(
    (before, event) => {
      const [next, effects] = step(before.page, event, 0);
      const posts = effects.flatMap(effect => (effect.kind === "post" ? [effect.message] : []));
      return { page: next, effects: [...before.effects, ...effects], posts: [...before.posts, ...posts] };
    },
    { page, effects: [], posts: [] },
  );
}

const pageOf = (surface: Surface, ...tabs: readonly string[]): Page =>
  run(openPage(emptyPage, 0, 0, surface)[0], received({ ...STATE, tabs }), ...tabs.map(tabId => snapshot(tabId))).page;

/** A tab that the view passes to an editor with its unsent content. */
function passed(): Extract<PageToHost, { type: "moveTab" }> {
  const [message] = run(
    pageOf("view", "t", "u"),
    { kind: "submitted", tabId: "t", messageId: "m", text: "sent" },
    { kind: "typed", tabId: "t", text: "typed" },
    { kind: "attached", tabId: "t", attachments: [{ kind: "file", path: "/w/a" }] },
    command("moveToEditor"),
  ).posts.slice(-1);
  ok(message?.type === "moveTab");
  return message;
}

function arrival(): HostToPage {
  const { type: _, to: __, ...tab } = passed();
  return { type: "movedTab", ...tab };
}

suite("moved tabs", () => {
  test("passes the selected tab with its unsent content, and keeps it", () => {
    const message = passed();
    deepEqual(message, {
      type: "moveTab",
      to: "editor",
      tabId: "t",
      agent: ADA,
      cwd: "/w",
      title: "",
      drafts: {
        text: "typed",
        attachments: [{ kind: "file", path: "/w/a" }],
        onTheWay: [{ messageId: "m", text: "sent" }],
        takenBack: [],
      },
    });
    ok(validated(pageToHost, message).ok);
  });

  test("moves only to another kind of surface", () => {
    const targets = (page: Page): readonly unknown[] =>
      run(page, command("moveToEditor"), command("moveToWindow"), command("moveToView")).posts.map(
        message => message.type === "moveTab" && message.to,
      );
    deepEqual([targets(pageOf("view", "t")), targets(pageOf("editor", "t"))], [["editor", "window"], ["view"]]);
  });

  test("opens an arriving tab with its content, requests its conversation, and sends its prompt once", () => {
    const opened = run(
      openPage(emptyPage, 0, 0, "editor")[0],
      received(arrival()),
      received({ ...STATE, tabs: ["t"] }),
    );
    deepEqual(
      opened.effects.filter(({ kind }) => kind === "open" || kind === "fill" || kind === "openOne"),
      [
        { kind: "open", tabId: "t" },
        { kind: "fill", tabId: "t", text: "typed" },
      ],
    );
    deepEqual(
      opened.posts.map(({ type }) => type),
      ["selectTab", "webviewReady"],
    );
    const live = run(opened.page, snapshot("t")),
      again = run(live.page, received(arrival()));
    deepEqual(
      live.posts.map(message => message.type === "prompt" && message.messageId),
      ["m"],
    );
    equal(again.page.tabs.get("t")?.phase, "live", "a repeated arrival changes nothing");
  });

  test("releases a tab without closing its session, and selects the next one", () => {
    const { page, posts, effects } = run(
      pageOf("view", "t", "u"),
      received({ type: "releaseTab", tabId: "t" }),
      { kind: "closed", tabId: "t" },
      received({ type: "releaseTab", tabId: "t" }),
      received({ ...STATE, tabs: ["t", "u"] }),
    );
    deepEqual([[...page.tabs.keys()], page.selected], [["u"], "u"]);
    deepEqual(posts, [{ type: "selectTab", tabId: "u" }]);
    ok(effects.some(effect => effect.kind === "close" && effect.tabId === "t"));
    const back = run(page, received(arrival())).page;
    deepEqual([[...back.tabs.keys()], back.selected], [["u", "t"], "t"]);
  });

  test("opens no second tab in an editor", () => {
    const page = pageOf("editor", "t"),
      { posts, effects } = run(page, { kind: "newTabWanted", tabId: "t", agentId: "x" }, received({ type: "openTab" }));
    deepEqual(posts, [{ type: "openInView", agentId: "x" }, { type: "openInView" }]);
    ok(effects.every(({ kind }) => kind !== "openOne"));
    equal(
      run(openPage(emptyPage, 0, 0, "editor")[0], received(STATE)).effects.some(({ kind }) => kind === "openOne"),
      false,
    );
  });

  test("opens a branch of an editor's conversation in the view", () => {
    const entries = [
      { kind: "user", id: "u1", text: "one" },
      { kind: "agent", id: "a1", text: "1" },
    ] as const;
    const branchOf = (branch: "edit" | "retry") =>
      run(
        run(openPage(emptyPage, 0, 0, "editor")[0], received({ ...STATE, tabs: ["t"] }), snapshot("t", { entries }))
          .page,
        { kind: "branched", tabId: "t", entryId: "u1", branch, newId: "n" },
        received({ type: "forked", tabId: "n", agentId: "ada", cwd: "/w", transcript: "before" }),
      );
    const context = { kind: "transcript", text: "before" };
    deepEqual(
      [branchOf("edit"), branchOf("retry")].map(({ posts }) => posts.at(-1)),
      [
        { text: "one", attachments: [context], onTheWay: [], takenBack: [] },
        {
          text: "",
          attachments: [],
          onTheWay: [{ messageId: "n-retry", text: "one", attachments: [context] }],
          takenBack: [],
        },
      ].map(drafts => ({ type: "moveTab", to: "view", tabId: "n", agent: ADA, cwd: "/w", title: "", drafts })),
    );
  });

  test("reports each new title of an editor once", () => {
    const titles = (surface: Surface): readonly unknown[] =>
      run(
        pageOf(surface, "t"),
        { kind: "drawn" },
        { kind: "drawn" },
        { kind: "submitted", tabId: "t", messageId: "m", text: "Fix it" },
        { kind: "drawn" },
      ).posts.flatMap(message => (message.type === "titleChanged" ? [message.title] : []));
    deepEqual([titles("editor"), titles("view")], [["Ada", "Fix it"], []]);
  });

  test("restores one tab in an editor", () => {
    const state: unknown = JSON.parse(JSON.stringify(saved(pageOf("view", "t", "u"))));
    deepEqual([...openPage(restored(state), 0, 0, "editor")[0].tabs.keys()], ["t"]);
  });
});
