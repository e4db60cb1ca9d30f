import { deepEqual, equal, ok } from "node:assert/strict";
import type { Entry } from "../../src/protocol/chat/chat";
import type { Effect, UiEvent, Page } from "./page-model";
import { openPage, saved } from "./page-state";
import { restored } from "./saved-page";
import { ELIZA, livePage, stateMessage, run, tabOf, event, running, QUESTION, answered } from "../testing/live-page";

suite("page state: transitions", () => {
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
    const asked = run(livePage({ entries: [QUESTION] }), answered);
    deepEqual(asked.posts, [
      { type: "answerPermission", tabId: "t1", permissionId: "p", choice: { kind: "option", optionId: "o" } },
    ]);
    equal(tabOf(asked.page).answering.length, 1);
    equal(tabOf(run(asked.page, { kind: "ticked" }, 5_000).page).answering.length, 0);
    const confirmed = run(
      asked.page,
      event(1, { type: "upsert", entry: { ...QUESTION, answered: { kind: "cancelled", why: "." } } }),
    );
    equal(tabOf(confirmed.page).answering.length, 0);
  });
});
