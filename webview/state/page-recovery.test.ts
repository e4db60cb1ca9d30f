import { deepEqual, equal, ok } from "node:assert/strict";
import { emptyConversation, type Entry } from "../../src/protocol/chat/chat";
import type { Position } from "../../src/protocol/chat/delivery";
import { ASK_AGAIN_MS, SILENCE_MS } from "./page-requests";
import { turnOf, type UiEvent, type Page } from "./page-model";
import { openPage, saved } from "./page-state";
import { emptyPage, restored } from "./saved-page";
import { ELIZA, livePage, stateMessage, run, tabOf, event, running } from "../testing/live-page";

suite("page state: recovery", () => {
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
});
