import { deepEqual, equal, ok } from "node:assert/strict";
import type { ActionId } from "../../src/protocol/chat/chat";
import { MAX_TABS, type UiEvent, type Page } from "./page-model";
import { openPage, saved, step } from "./page-state";
import { emptyPage, restored } from "./saved-page";
import { livePage, stateMessage, run, tabOf } from "../testing/live-page";

suite("page state: draft of a link", () => {
  const link: UiEvent = { kind: "received", message: { type: "openTab", draft: "from a link" } };
  const isRemarked = (page: Page, tabId?: string): boolean =>
    /comes from a link/.test(tabOf(page, tabId).remark?.text ?? "");

  test("fills an empty selected tab, and sends nothing", () => {
    const { page, posts, effects } = run(livePage(), link);
    deepEqual([tabOf(page).drafts.text, posts, isRemarked(page)], ["from a link", [], true]);
    ok(effects.some(({ kind }) => kind === "fill") && effects.some(({ kind }) => kind === "focus"));
  });

  test("opens a tab beside one with a conversation or a draft, and fills no later tab", () => {
    const typed = run(livePage(), { kind: "typed", tabId: "t1", text: "mine" }).page,
      asked = run(typed, link);
    ok(asked.effects.some(({ kind }) => kind === "openOne"));
    const opened = run(asked.page, { kind: "opened", tabId: "t2" });
    deepEqual(
      [tabOf(opened.page).drafts.text, tabOf(opened.page, "t2").drafts.text, isRemarked(opened.page, "t2")],
      ["mine", "from a link", true],
    );
    ok(!opened.posts.some(({ type }) => type === "prompt"));
    equal(tabOf(run(opened.page, { kind: "opened", tabId: "t3" }).page, "t3").drafts.text, "");
  });

  test("is not placed into a restored tab whose conversation has not arrived", () => {
    const [page] = openPage(restored(JSON.parse(JSON.stringify(saved(livePage())))), 200, 0);
    ok(run(page, link).effects.some(({ kind }) => kind === "openOne"));
  });
});

