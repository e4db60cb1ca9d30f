import { deepEqual, doesNotMatch, equal, match } from "node:assert/strict";
import { emptyConversation, type Conversation, type Entry } from "../../../src/protocol/chat/chat";
import type { Elicitation } from "../../../src/protocol/chat/elicitation";
import { meaningOf, NEW_TAB } from "../cards/buttons";
import { noDrafts, type Drafts } from "../../state/drafts";
import { freshTab, type Page, type Tab } from "../../state/page-model";
import { openPage } from "../../state/page-state";
import { emptyPage } from "../../state/saved-page";
import { viewOf } from "./tab-view";

const ELIZA = { id: "elizacp", name: "Eliza <3" };
const page = (rest: Partial<Page> = {}): Page => ({ ...openPage(emptyPage, 0, 0)[0], ...rest });
const tab = (conversation: Partial<Conversation> = {}, rest: Partial<Tab> = {}): Tab => ({
  ...freshTab("t", ELIZA, 0, 0),
  phase: "live",
  conversation: { ...emptyConversation(ELIZA, "/"), ...conversation },
  ...rest,
});
const question: Entry = {
  kind: "permission",
  id: "q",
  agent: "Eliza",
  toolEntryId: "t",
  title: "Go?",
  toolKind: "other",
  content: [],
  options: [{ optionId: "o", name: "Yes", kind: "allow_once" }],
};

const form: Elicitation = {
  kind: "elicitation",
  id: "f",
  agent: "Eliza",
  message: "Your name?",
  ask: { mode: "form", fields: [{ type: "text", name: "n", title: "Name", required: true }] },
};

