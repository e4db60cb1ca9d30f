import { deepEqual, equal, ok } from "node:assert/strict";
import type { Attachment } from "../../src/protocol/chat/attachments";
import { emptyConversation, type Conversation, type Entry } from "../../src/protocol/chat/chat";
import type { HostToPage, PageToHost } from "../../src/protocol/page/host-to-page";
import type { BranchKind } from "./branch-model";
import { MAX_TABS, type Effect, type Page, type UiEvent } from "./page-model";
import { openPage, step } from "./page-state";
import { emptyPage } from "./saved-page";

const ADA = { id: "ada", name: "Ada" };
const FILE: Attachment = { kind: "file", path: "/w/a.ts" };
const user = (id: string, text: string, attachments: readonly Attachment[] = []): Entry => ({
  kind: "user",
  id,
  text,
  ...(attachments.length === 0 ? {} : { attachments }),
});
const agent = (id: string, text: string): Entry => ({ kind: "agent", id, text });
const ENTRIES = [user("u1", "one", [FILE]), agent("a1", "1"), user("u2", "two"), agent("a2", "2")];

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

const received = (message: HostToPage): UiEvent => ({ kind: "received", message });
const snapshotOf = (tabId: string, conversation: Partial<Conversation>): UiEvent =>
  received({
    type: "snapshot",
    tabId,
    bootId: "b",
    seq: 0,
    requestNumber: 99_999,
    conversation: { ...emptyConversation(ADA, "/w"), ...conversation },
  });

function livePage(tabs = ["t1"], entries: readonly Entry[] = ENTRIES, more: Partial<Conversation> = {}): Page {
  const state = received({
    type: "state",
    agents: [ADA],
    currentAgentId: "ada",
    tabs,
    sidecar: { state: "running" },
  });
  return run(openPage(emptyPage, 0, 0)[0], state, snapshotOf("t1", { entries, ...more })).page;
}

const branched = (entryId: string, branch: BranchKind): UiEvent => ({
  kind: "branched",
  tabId: "t1",
  entryId,
  branch,
  newId: "t2",
});
const forked = (transcript?: string): UiEvent =>
  received({
    type: "forked",
    tabId: "t2",
    agentId: "ada",
    cwd: "/w",
    ...(transcript === undefined ? {} : { transcript }),
  });

/** The request for the branch, and the new tab after the host's answer. */
function branch(entryId: string, kind: BranchKind, transcript?: string) {
  const asked = run(livePage(), branched(entryId, kind)),
    opened = run(asked.page, forked(transcript)),
    tab = opened.page.tabs.get("t2");
  ok(tab);
  return { request: asked.posts, drafts: tab.drafts, opened };
}

