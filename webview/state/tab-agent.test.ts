import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { emptyConversation, type Conversation, type Entry } from "../../src/protocol/chat/chat";
import type { HostToPage, PageToHost } from "../../src/protocol/page/host-to-page";
import { turnOf, type UiEvent, type Page, type Tab } from "./page-model";
import { openPage, saved, step } from "./page-state";
import { emptyPage, restored } from "./saved-page";
import { chatTitle } from "../../src/protocol/chat/chat-title";
import { viewOf } from "../view-model/tab/tab-view";

const ELIZA = { id: "elizacp", name: "Eliza" },
  GEMINI = { id: "gem", name: "Gemini" };
const user = (id: string, text = "hello"): Entry => ({ kind: "user", id, text }),
  failure: Entry = { kind: "notice", id: "n", severity: "error", text: "It did not start.", actions: ["selectAgent"] };
const state: HostToPage = {
  type: "state",
  agents: [ELIZA, GEMINI],
  currentAgentId: ELIZA.id,
  tabs: ["t"],
  sidecar: { state: "running" },
};

function run(page: Page, event: UiEvent): { readonly page: Page; readonly posts: readonly PageToHost[] } {
  const [after, effects] = step(page, event, 0);
  return { page: after, posts: effects.flatMap(effect => (effect.kind === "post" ? [effect.message] : [])) };
}
const received = (message: HostToPage): UiEvent => ({ kind: "received", message });
const snapshot = (conversation: Partial<Conversation>, agent = ELIZA, asked = 9_999): UiEvent =>
  received({
    type: "snapshot",
    tabId: "t",
    bootId: "b",
    seq: 3,
    requestNumber: asked,
    conversation: { ...emptyConversation(agent, "/w"), ...conversation },
  });
const live = (conversation: Partial<Conversation> = {}): Page =>
  run(run(openPage(emptyPage, 100, 0)[0], received(state)).page, snapshot(conversation)).page;
const tabOf = (page: Page): Tab => page.tabs.get("t")!;
const postTexts = (posts: readonly PageToHost[]): readonly string[] =>
  posts.map(post =>
    post.type === "newTab"
      ? `newTab ${post.agentId ?? ""}`
      : post.type === "prompt"
        ? `prompt ${post.text}`
        : post.type,
  );