suite("page state: tabs", () => {
  test("does not reopen a closed tab for a late state", () => {
    const page = run(livePage(), { kind: "closed", tabId: "t1" }).page;
    equal(run(page, { kind: "received", message: stateMessage(["t1"]) }).page.tabs.size, 0);
  });

  test("follows the host's selection only when it changes", () => {
    const two = run(livePage(), { kind: "received", message: stateMessage(["t1", "t2"], { selected: "t1" }) }).page;
    const mine = run(two, { kind: "selected", tabId: "t2" }).page;
    equal(run(mine, { kind: "received", message: stateMessage(["t1", "t2"], { selected: "t1" }) }).page.selected, "t2");
    const moved = run(run(mine, { kind: "received", message: stateMessage(["t1", "t2"], { selected: "t2" }) }).page, {
      kind: "received",
      message: stateMessage(["t1", "t2"], { selected: "t1" }),
    });
    equal(moved.page.selected, "t1");
    ok(moved.effects.some(effect => effect.kind === "select" && effect.tabId === "t1"));
  });

  test("opens a tab with the same agent beside an outdated tab", () => {
    const ada = { id: "gem", name: "Gemini" },
      told = run(livePage({ agent: ada }), {
        kind: "received",
        message: stateMessage(["t1"], { outdated: ["t1"] }),
      }).page;
    deepEqual(told.outdated, ["t1"]);
    const wanted = run(told, { kind: "newTabWanted", tabId: "t1" });
    deepEqual([wanted.effects, wanted.posts], [[{ kind: "openOne" }], []]);
    const { page, posts, effects } = run(wanted.page, { kind: "opened", tabId: "t2" });
    deepEqual(posts[0], { type: "newTab", tabId: "t2", agentId: "gem" });
    deepEqual([tabOf(page, "t2").conversation.agent, effects.some(({ kind }) => kind === "focus")], [ada, true]);
    const next = run(page, { kind: "opened", tabId: "t3" });
    deepEqual(
      [next.posts[0], next.effects.some(({ kind }) => kind === "focus")],
      [{ type: "newTab", tabId: "t3" }, false],
    );
    deepEqual(run(next.page, { kind: "received", message: stateMessage(["t1"]) }).page.outdated, []);
    const asked = run(next.page, { kind: "received", message: { type: "openTab", agentId: "gem" } });
    deepEqual(run(asked.page, { kind: "opened", tabId: "t4" }).posts[0], {
      type: "newTab",
      tabId: "t4",
      agentId: "gem",
    });
  });

  const openSession: UiEvent = {
    kind: "received",
    message: { type: "openTab", tabId: "c", agentId: "gem", cwd: "/w/sub" },
  };

  test("opens a stored session like a restored tab", () => {
    const { page, effects, posts } = run(livePage(), openSession);
    deepEqual(posts, [
      { type: "selectTab", tabId: "c" },
      { type: "webviewReady", tabs: [{ tabId: "c", requestNumber: 101, agentId: "gem", cwd: "/w/sub" }] },
    ]);
    deepEqual(
      effects.flatMap(effect => (effect.kind === "post" ? [] : [effect.kind])),
      ["open", "show", "select", "save", "focus"],
    );
    deepEqual([page.selected, tabOf(page, "c").phase, tabOf(page, "c").asking.kind], ["c", "restored", "missing"]);
    deepEqual(tabOf(page, "c").conversation.agent, { id: "gem", name: "Gemini" });
    deepEqual(saved(page).tabs.at(-1)?.cwd, "/w/sub");
  });

  test("selects the tab of a session that is open", () => {
    const both = run(livePage(), openSession).page,
      first = run(both, { kind: "selected", tabId: "t1" }).page,
      { page, effects, posts } = run(first, openSession);
    deepEqual([page.selected, page.tabs.size, posts], ["c", 2, [{ type: "selectTab", tabId: "c" }]]);
    ok(effects.some(({ kind }) => kind === "select"));
    equal(tabOf(page, "c"), tabOf(first, "c"));
  });

  test("opens the session of a closed tab again", () => {
    const closed = run(run(livePage(), openSession).page, { kind: "closed", tabId: "c" }).page;
    ok(closed.closed.has("c"));
    const { page } = run(closed, openSession);
    deepEqual([page.closed.has("c"), page.tabs.has("c"), page.selected], [false, true, "c"]);
  });

  test("opens a session before the first state without an empty tab beside it", () => {
    const opened = run(openPage(emptyPage, 100, 0)[0], openSession).page,
      { page, effects } = run(opened, { kind: "received", message: stateMessage(["c"]) });
    ok(!effects.some(({ kind }) => kind === "openOne"));
    deepEqual([[...page.tabs.keys()], page.selected], [["c"], "c"]);
  });

  test("rejects a tab above the limit with a sentence", () => {
    const page = run(livePage(), {
      kind: "received",
      message: stateMessage(Array.from({ length: MAX_TABS + 4 }, (_, i) => `t${i}`)),
    }).page;
    equal(page.tabs.size, MAX_TABS);
    const refused = run(page, { kind: "received", message: { type: "openTab" } });
    ok(!refused.effects.some(({ kind }) => kind === "openOne"));
    ok(tabOf(refused.page, refused.page.selected).remark);
    const session = run(page, openSession);
    ok(!session.page.tabs.has("c") && tabOf(session.page, session.page.selected).remark);
  });

  test("shows a notice of the host in the selected tab", () => {
    const notice = (page: Page) =>
      run(page, {
        kind: "received",
        message: { type: "notice", tone: "info", message: "No folder.", actions: ["openSettings", "showLogs"] },
      });
    const { page, effects } = notice(livePage());
    deepEqual(tabOf(page).remark, { tone: "info", text: "No folder.", actions: ["openSettings", "showLogs"] });
    deepEqual(
      effects.filter(({ kind }) => kind === "show"),
      [{ kind: "show", tabId: "t1" }],
    );
    deepEqual(notice(openPage(emptyPage, 100, 0)[0]).effects, [], "no tab");
    const choose = (action: ActionId) => run(page, { kind: "actionChosen", tabId: "t1", action, messageId: "m" });
    deepEqual(
      [tabOf(choose("showLogs").page).remark, tabOf(choose("restartAgent").page).remark === undefined],
      [undefined, false],
    );
  });

  test("closes a tab for the host, if the tab exists", () => {
    const page = livePage({}),
      effectsOf = (tabId: string) => step(page, { kind: "received", message: { type: "closeTab", tabId } }, 0)[1];
    deepEqual(effectsOf("t1"), [{ kind: "close", tabId: "t1" }]);
    deepEqual(effectsOf("t9"), []);
  });
});
