import { deepEqual, equal, ok } from "node:assert/strict";
import { emptyConversation, type Entry } from "../../src/protocol/chat/chat";
import { noDrafts } from "./drafts";
import { turnOf, type Page, type UiEvent } from "./page-model";
import { openPage, saved } from "./page-state";
import { restored } from "./saved-page";
import { viewOf } from "../view-model/tab/tab-view";
import { ELIZA, livePage, stateMessage, run, tabOf, event, running, QUESTION, answered } from "../testing/live-page";

suite("page state: prompts", () => {
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

  test("withdraws a prompt on Stop that was posted before the sidecar exited, until the session shows it or not", () => {
    const sent = run(run(livePage(), submit("m1", "one")).page, { kind: "received", message: restarting }).page,
      stopped = run(run(sent, submit("m2", "two")).page, { kind: "stopped", tabId: "t1" });
    deepEqual(stopped.posts, [{ type: "withdraw", tabId: "t1", messageId: "m1" }]);
    deepEqual(tabOf(stopped.page).drafts, {
      ...noDrafts,
      text: "two",
      takenBack: [{ messageId: "m1", text: "one" }],
    });
    deepEqual(tabOf(down(stopped.page)).drafts, { ...noDrafts, text: "one\ntwo" });
    const back = run(stopped.page, { kind: "received", message: stateMessage(["t1"]) }).page,
      first = run(back, snapshotOf("b2", tabOf(back).seen.requestNumber));
    deepEqual([first.posts, tabOf(first.page).drafts], [[], { ...noDrafts, text: "one\ntwo" }]);
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
    const asked = run(livePage({ entries: [QUESTION] }), answered);
    const failed = (rest: object) =>
      run(asked.page, { kind: "received", message: { type: "failed", tabId: "t1", message: "No.", ...rest } });
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
});
