import { deepEqual, equal } from "node:assert/strict";
import { emptyConversation, type Conversation, type Entry } from "../../src/protocol/chat/chat";
import { freshTab, type Page, type UiEvent } from "./page-model";
import { openPage, saved, step } from "./page-state";
import { emptyPage, restored } from "./saved-page";
import { tabStatus, type TabStatus } from "./tab-status";

const ADA = { id: "ada", name: "Ada" };
const answer = (text: string): Entry => ({ kind: "agent", id: "a", text });
const notice = (severity: "info" | "error"): Entry => ({ kind: "notice", id: "n", severity, text: "!", actions: [] });
const question = (answered: boolean): Entry => ({
  kind: "elicitation",
  id: "q",
  agent: "Ada",
  message: "?",
  ask: { mode: "url", url: "https://example.com", elicitationId: "q" },
  ...(answered ? { answered: { kind: "declined" } } : {}),
});

/** A page with the tabs "t" and "other"; "t" has this conversation and is drawn. */
function pageWith(conversation: Partial<Conversation>, selected = "t"): Page {
  const [page] = openPage(emptyPage, 0, 0);
  return change({ ...page, selected, tabs: new Map([["other", { ...freshTab("other", ADA, 0, 0) }]]) }, conversation);
}
function change(page: Page, conversation: Partial<Conversation>): Page {
  const tab = page.tabs.get("t") ?? freshTab("t", ADA, 0, 0),
    changed = {
      ...tab,
      phase: "live" as const,
      conversation: { ...emptyConversation(ADA, "/w"), ...tab.conversation, ...conversation },
    };
  return run({ ...page, tabs: new Map(page.tabs).set("t", changed) }, { kind: "drawn" });
}
const run = (page: Page, event: UiEvent): Page => step(page, event, 0)[0];
const status = (page: Page): TabStatus => tabStatus(page, page.tabs.get("t")!);
const RUNNING = { state: "running", messageId: "m" } as const,
  IDLE = { state: "idle" } as const;

suite("status of a tab", () => {
  test("is that of its turn and its questions, also in the selected tab", () => {
    deepEqual(
      [
        status(pageWith({})),
        status(pageWith({ turn: RUNNING })),
        status(pageWith({ turn: RUNNING, entries: [question(false)] })),
        status(pageWith({ turn: RUNNING, entries: [question(true)] })),
      ],
      ["idle", "working", "question", "working"],
    );
  });

  test("is unread after a turn has ended in another tab, until the tab is selected", () => {
    let page = pageWith({ turn: RUNNING, entries: [answer("One")] });
    page = run(page, { kind: "selected", tabId: "other" });
    page = change(page, { entries: [answer("One two")] });
    equal(status(page), "working");
    page = change(page, { turn: IDLE });
    equal(status(page), "unread");
    const [selected, effects] = step(page, { kind: "selected", tabId: "t" }, 0);
    equal(status(selected), "idle");
    equal(effects.filter(({ kind }) => kind === "show").length, 2, "its dot is redrawn");
    equal(status(run(run(selected, { kind: "drawn" }), { kind: "selected", tabId: "other" })), "idle");
  });

  test("is failed after an error, and unread after another notice", () => {
    const after = (entry: Entry): TabStatus => {
      const page = run(pageWith({ turn: RUNNING }), { kind: "selected", tabId: "other" });
      return status(change(page, { turn: IDLE, entries: [entry] }));
    };
    deepEqual([after(notice("error")), after(notice("info"))], ["failed", "unread"]);
  });

  test("counts the content of a restored tab as seen, unless the earlier page has recorded less", () => {
    equal(status(pageWith({ entries: [answer("One")] }, "other")), "idle");
    const before = saved(pageWith({ entries: [answer("One")] })),
      [reopened] = openPage(restored(JSON.parse(JSON.stringify(before))), 1, 0);
    equal(status(change({ ...reopened, selected: "other" }, { entries: [answer("One two")] })), "unread");
  });
});
