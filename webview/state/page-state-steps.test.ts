import { deepEqual, equal, ok } from "node:assert/strict";
import { emptyConversation, type ChatEvent, type Conversation, type Entry } from "../../src/protocol/chat/chat";
import type { Position } from "../../src/protocol/chat/delivery";
import type { HostToPage, PageToHost, TabId } from "../../src/protocol/page/host-to-page";
import { noDrafts } from "./drafts";
import { ASK_AGAIN_MS, SILENCE_MS } from "./page-requests";
import { MAX_TABS, turnOf, type Effect, type UiEvent, type Page } from "./page-model";
import { openPage, saved, step } from "./page-state";
import { emptyPage, restored } from "./saved-page";
import { viewOf } from "../view-model/tab/tab-view";

const ELIZA = { id: "elizacp", name: "Eliza" };

/** A page that has received a `state` message, with one live tab. */
function livePage(conversation: Partial<Conversation> = {}, now = 0): Page {
  let page = run(openPage(emptyPage, 100, now)[0], { kind: "received", message: stateMessage(["t1"]) }, now).page;
  page = run(
    page,
    {
      kind: "received",
      message: {
        type: "snapshot",
        tabId: "t1",
        bootId: "b1",
        seq: 0,
        requestNumber: 999,
        conversation: { ...emptyConversation(ELIZA, "/w"), ...conversation },
      },
    },
    now,
  ).page;
  return page;
}
function stateMessage(tabs: readonly TabId[], rest: Partial<Extract<HostToPage, { type: "state" }>> = {}): HostToPage {
  return {
    type: "state",
    agents: [ELIZA, { id: "gem", name: "Gemini" }],
    currentAgentId: ELIZA.id,
    tabs,
    sidecar: { state: "running" },
    ...rest,
  };
}
function run(
  page: Page,
  event: UiEvent,
  now = 0,
): { readonly page: Page; readonly effects: readonly Effect[]; readonly posts: readonly PageToHost[] } {
  const [after, effects] = step(page, event, now);
  return { page: after, effects, posts: effects.flatMap(effect => (effect.kind === "post" ? [effect.message] : [])) };
}
const tabOf = (page: Page, tabId = "t1") => page.tabs.get(tabId)!;
const event = (seq: number, event: ChatEvent, bootId = "b1"): UiEvent => ({
  kind: "received",
  message: { type: "event", tabId: "t1", bootId, seq, event },
});
const running: ChatEvent = { type: "turn", turn: { state: "running", messageId: "m" } };

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