suite("branching", () => {
  test("edits a prompt in a branch before it, as a draft", () => {
    const { request, drafts, opened } = branch("u1", "edit");
    deepEqual(request, [{ type: "forkSession", tabId: "t1", newId: "t2", before: "u1" }]);
    deepEqual([drafts.text, drafts.attachments, drafts.onTheWay], ["one", [FILE], []]);
    ok(opened.effects.some(effect => effect.kind === "fill" && effect.tabId === "t2" && effect.text === "one"));
    equal(opened.page.selected, "t2");
    equal(opened.page.tabs.get("t1")?.drafts.text, "", "the source is unchanged");
  });

  test("sends a prompt again in a branch before it, once", () => {
    const { request, drafts, opened } = branch("u2", "retry", "User: one");
    deepEqual(request, [{ type: "forkSession", tabId: "t1", newId: "t2", before: "u2" }]);
    deepEqual(drafts.onTheWay, [
      { messageId: "t2-retry", text: "two", attachments: [{ kind: "transcript", text: "User: one" }] },
    ]);
    const sent = run(opened.page, snapshotOf("t2", { entries: ENTRIES.slice(0, 2) })).posts.filter(
      ({ type }) => type === "prompt",
    );
    deepEqual(sent, [
      {
        type: "prompt",
        tabId: "t2",
        messageId: "t2-retry",
        text: "two",
        attachments: [{ kind: "transcript", text: "User: one" }],
      },
    ]);
  });

  test("forks after the answer, with an empty draft and the transcript for an agent that needs it", () => {
    const { request, drafts } = branch("u1", "fork", "User: one");
    deepEqual(request, [{ type: "forkSession", tabId: "t1", newId: "t2", before: "u2" }]);
    deepEqual([drafts.text, drafts.attachments], ["", [{ kind: "transcript", text: "User: one" }]]);
    const last = branch("u2", "fork");
    deepEqual(last.request, [{ type: "forkSession", tabId: "t1", newId: "t2" }], "the whole conversation");
    deepEqual(last.drafts.attachments, []);
  });

  test("continues with an agent that the host asks for", () => {
    deepEqual(branch("u2", "continueWith").request, [
      { type: "forkSession", tabId: "t1", newId: "t2", choosesAgent: true },
    ]);
  });

  test("does not send a prompt whose attachment is not stored", () => {
    const image: Attachment = { kind: "image", name: "cat.png", mimeType: "image/png", data: "" },
      page = livePage(["t1"], [user("u1", "look", [image, FILE])]),
      tab = run(page, branched("u1", "retry"), forked()).page.tabs.get("t2");
    deepEqual([tab?.drafts.text, tab?.drafts.attachments, tab?.drafts.onTheWay], ["look", [FILE], []]);
  });

  test("opens its origin, or selects the tab of its origin", () => {
    const page = livePage(["t1"], ENTRIES, { origin: { conversation: "t2", title: "Source" } }),
      action: UiEvent = { kind: "actionChosen", tabId: "t1", action: "openOrigin", messageId: "m" };
    deepEqual(run(page, action).posts, [{ type: "openSession", tabId: "t1", conversation: "t2" }]);
    deepEqual(run(livePage(), action).posts, [], "no branch");
    const both = run(page, received({ type: "openTab", tabId: "t2", agentId: "ada", cwd: "/w" })).page,
      back = run(both, { kind: "selected", tabId: "t1" }, action);
    deepEqual([back.page.selected, back.posts.at(-1)], ["t2", { type: "selectTab", tabId: "t2" }]);
  });

  test("restores files with the conversation in a branch that the host creates, with the prompt as its draft", () => {
    const rewound: UiEvent = { kind: "rewound", tabId: "t1", entryId: "u1", newId: "t2" },
      asked = run(livePage(), rewound),
      tab = run(asked.page, forked()).page.tabs.get("t2");
    deepEqual(asked.posts, [{ type: "rewind", tabId: "t1", entryId: "u1", newId: "t2" }]);
    deepEqual([tab?.drafts.text, tab?.drafts.attachments, tab?.drafts.onTheWay], ["one", [FILE], []]);
  });

  test("restores files alone without a tab, and only to known prompts", () => {
    const full = livePage(["t1", ...Array.from({ length: MAX_TABS - 1 }, (_, i) => `x${i}`)]),
      files: UiEvent = { kind: "rewound", tabId: "t1", entryId: "u2" },
      asked = run(full, files);
    deepEqual([asked.posts, asked.page.branch], [[{ type: "rewind", tabId: "t1", entryId: "u2" }], undefined]);
    deepEqual(run(full, { ...files, newId: "t2" }).posts, []);
    deepEqual(run(full, { ...files, entryId: "a1" }).posts, []);
  });

  test("ignores unknown prompts, sessions that are not live, and more tabs than fit", () => {
    deepEqual(run(livePage(), branched("a1", "edit")).posts, []);
    const down = run(
      livePage(),
      received({
        type: "state",
        agents: [ADA],
        currentAgentId: "ada",
        tabs: ["t1"],
        sidecar: { state: "restarting", message: "…" },
      }),
    );
    deepEqual(run(down.page, branched("u1", "edit")).posts, []);
    const full = livePage(["t1", ...Array.from({ length: MAX_TABS - 1 }, (_, i) => `x${i}`)]),
      refused = run(full, branched("u1", "edit"));
    deepEqual(refused.posts, []);
    ok(refused.page.tabs.get(refused.page.selected ?? "")?.remark?.text.includes("Close one"));
  });
});