suite("tab view", () => {
  test("shows a sent prompt under the key of its later entry", () => {
    const before = viewOf(page(), tab({}, { drafts: { ...noDrafts, onTheWay: [{ messageId: "m", text: "hi" }] } }));
    const after = viewOf(page(), tab({ entries: [{ kind: "user", id: "m", text: "hi" }] }));
    deepEqual(before.cards, after.cards);
    deepEqual([before.turn, after.turn], ["starting", "idle"]);
  });

  test("shows one of 58 open questions with the number of the others", () => {
    const many = (answered: number): readonly Entry[] =>
      Array.from(
        { length: 58 },
        (_, n): Entry =>
          ({
            ...question,
            id: `q${n}`,
            ...(n < answered ? { answered: { kind: "cancelled", why: "no" } } : {}),
          }) as Entry,
      );
    const drawn = (answered: number): readonly string[] =>
      viewOf(page({ sidecar: { state: "running" } }), tab({ entries: many(answered) }))
        .cards.filter(({ buttons }) => buttons.length > 0)
        .map(({ key }) => key);
    deepEqual([drawn(0), drawn(1), drawn(56), drawn(57), drawn(58)], [["q0"], ["q1"], ["q56", "q57"], ["q57"], []]);
    const bodyOf = (answered: number): string =>
      viewOf(page(), tab({ entries: many(answered) })).cards[answered]?.body ?? "";
    match(bodyOf(0), /\*57 more questions wait\. Answer this one to see the next\.\*/);
    match(bodyOf(55), /\*2 more questions wait\./);
    doesNotMatch(bodyOf(56), /wait/);
  });

  test("escapes a title as HTML and shows a status as text", () => {
    const view = viewOf(page(), tab({ turn: { state: "running", messageId: "m" } }));
    equal(
      view.title,
      '<span class="symposium-dot symposium-dot-working"></span><span class="symposium-unseen">working: </span>Eliza &lt;3',
    );
    equal(viewOf(page(), tab({})).title, "Eliza &lt;3");
    equal(view.status, "Eliza <3 is working…");
    equal(
      viewOf(page(), tab({ turn: { state: "cancelling", messageId: "m" } })).status,
      "Stopping… Eliza <3 has not ended its turn yet.",
    );
  });

  test("marks a tab with a draft visually and for screen readers", () => {
    const title = (drafts: Partial<Drafts>) => viewOf(page(), tab({}, { drafts: { ...noDrafts, ...drafts } })).title;
    const marked = `<span aria-hidden="true">✎ </span><span class="symposium-unseen">draft: </span>Eliza &lt;3`;
    deepEqual(
      [title({ text: "x" }), title({ attachments: [{ kind: "file", path: "/a" }] }), title({ text: " " })],
      [marked, marked, "Eliza &lt;3"],
    );
  });

  test("shows attachments, queue and the required modifier", () => {
    const attachments = [{ kind: "file", path: "/a" }] as const,
      queue = { prompts: [{ messageId: "m", text: "t" }], held: true };
    const view = viewOf(page({ requireModifier: true }), tab({ queue }, { drafts: { ...noDrafts, attachments } }));
    deepEqual(
      [view.attachments, view.requireModifier, view.queue],
      [attachments, true, { held: true, prompts: [{ prompt: queue.prompts[0], state: "waiting" }] }],
    );
  });

  test("offers to answer a question only in a live tab with a sidecar", () => {
    const buttons = (p: Page, t: Tab) =>
      viewOf(p, t).cards.flatMap(card => [...card.buttons, ...card.menuButtons]).length;
    equal(buttons(page(), tab({ entries: [question] })), 2);
    equal(buttons(page(), tab({ entries: [question] }, { phase: "restored" })), 0);
    equal(buttons(page({ sidecar: { state: "restarting", message: "." } }), tab({ entries: [question] })), 0);
    equal(buttons(page(), tab({ entries: [question] }, { answering: [{ entryId: "q", since: 0 }] })), 0);
  });

  test("opens a form only in a live tab without a pending answer", () => {
    const open = (p: Page, t: Tab) => viewOf(p, t).cards[0]?.form?.open;
    deepEqual(
      [
        open(page(), tab({ entries: [form] })),
        open(page(), tab({ entries: [form] }, { phase: "restored" })),
        open(page(), tab({ entries: [form] }, { answering: [{ entryId: "f", since: 0 }] })),
        open(page(), tab({ entries: [{ ...form, answered: { kind: "declined" } }] })),
      ],
      [true, false, false, undefined],
    );
  });

  test("pins a plan with open steps or during its turn", () => {
    const plan = (...states: string[]): Entry => ({
      kind: "plan",
      id: `p${states.join("")}`,
      steps: states.map(status => ({ content: "x", priority: "", status })),
    });
    const user: Entry = { kind: "user", id: "u", text: "hi" };
    const pinned = (entries: readonly Entry[], running = false) =>
      viewOf(page(), tab({ entries, turn: running ? { state: "running", messageId: "u" } : { state: "idle" } })).plan
        ?.length;
    deepEqual(
      [
        pinned([user]),
        pinned([user, plan("pending")]),
        pinned([user, plan("completed")]),
        pinned([user, plan("completed")], true),
        pinned([plan("completed"), user], true),
        pinned([plan("pending", "pending"), user, plan()]),
      ],
      [undefined, 1, undefined, 1, undefined, undefined],
    );
  });

  test("attaches mentioned terminals once to a tool call, with another folder if different", () => {
    const terminals = ["x", "y", "z"].map(terminalId => ({
      terminalId,
      command: terminalId,
      cwd: terminalId === "y" ? "/sub" : "/",
      output: "",
      isCut: false,
    }));
    const call: Entry = {
      kind: "tool",
      id: "t",
      toolCallId: "t",
      title: "Run",
      toolKind: "execute",
      status: "in_progress",
      locations: [],
      content: ["y", "x", "y", "gone"].map(terminalId => ({ kind: "terminal", terminalId })),
    };
    const [card] = viewOf(page(), tab({ entries: [call], terminals })).cards;
    deepEqual(
      card?.terminals.map(({ terminal, where }) => [terminal.terminalId, where]),
      [
        ["y", "/sub"],
        ["x", undefined],
      ],
    );
    equal(viewOf(page(), tab({ entries: [call], terminals })).cards[0], card);
  });

  test("offers Follow for an agent with locations", () => {
    const call = (path: string): Entry => ({
      kind: "tool",
      id: path,
      toolCallId: "t",
      title: "Read",
      toolKind: "read",
      status: "completed",
      content: [],
      locations: path === "" ? [] : [{ path }],
    });
    deepEqual(
      [
        viewOf(page(), tab({ entries: [call("")] })).following,
        viewOf(page(), tab({ entries: [call("/a")] })).following,
        viewOf(page({ following: true }), tab({ entries: [call("/a")] })).following,
      ],
      [undefined, false, true],
    );
  });

  test("shows the sources of a permission bypass in the tab", () => {
    const bypassed = page({ bypassed: [{ tabId: "t", by: ["agent"] }] });
    deepEqual(
      [
        viewOf(bypassed, tab({ agent: { id: "ada", name: "Ada" } }, { tabId: "t" })).bypassed?.tooltip,
        viewOf(bypassed, tab({}, { tabId: "u" })).bypassed,
      ],
      ["Ada acts without asking you. Change this in the settings.", undefined],
    );
    deepEqual(meaningOf("action:openSettings"), { kind: "action", action: "openSettings" });
  });

  test("shows an outdated tab with a button for a new one, below more important banners", () => {
    const outdated = page({ outdated: ["t"] }),
      banner = (of: Page, overrides: Partial<Tab> = {}) => viewOf(of, tab({}, overrides)).banner;
    deepEqual(banner(outdated, { tabId: "t" }), {
      tone: "info",
      text: "This tab still uses its old settings\\.",
      buttons: [NEW_TAB],
    });
    deepEqual(
      [
        banner(outdated, { tabId: "u" }),
        banner(outdated, { tabId: "t", remark: { tone: "info", text: "Mind." } })?.text,
      ],
      [undefined, "Mind\\."],
    );
    equal(banner({ ...outdated, sidecar: { state: "restarting", message: "Wait." } }, { tabId: "t" })?.text, "Wait\\.");
    deepEqual(meaningOf(NEW_TAB.id), { kind: "newTab" });
  });

  test("prefers a failed sidecar to a remark", () => {
    const remarked = tab({}, { remark: { tone: "info", text: "Mind." } });
    deepEqual(viewOf(page(), remarked).banner, { tone: "info", text: "Mind\\.", buttons: [] });
    const withButton = tab({}, { remark: { tone: "warning", text: "Mind", actions: ["showLogs"] } });
    deepEqual(
      viewOf(page(), withButton).banner?.buttons.map(({ label }) => label),
      ["Show Logs"],
    );
    const failed = viewOf(
      page({ sidecar: { state: "failed", message: "Gone.", actions: ["restartSidecar", "showLogs"] } }),
      remarked,
    ).banner;
    const kept = tab({}, { remark: { tone: "info", text: "Your text is saved.", until: "sidecar" } });
    deepEqual(
      [viewOf(page({ sidecar: { state: "restarting", message: "Wait." } }), kept).banner?.text, failed?.text],
      ["Wait\\. Your text is saved\\.", "Gone\\."],
    );
    deepEqual([failed?.tone, failed?.buttons.map(({ label }) => label)], ["error", ["Restart Sidecar", "Show Logs"]]);
  });
});