suite("first screen of a tab", () => {
  const GOOSE = { id: "goose", name: "Goose" },
    offered = received({
      type: "firstScreen",
      screen: { agents: [{ ...GOOSE, about: "", origin: "" }], extensions: [], hasFolder: true },
    });
  const isShown = (page: Page): boolean => viewOf(page, tabOf(page)).firstScreen !== undefined;

  test("is shown before the first prompt, also with notices, and not while a stored session loads", () => {
    equal(isShown(live()), true);
    equal(isShown(live({ entries: [failure] })), true);
    equal(isShown(live({ entries: [user("m")] })), false);
    equal(isShown(run(live(), { kind: "submitted", tabId: "t", messageId: "m", text: "hi" }).page), false);
    equal(isShown(live({ origin: { conversation: "other", title: "" } })), false);
    const stored = run(openPage(emptyPage, 100, 0)[0], received({ ...state, tabs: [] })).page,
      opening = run(stored, received({ type: "openTab", tabId: "s", agentId: ELIZA.id, cwd: "/w" })).page;
    equal(viewOf(opening, opening.tabs.get("s")!).firstScreen, undefined);
  });

  test("offers an agent that is not configured yet, which keeps its name", () => {
    const { page, posts } = run(run(live(), offered).page, { kind: "agentChosen", agentId: "goose" });
    deepEqual(tabOf(page).conversation.agent, GOOSE);
    deepEqual(postTexts(posts).slice(0, 3), ["selectAgent", "closeTab", "newTab goose"]);
  });

  test("starts an agent again that failed to start, if it is chosen again", () => {
    const again = { kind: "agentChosen", agentId: ELIZA.id } as const;
    deepEqual(postTexts(run(live({ entries: [failure] }), again).posts).slice(0, 3), [
      "selectAgent",
      "closeTab",
      "newTab elizacp",
    ]);
    deepEqual(postTexts(run(live(), again).posts), ["selectAgent"]);
    deepEqual(postTexts(run(live({ entries: [failure], accepts: { images: false } }), again).posts), ["selectAgent"]);
  });

  test("starts Eliza in this tab only", () => {
    const gemini = run(live(), { kind: "agentChosen", agentId: "gem" }).page,
      { page, posts } = run(gemini, { kind: "demoStarted", tabId: "t" });
    deepEqual([tabOf(page).conversation.agent, page.currentAgentId], [ELIZA, "gem"]);
    deepEqual(postTexts(posts), ["closeTab", "newTab elizacp", "selectTab", "webviewReady"]);
    deepEqual(run(page, { kind: "demoStarted", tabId: "t" }).posts, []);
    deepEqual(run(live({ entries: [user("m")] }), { kind: "demoStarted", tabId: "t" }).posts, []);
  });

  test("adds a suggested prompt to the draft, and sends nothing", () => {
    const first = run(live(), { kind: "suggested", tabId: "t", text: "Explain" }),
      second = run(first.page, { kind: "suggested", tabId: "t", text: "Test" });
    deepEqual(
      [tabOf(first.page).drafts.text, tabOf(second.page).drafts.text, [...first.posts, ...second.posts]],
      ["Explain", "Explain\nTest", []],
    );
  });

  test("starts again once with changed settings; a tab with a prompt keeps its session", () => {
    const outdated = received({ ...state, outdated: ["t"] } as HostToPage),
      { page, posts } = run(live(), outdated);
    deepEqual(postTexts(posts), ["closeTab", "newTab elizacp", "selectTab", "webviewReady"]);
    deepEqual(run(page, outdated).posts, []);
    deepEqual(run(live({ entries: [user("m")] }), outdated).posts, []);
  });

  test("keeps the last remark when changed settings start it again", () => {
    const outdated = received({ ...state, outdated: ["t"] } as HostToPage),
      remarked = run(live(), received({ type: "notice", tone: "info", message: "Added.", actions: [] })).page;
    equal(tabOf(run(remarked, outdated).page).remark?.text, "Added.");
  });

  test("disables and previews extensions", () =>
    deepEqual(
      [
        ...run(live(), { kind: "extensionsDisabled", ids: ["sparkle"] }).posts,
        ...run(live(), { kind: "extensionsPreviewed" }).posts,
      ],
      [{ type: "disableExtensions", ids: ["sparkle"] }, { type: "previewExtensions" }],
    ));
});