suite("page state: transitions", () => {
  test("requests the state first and opens a tab only if the host has none", () => {
    const [page, effects] = openPage(emptyPage, 100, 0);
    deepEqual(effects, [{ kind: "post", message: { type: "webviewReady", tabs: [] } }]);
    ok(run(page, { kind: "received", message: stateMessage([]) }).effects.some(({ kind }) => kind === "openOne"));
    const { effects: opened, posts } = run(page, { kind: "received", message: stateMessage(["t1"]) });
    ok(!opened.some(({ kind }) => kind === "openOne"));
    deepEqual(posts, [{ type: "webviewReady", tabs: [{ tabId: "t1", requestNumber: 101, agentId: "elizacp" }] }]);
  });

  test("repeats the request after a second without a response", () => {
    const [page] = openPage(emptyPage, 100, 0);
    equal(run(page, { kind: "ticked" }, ASK_AGAIN_MS - 1).posts.length, 0);
    equal(run(page, { kind: "ticked" }, ASK_AGAIN_MS).posts.length, 1);
  });

  test("restores the draft of a reloaded page and requests its conversation", () => {
    const before = run(livePage({ entries: [{ kind: "agent", id: "a", text: "hi" }] }), {
      kind: "typed",
      tabId: "t1",
      text: "half a sen",
    }).page;
    const [page, effects] = openPage(restored(JSON.parse(JSON.stringify(saved(before)))), 0, 0);
    deepEqual(tabOf(page).conversation.entries, []);
    equal(tabOf(page).phase, "restored");
    ok(tabOf(page).seen.requestNumber > tabOf(before).seen.requestNumber);
    ok(effects.some(effect => effect.kind === "fill" && effect.text === "half a sen"));
  });

  test("requests once per gap and retries with increasing delays", () => {
    const gap = run(livePage(), event(5, running));
    equal(gap.posts.length, 1);
    equal(run(gap.page, event(6, running)).posts.length, 0);
    const again = run(gap.page, { kind: "ticked" }, 1_000);
    equal(again.posts.length, 1);
    equal(run(again.page, { kind: "ticked" }, 2_500).posts.length, 0);
    equal(run(again.page, { kind: "ticked" }, 3_000).posts.length, 1);
  });

  test("requests the state after three silent seconds of a turn, but not for an idle tab", () => {
    equal(run(livePage(), { kind: "ticked" }, 60_000).posts.length, 0);
    const busy = run(livePage(), event(1, running)).page;
    equal(run(busy, { kind: "ticked" }, SILENCE_MS - 1).posts.length, 0);
    const { posts, page } = run(busy, { kind: "ticked" }, SILENCE_MS);
    deepEqual(
      posts.map(post => post.type === "webviewReady" && post.tabs.map(({ at }): Position | undefined => at)),
      [[{ bootId: "b1", seq: 1 }]],
    );
    equal(run(page, { kind: "ticked" }, SILENCE_MS + 1).posts.length, 0);
  });

  test("waits for the first event of a prompt that is sent after a long pause", () => {
    const sent = run(livePage(), { kind: "submitted", tabId: "t1", messageId: "m1", text: "hello" }, 60_000).page;
    equal(run(sent, { kind: "ticked" }, 60_000 + SILENCE_MS - 1).posts.length, 0);
    equal(run(sent, { kind: "ticked" }, 60_000 + SILENCE_MS).posts.length, 1);
  });

  test("requests nothing without a sidecar and marks running entries", () => {
    const busy = run(
      run(livePage(), event(1, { type: "upsert", entry: { kind: "agent", id: "a", text: "so" } })).page,
      event(2, running),
    ).page;
    const dead = run(busy, {
      kind: "received",
      message: stateMessage(["t1"], { sidecar: { state: "restarting", message: "It restarts." } }),
    }).page;
    deepEqual(tabOf(dead).conversation.entries, [{ kind: "agent", id: "a", text: "so", interrupted: true }]);
    equal(turnOf(tabOf(dead)), "idle");
    equal(run(dead, { kind: "ticked" }, 60_000).posts.length, 0);
    const back = run(dead, { kind: "received", message: stateMessage(["t1"]) });
    deepEqual(
      back.posts.map(({ type }) => type),
      ["webviewReady"],
    );
  });

  test("shows a session's bypass while the session exists, without persisting it", () => {
    const on = run(livePage(), event(1, { type: "bypassed", isOn: true })).page;
    equal(tabOf(on).conversation.bypassed, true);
    equal(tabOf(run(on, event(2, { type: "bypassed", isOn: false })).page).conversation.bypassed, undefined);
    equal(
      tabOf(
        run(on, {
          kind: "received",
          message: stateMessage(["t1"], { sidecar: { state: "restarting", message: "It restarts." } }),
        }).page,
      ).conversation.bypassed,
      undefined,
    );
    equal(tabOf(openPage(restored(JSON.parse(JSON.stringify(saved(on)))), 0, 0)[0]).conversation.bypassed, undefined);
    deepEqual(run(on, { kind: "acted", tabId: "t1", action: { kind: "endBypass" } }).posts, [
      { type: "endBypass", tabId: "t1" },
    ]);
  });

  test("asks the host to confirm a bypass only in a live tab", () => {
    deepEqual(run(livePage(), { kind: "bypassWanted", tabId: "t1" }).posts, [{ type: "bypass", tabId: "t1" }]);
    const dead = run(livePage(), {
      kind: "received",
      message: stateMessage(["t1"], { sidecar: { state: "restarting", message: "It restarts." } }),
    }).page;
    deepEqual(run(dead, { kind: "bypassWanted", tabId: "t1" }).posts, []);
  });

  test("passes actions on changed files only from a live tab, and does not save the changes", () => {
    const review = { files: 1, added: 2, removed: 0, turns: [] },
      page = livePage({ review }),
      keep: UiEvent = { kind: "reviewed", tabId: "t1", action: "keep" },
      undo: UiEvent = { kind: "reviewed", tabId: "t1", action: "undo", entryId: "u" };
    deepEqual(run(page, keep).posts, [{ type: "review", tabId: "t1", action: "keep" }]);
    deepEqual(run(page, undo).posts, [{ type: "review", tabId: "t1", action: "undo", entryId: "u" }]);
    const [reopened] = openPage(restored(JSON.parse(JSON.stringify(saved(page)))), 0, 0);
    equal(tabOf(reopened).conversation.review, undefined);
    deepEqual(run(reopened, keep).posts, []);
  });

  test("requests a snapshot for marked entries even if the sidecar runs", () => {
    const page = livePage({
      entries: [{ kind: "agent", id: "a", text: "so" }],
      turn: { state: "running", messageId: "m" },
    });
    const dead = run(page, {
      kind: "received",
      message: stateMessage(["t1"], { sidecar: { state: "restarting", message: "It restarts." } }),
    }).page;
    const { posts } = run(dead, { kind: "received", message: stateMessage(["t1"]) });
    deepEqual(
      posts.map(post => post.type === "webviewReady" && post.tabs.map(({ at }) => at)),
      [[undefined]],
    );
  });

  test("marks the content on an event of another boot, but not on the first one", () => {
    const page = livePage({
      entries: [{ kind: "agent", id: "a", text: "so" }],
      turn: { state: "running", messageId: "m" },
    });
    const over = run(page, event(1, running, "b2"));
    deepEqual(tabOf(over.page).conversation.entries, [{ kind: "agent", id: "a", text: "so", interrupted: true }]);
    equal(over.posts.length, 1);
    const [next] = openPage(saved(page), 0, 0);
    equal(tabOf(run(next, event(1, running)).page).phase, "restored");
  });

  const down = (page: Page): Page =>
    run(page, {
      kind: "received",
      message: stateMessage(["t1"], { sidecar: { state: "failed", message: "It failed.", actions: [] } }),
    }).page;

  test("rejects a prompt after the sidecar failed, keeps its text and shows a remark after the recovery", () => {
    const refused = run(down(livePage()), { kind: "submitted", tabId: "t1", messageId: "m1", text: "hello" });
    deepEqual(refused.effects[0], { kind: "fill", tabId: "t1", text: "hello" });
    deepEqual([refused.posts, tabOf(refused.page).drafts.text], [[], "hello"]);
    const back = run(refused.page, { kind: "received", message: stateMessage(["t1"]) }).page;
    deepEqual([tabOf(refused.page).remark?.text, tabOf(back).drafts.text], ["Your text is saved.", "hello"]);
    deepEqual(tabOf(back).remark, { tone: "info", text: "Your prompt was not sent. Send it again." });
    const emptied = run(refused.page, { kind: "typed", tabId: "t1", text: "" }).page;
    equal(tabOf(run(emptied, { kind: "received", message: stateMessage(["t1"]) }).page).remark, undefined);
  });

  const restarting = stateMessage(["t1"], { sidecar: { state: "restarting", message: "It restarts." } });
  const submit = (messageId: string, text: string): UiEvent => ({ kind: "submitted", tabId: "t1", messageId, text });
  const snapshotOf = (bootId: string, asked: number): UiEvent => ({
    kind: "received",
    message: {
      type: "snapshot",
      tabId: "t1",
      bootId,
      seq: 0,
      requestNumber: asked,
      conversation: emptyConversation(ELIZA, "/w"),
    },
  });

  test("accepts prompts while the sidecar restarts and sends them in order afterwards", () => {
    const dead = run(livePage(), { kind: "received", message: restarting }).page;
    const entered = run(run(dead, submit("m1", "one")).page, submit("m2", "two"));
    const tab = tabOf(entered.page),
      view = viewOf(entered.page, tab);
    deepEqual([entered.posts, tab.drafts.text, turnOf(tab), tab.remark], [[], "", "starting", undefined]);
    deepEqual(
      [view.cards.map(({ body }) => body), view.queue?.prompts.map(({ prompt }) => prompt.text)],
      [["one"], ["two"]],
    );
    const back = run(entered.page, { kind: "received", message: stateMessage(["t1"]) });
    deepEqual(
      back.posts.map(({ type }) => type),
      ["webviewReady"],
    );
    const first = run(back.page, snapshotOf("b2", tabOf(back.page).seen.requestNumber));
    deepEqual(first.posts, [{ type: "prompt", tabId: "t1", messageId: "m1", text: "one" }]);
    const second = run(first.page, event(1, { type: "upsert", entry: { kind: "user", id: "m1", text: "one" } }, "b2"));
    deepEqual(second.posts, [{ type: "prompt", tabId: "t1", messageId: "m2", text: "two" }]);
  });

  test("restores waiting prompts as the draft on Stop or sidecar failure", () => {
    const dead = run(livePage(), { kind: "received", message: restarting }).page;
    const waiting = run(run(dead, submit("m1", "one")).page, submit("m2", "two")).page;
    const stopped = run(waiting, { kind: "stopped", tabId: "t1" });
    const draft = { ...noDrafts, text: "one\ntwo" };
    deepEqual([stopped.posts, tabOf(stopped.page).drafts, turnOf(tabOf(stopped.page))], [[], draft, "idle"]);
    const failed = down(waiting);
    deepEqual([tabOf(failed).drafts, tabOf(failed).remark?.text], [draft, "Your text is saved."]);
  });

  test("queues a prompt to a busy tab", () => {
    const sent = run(run(livePage(), event(1, running)).page, {
      kind: "submitted",
      tabId: "t1",
      messageId: "m1",
      text: "hello",
    });
    deepEqual(sent.posts, [{ type: "prompt", tabId: "t1", messageId: "m1", text: "hello" }]);
    const queued = run(
      sent.page,
      event(2, { type: "queue", queue: { prompts: [{ messageId: "m1", text: "hello" }], held: false } }),
    );
    deepEqual(tabOf(queued.page).drafts, noDrafts);
  });

  test("rejects the twenty-first waiting prompt until the turn ends", () => {
    const prompts = Array.from({ length: 20 }, (_, i) => ({ messageId: `q${i}`, text: "x" }));
    const full = livePage({ turn: { state: "running", messageId: "m" }, queue: { prompts, held: false } });
    const refused = run(full, { kind: "submitted", tabId: "t1", messageId: "m1", text: "hello" });
    deepEqual(
      [refused.posts, tabOf(refused.page).drafts.text, tabOf(refused.page).remark?.text],
      [[], "hello", "20 prompts are queued, which is the limit. Your text is saved."],
    );
    const ended = run(refused.page, event(1, { type: "turn", turn: { state: "idle" } })).page;
    deepEqual([tabOf(ended).remark, tabOf(ended).drafts.text], [undefined, "hello"]);
    const onTheWay = run(
      livePage({ turn: { state: "running", messageId: "m" }, queue: { prompts: prompts.slice(1), held: false } }),
      { kind: "submitted", tabId: "t1", messageId: "m1", text: "a" },
    ).page;
    equal(run(onTheWay, { kind: "submitted", tabId: "t1", messageId: "m2", text: "b" }).posts.length, 0);
  });

  test("marks the tab busy for a sent prompt and restores it on failure", () => {
    const sent = run(livePage(), { kind: "submitted", tabId: "t1", messageId: "m1", text: "hello" });
    equal(turnOf(tabOf(sent.page)), "starting");
    const failed = run(sent.page, {
      kind: "received",
      message: { type: "failed", tabId: "t1", messageId: "m1", message: "No." },
    });
    ok(failed.effects.some(effect => effect.kind === "fill" && effect.text === "hello"));
    equal(turnOf(tabOf(failed.page)), "idle");
  });

  test("keeps a sent prompt when another request of its tab fails", () => {
    const sent = run(livePage(), { kind: "submitted", tabId: "t1", messageId: "m1", text: "hello" });
    for (const messageId of [undefined, "m0"]) {
      const failed = run(sent.page, {
        kind: "received",
        message: { type: "failed", tabId: "t1", message: "No.", ...(messageId === undefined ? {} : { messageId }) },
      });
      deepEqual(failed.effects, [{ kind: "show", tabId: "t1" }]);
      deepEqual(
        [tabOf(failed.page).drafts, tabOf(failed.page).remark],
        [
          { ...noDrafts, onTheWay: [{ messageId: "m1", text: "hello" }] },
          { tone: "error", text: "No." },
        ],
      );
    }
  });

  test("restores sent prompts if the tab gets no session", () => {
    const sent = run(livePage(), { kind: "submitted", tabId: "t1", messageId: "m1", text: "hello" });
    const [next] = openPage(restored(JSON.parse(JSON.stringify(saved(sent.page)))), 0, 0);
    const second = run(next, {
      kind: "received",
      message: { type: "failed", tabId: "t1", message: "Nothing is selected." },
    });
    deepEqual(tabOf(second.page).drafts, tabOf(next).drafts);
    const failed = run(next, {
      kind: "received",
      message: { type: "failed", tabId: "t1", message: "No.", noSession: true },
    });
    ok(failed.effects.some(effect => effect.kind === "fill" && effect.text === "hello"));
  });

  test("keeps a pending answer when a prompt fails", () => {
    const question: Entry = {
      kind: "permission",
      id: "p",
      agent: "Eliza",
      toolEntryId: "x",
      title: "?",
      toolKind: "other",
      content: [],
      options: [],
    };
    const answered = run(livePage({ entries: [question] }), {
      kind: "answered",
      tabId: "t1",
      permissionId: "p",
      choice: { kind: "option", optionId: "o" },
    });
    const failed = (rest: object) =>
      run(answered.page, { kind: "received", message: { type: "failed", tabId: "t1", message: "No.", ...rest } });
    deepEqual(
      [tabOf(failed({ messageId: "m1" }).page).answering.length, tabOf(failed({}).page).answering.length],
      [1, 0],
    );
  });

  test("sends a prompt again under its id if a snapshot lacks it", () => {
    const sent = run(livePage(), { kind: "submitted", tabId: "t1", messageId: "m1", text: "hello" });
    const [next] = openPage(saved(sent.page), 0, 0);
    const snapshot = (entries: readonly Entry[]): UiEvent => ({
      kind: "received",
      message: {
        type: "snapshot",
        tabId: "t1",
        bootId: "b1",
        seq: 3,
        requestNumber: 9_999,
        conversation: { ...emptyConversation(ELIZA, "/"), entries },
      },
    });
    deepEqual(run(next, snapshot([])).posts, [{ type: "prompt", tabId: "t1", messageId: "m1", text: "hello" }]);
    const has = run(next, snapshot([{ kind: "user", id: "m1", text: "hello" }]));
    deepEqual([has.posts, tabOf(has.page).drafts.onTheWay], [[], []]);
  });

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

  test("requires a modifier according to the last state", () => {
    const required = run(livePage(), {
      kind: "received",
      message: stateMessage(["t1"], { requireModifier: true }),
    }).page;
    deepEqual(
      [livePage(), required, run(required, { kind: "received", message: stateMessage(["t1"]) }).page].map(
        ({ requireModifier }) => requireModifier,
      ),
      [false, true, false],
    );
  });

  test("persists the required modifier across reloads", () => {
    const asks = (page: Page) => openPage(restored(JSON.parse(JSON.stringify(saved(page)))), 0, 0)[0].requireModifier;
    const required = run(livePage(), { kind: "received", message: stateMessage(["t1"], { requireModifier: true }) });
    const no = run(required.page, { kind: "received", message: stateMessage(["t1"]) });
    deepEqual([livePage(), required.page, no.page].map(asks), [false, true, false]);
    const saves = ({ effects }: { readonly effects: readonly Effect[] }): boolean =>
      effects.some(({ kind }) => kind === "save");
    deepEqual(
      [
        required,
        run(required.page, { kind: "received", message: stateMessage(["t1"], { requireModifier: true }) }),
        no,
      ].map(saves),
      [true, false, true],
    );
  });

  test("acknowledges all messages once when drawn", () => {
    const page = run(run(livePage(), event(1, running)).page, event(1, running)).page;
    const drawn = run(page, { kind: "drawn" });
    deepEqual(drawn.posts, [{ type: "ack", handled: 3 }]);
    equal(run(drawn.page, { kind: "drawn" }).posts.length, 0);
  });

  test("shows bypassed tabs according to the last state", () => {
    const bypassed = [{ tabId: "t1", by: ["agent" as const] }],
      told = run(livePage(), { kind: "received", message: stateMessage(["t1"], { bypassed }) }).page;
    deepEqual(
      [told.bypassed, run(told, { kind: "received", message: stateMessage(["t1"]) }).page.bypassed],
      [bypassed, []],
    );
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

  test("ignores a snapshot from before the sidecar exit", () => {
    const asking = run(livePage(), { kind: "received", message: { type: "requestReplay" } }).page;
    const snapshot = (page: Page): UiEvent => ({
      kind: "received",
      message: {
        type: "snapshot",
        tabId: "t1",
        bootId: "b1",
        seq: 1,
        requestNumber: tabOf(page).seen.requestNumber,
        conversation: emptyConversation(ELIZA, "/w"),
      },
    });
    const shown = run(
      run(asking, snapshot(asking)).page,
      event(2, { type: "upsert", entry: { kind: "user", id: "m1", text: "hello" } }),
    ).page;
    const dead = run(shown, {
      kind: "received",
      message: stateMessage(["t1"], { sidecar: { state: "restarting", message: "Restarting." } }),
    }).page;
    const late = run(dead, snapshot(asking)).page;
    deepEqual(tabOf(late).conversation.entries, [{ kind: "user", id: "m1", text: "hello" }]);
    const back = run(late, { kind: "received", message: stateMessage(["t1"]) }).page;
    equal(tabOf(run(back, snapshot(back)).page).phase, "live");
  });

  const form: Entry = {
    kind: "elicitation",
    id: "e",
    agent: "Eliza",
    message: "Who?",
    ask: { mode: "form", fields: [{ type: "text", name: "who", title: "Who", required: true }] },
  };
  const filledIn: UiEvent = {
    kind: "elicitationAnswered",
    tabId: "t1",
    elicitationId: "e",
    choice: { kind: "accept", values: { who: "me" } },
  };

  test("posts a submitted form, allows a retry after five seconds and forgets it when confirmed", () => {
    const answered = run(livePage({ entries: [form] }), filledIn);
    deepEqual(answered.posts, [
      {
        type: "answerElicitation",
        tabId: "t1",
        elicitationId: "e",
        choice: { kind: "accept", values: { who: "me" } },
      },
    ]);
    deepEqual(tabOf(answered.page).answering, [{ entryId: "e", since: 0 }]);
    equal(tabOf(run(answered.page, event(1, { type: "title", title: "still open" })).page).answering.length, 1);
    equal(tabOf(run(answered.page, { kind: "ticked" }, 5_000).page).answering.length, 0);
    equal(
      tabOf(run(answered.page, event(1, { type: "upsert", entry: { ...form, answered: { kind: "accepted" } } })).page)
        .answering.length,
      0,
    );
  });

  test("persists no form values", () =>
    ok(
      !JSON.stringify(
        saved(
          run(livePage({ entries: [form] }), { ...filledIn, choice: { kind: "accept", values: { who: "a secret" } } })
            .page,
        ),
      ).includes("a secret"),
    ));

  test("posts a selected control only in a live tab", () => {
    const chosen: UiEvent = { kind: "controlChosen", tabId: "t1", controlId: "model", value: "large" };
    const live = livePage();
    deepEqual(run(live, chosen).posts, [{ type: "setControl", tabId: "t1", controlId: "model", value: "large" }]);
    equal(run(live, chosen).page, live);
    const [restoredPage] = openPage(saved(live), 0, 0);
    deepEqual(run(restoredPage, chosen).posts, []);
    const restarting = run(live, {
      kind: "received",
      message: {
        type: "state",
        agents: [ELIZA],
        currentAgentId: ELIZA.id,
        tabs: ["t1"],
        sidecar: { state: "restarting", message: "Restarting." },
      },
    }).page;
    deepEqual(run(restarting, chosen).posts, []);
  });

  test("shows no terminal as running after the sidecar has exited", () => {
    const tool: Entry = {
      kind: "tool",
      id: "x",
      toolCallId: "c",
      title: "Run",
      toolKind: "execute",
      status: "completed",
      content: [{ kind: "terminal", terminalId: "t" }],
      locations: [],
    };
    const terminal = { terminalId: "t", command: "make", cwd: "/w", output: "done\n", isCut: false };
    const page = run(livePage({ entries: [tool] }), event(1, { type: "terminal", terminal })).page;
    const dead = run(page, {
      kind: "received",
      message: stateMessage(["t1"], { sidecar: { state: "restarting", message: "Restarting." } }),
    }).page;
    deepEqual(tabOf(dead).conversation.terminals, [{ ...terminal, exit: {} }]);
  });

  test("shows conversations of an untrusted workspace, and keeps a prompt as the draft", () => {
    const [page] = openPage(saved(livePage()), 0, 0);
    const readOnly = run(page, {
      kind: "received",
      message: stateMessage(["t1"], { sidecar: { state: "readOnly", message: "Trust it.", actions: ["manageTrust"] } }),
    }).page;
    const entries = [{ kind: "user", id: "m1", text: "first" }] as const;
    const shown = run(readOnly, {
      kind: "received",
      message: {
        type: "snapshot",
        tabId: "t1",
        bootId: "b1",
        seq: 0,
        requestNumber: tabOf(readOnly).seen.requestNumber,
        conversation: { ...emptyConversation(ELIZA, "/w"), entries },
      },
    }).page;
    deepEqual([tabOf(shown).conversation.entries, tabOf(shown).phase], [entries, "live"]);
    const refused = run(shown, { kind: "submitted", tabId: "t1", messageId: "m2", text: "hello" });
    deepEqual([refused.posts, tabOf(refused.page).drafts.text], [[], "hello"]);
    const trusted = run(refused.page, { kind: "received", message: stateMessage(["t1"]) });
    deepEqual(
      trusted.posts.map(({ type }) => type),
      ["webviewReady"],
    );
  });

  test("opens a conversation of another window anew, with the same draft", () => {
    const typed = run(livePage({ entries: [{ kind: "user", id: "m1", text: "first" }] }), {
      kind: "typed",
      tabId: "t1",
      text: "half",
    }).page;
    const { page, posts } = run(typed, { kind: "actionChosen", tabId: "t1", action: "takeOver", messageId: "m9" });
    deepEqual(posts.slice(0, 3), [
      { type: "closeTab", tabId: "t1" },
      { type: "takeOver", tabId: "t1", agentId: "elizacp", cwd: "/w" },
      { type: "selectTab", tabId: "t1" },
    ]);
    const { drafts, phase, conversation } = tabOf(page);
    deepEqual([drafts.text, phase, conversation.entries.length], ["half", "restored", 1]);
  });

  test("shows a notice of the host in the selected tab", () => {
    const notice = (page: Page) =>
      run(page, { kind: "received", message: { type: "notice", tone: "info", message: "No folder." } });
    const { page, effects } = notice(livePage());
    deepEqual(tabOf(page).remark, { tone: "info", text: "No folder." });
    deepEqual(
      effects.filter(({ kind }) => kind === "show"),
      [{ kind: "show", tabId: "t1" }],
    );
    deepEqual(notice(openPage(emptyPage, 100, 0)[0]).effects, [], "no tab");
  });

  test("closes a tab for the host, if the tab exists", () => {
    const page = livePage({}),
      effectsOf = (tabId: string) => step(page, { kind: "received", message: { type: "closeTab", tabId } }, 0)[1];
    deepEqual(effectsOf("t1"), [{ kind: "close", tabId: "t1" }]);
    deepEqual(effectsOf("t9"), []);
  });

  test("sends the last prompt again under a new id, keeps the draft, and not during a turn", () => {
    const again: UiEvent = { kind: "actionChosen", tabId: "t1", action: "sendAgain", messageId: "m9" };
    const asked = livePage({
      entries: [
        { kind: "user", id: "m1", text: "first" },
        { kind: "user", id: "m2", text: "second" },
        { kind: "agent", id: "a", text: "half an" },
      ],
    });
    const sent = run(run(asked, { kind: "typed", tabId: "t1", text: "draft" }).page, again);
    deepEqual(sent.posts, [{ type: "prompt", tabId: "t1", messageId: "m9", text: "second" }]);
    deepEqual(tabOf(sent.page).drafts, { ...noDrafts, text: "draft", onTheWay: [{ messageId: "m9", text: "second" }] });
    deepEqual(run(sent.page, { ...again, messageId: "m10" }).posts, []);
    deepEqual(run(livePage(), again).posts, []);
    deepEqual(run(asked, { ...again, action: "showLogs" }).posts, [
      { type: "action", tabId: "t1", action: "showLogs" },
    ]);
    const dead = run(asked, {
      kind: "received",
      message: stateMessage(["t1"], { sidecar: { state: "restarting", message: "Restarting." } }),
    }).page;
    deepEqual(run(dead, again).posts, []);
  });

  test("opens a diff or a known terminal", () => {
    const page = livePage({
      terminals: [{ terminalId: "x", command: "make", cwd: "/w", output: "done", isCut: false, exit: { code: 0 } }],
    });
    deepEqual(run(page, { kind: "diffWanted", tabId: "t1", path: "/w/a", newText: "new" }).posts, [
      { type: "openDiff", tabId: "t1", path: "/w/a", newText: "new" },
    ]);
    deepEqual(run(page, { kind: "terminalWanted", tabId: "t1", terminalId: "x" }).posts, [
      { type: "openTerminal", tabId: "t1", command: "make", output: "done", exit: { code: 0 } },
    ]);
    deepEqual(run(page, { kind: "terminalWanted", tabId: "t1", terminalId: "y" }).posts, []);
  });

  test("shows the session's controls and usage, and none while unknown", () => {
    const controls = [{ kind: "switch", id: "s", name: "S", category: "", value: true }] as const,
      usage = { used: 1, size: 2 };
    const page = run(
      run(livePage(), event(1, { type: "controls", controls })).page,
      event(2, { type: "usage", usage }),
    ).page;
    deepEqual([tabOf(page).conversation.controls, tabOf(page).conversation.usage], [controls, usage]);
    deepEqual(tabOf(openPage(saved(page), 0, 0)[0]).conversation.controls, []);
  });

  test("allows another answer after five seconds and forgets it when confirmed", () => {
    const question: Entry = {
      kind: "permission",
      id: "p",
      agent: "Eliza",
      toolEntryId: "x",
      title: "?",
      toolKind: "other",
      content: [],
      options: [],
    };
    const answered = run(livePage({ entries: [question] }), {
      kind: "answered",
      tabId: "t1",
      permissionId: "p",
      choice: { kind: "option", optionId: "o" },
    });
    deepEqual(answered.posts, [
      { type: "answerPermission", tabId: "t1", permissionId: "p", choice: { kind: "option", optionId: "o" } },
    ]);
    equal(tabOf(answered.page).answering.length, 1);
    equal(tabOf(run(answered.page, { kind: "ticked" }, 5_000).page).answering.length, 0);
    const confirmed = run(
      answered.page,
      event(1, { type: "upsert", entry: { ...question, answered: { kind: "cancelled", why: "." } } }),
    );
    equal(tabOf(confirmed.page).answering.length, 0);
  });
});