suite("agent of a tab", () => {
  test("is replaced before the first prompt, with a new session and the same draft", () => {
    const typed = run(live({ entries: [failure] }), { kind: "typed", tabId: "t", text: "half" }).page,
      { page, posts } = run(typed, { kind: "agentChosen", agentId: "gem" });
    deepEqual(postTexts(posts), ["selectAgent", "closeTab", "newTab gem", "selectTab", "webviewReady"]);
    deepEqual(
      [tabOf(page).conversation.agent, tabOf(page).conversation.entries, tabOf(page).drafts.text, page.currentAgentId],
      [GEMINI, [], "half", "gem"],
    );
    const [asked] = posts.flatMap(post => (post.type === "webviewReady" ? post.tabs : []));
    deepEqual([asked?.agentId, asked?.at], ["gem", undefined]);
  });

  test("ignores late messages of the replaced session", () => {
    const replaced = run(live(), { kind: "agentChosen", agentId: "gem" }).page;
    const late = run(
      replaced,
      received({ type: "event", tabId: "t", bootId: "b", seq: 4, event: { type: "upsert", entry: failure } }),
    ).page;
    const older = run(late, snapshot({ entries: [failure] }, ELIZA, tabOf(live()).seen.requestNumber)).page;
    deepEqual([tabOf(older).conversation.entries, tabOf(older).conversation.agent], [[], GEMINI]);
    const there = run(older, snapshot({}, GEMINI)).page;
    deepEqual([tabOf(there).phase, tabOf(there).conversation.agent], ["live", GEMINI]);
  });

  test("stays after the first prompt, with an offer of a new tab", () => {
    const { page, posts } = run(live({ entries: [user("m"), { kind: "agent", id: "a", text: "Hi" }] }), {
        kind: "agentChosen",
        agentId: "gem",
      }),
      { banner, agent } = viewOf(page, tabOf(page));
    deepEqual(
      [postTexts(posts), agent, banner?.buttons.map(({ id, label }) => [id, label])],
      [["selectAgent"], ELIZA, [["tabWith:gem", "New Tab with Gemini"]]],
    );
    equal(run(page, { kind: "newTabWanted", tabId: "t", agentId: "gem" }).page.openingWith, "gem");
    equal(
      viewOf(
        run(page, { kind: "agentChosen", agentId: ELIZA.id }).page,
        tabOf(run(page, { kind: "agentChosen", agentId: ELIZA.id }).page),
      ).banner,
      undefined,
      "the offer goes when the user goes back",
    );
  });

  test("is replaced after a failed start, and the waiting prompts are sent in order with new ids", () => {
    const { page, posts } = run(
      live({ entries: [user("1", "one"), failure, user("2", "two"), failure] }),
      received({ type: "agentSelected", tabId: "t", agentId: "gem" }),
    );
    deepEqual(postTexts(posts), ["closeTab", "newTab gem", "selectTab", "webviewReady"]);
    const [first, second] = tabOf(page).drafts.onTheWay;
    deepEqual([first?.text, second?.text, turnOf(tabOf(page))], ["one", "two", "starting"]);
    ok(
      first !== undefined && second !== undefined && new Set([first.messageId, second.messageId, "1", "2"]).size === 4,
    );
    const there = run(page, snapshot({}, GEMINI));
    deepEqual(postTexts(there.posts), ["prompt one"]);
    deepEqual(
      postTexts(
        run(
          there.page,
          received({
            type: "event",
            tabId: "t",
            bootId: "b",
            seq: 4,
            event: { type: "upsert", entry: user(first.messageId, "one") },
          }),
        ).posts,
      ),
      ["prompt two"],
    );
  });

  test("is not replaced after an answer, and the draft is not sent", () => {
    for (const entries of [
      [user("1"), { kind: "agent", id: "a", text: "Hi" }],
      [
        user("1"),
        {
          kind: "tool",
          id: "x",
          toolCallId: "x",
          title: "",
          toolKind: "",
          status: "completed",
          content: [],
          locations: [],
        },
      ],
    ] satisfies Entry[][]) {
      const { page, posts } = run(live({ entries }), received({ type: "agentSelected", tabId: "t", agentId: "gem" }));
      deepEqual(
        [postTexts(posts), tabOf(page).conversation.agent, viewOf(page, tabOf(page)).banner?.buttons.length],
        [[], ELIZA, 1],
      );
    }
    const busy = live({ entries: [user("1")], turn: { state: "running", messageId: "1" } });
    deepEqual(postTexts(run(busy, received({ type: "agentSelected", tabId: "t", agentId: "gem" })).posts), []);
  });

  test("turns a prompt with a missing attachment into a draft", () => {
    const lost: Entry = {
      kind: "user",
      id: "1",
      text: "look",
      attachments: [{ kind: "image", name: "a.png", mimeType: "image/png", data: "" }],
    };
    const { drafts } = tabOf(
      run(live({ entries: [lost, failure] }), received({ type: "agentSelected", tabId: "t", agentId: "gem" })).page,
    );
    deepEqual([drafts.text, drafts.onTheWay], ["look", []]);
  });
});

suite("tab title", () => {
  const titleOf = (page: Page) => {
    const { conversation, drafts } = tabOf(page);
    return chatTitle(conversation, drafts.onTheWay[0]?.text);
  };
  const of = (conversation: Partial<Conversation>): string | undefined => titleOf(live(conversation));

  test("uses the agent's title or the first prompt, on one short line", () => {
    deepEqual(
      [
        of({}),
        of({ entries: [user("1", " Explain\n this  project ")] }),
        of({ title: "Refactoring", entries: [user("1")] }),
        of({ title: "", entries: [user("1", "hi")] }),
      ],
      [undefined, "Explain this project", "Refactoring", "hi"],
    );
    equal(
      of({ entries: [user("1", "Write a test for the function that counts words in a file")] }),
      "Write a test for the function that…",
    );
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), text => {
        const title = of({ entries: [user("1", text)] });
        return title === undefined ? text.trim() === "" : title.length <= 41 && !/[\n\r]/.test(title);
      }),
    );
  });

  test("persists across reloads", () => {
    const reloaded = (page: Page): string | undefined =>
      titleOf(openPage(restored(JSON.parse(JSON.stringify(saved(page)))), 0, 0)[0]);
    equal(reloaded(live({ title: "Refactoring", entries: [user("1")] })), "Refactoring");
    equal(reloaded(live({ entries: [user("1", "Explain this")] })), "Explain this");
  });
});
