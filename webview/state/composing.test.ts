import { deepEqual, equal, ok } from "node:assert/strict";
import { IMAGE_LIMIT, type Attachment } from "../../src/protocol/chat/attachments";
import {
  emptyConversation,
  type ChatEvent,
  type Conversation,
  type Entry,
  type QueuedPrompt,
} from "../../src/protocol/chat/chat";
import type { HostToPage, PageToHost } from "../../src/protocol/page/host-to-page";
import { UNSENT_LIMIT } from "./attachment-sizes";
import { noDrafts } from "./drafts";
import { withTab, type Effect, type UiEvent, type Page } from "./page-model";
import { openPage, saved, step } from "./page-state";
import { emptyPage, restored } from "./saved-page";

const ELIZA = { id: "elizacp", name: "Eliza" };
const FILE: Attachment = { kind: "file", path: "/w/a.ts" };
const IMAGE: Attachment = { kind: "image", name: "cat.png", mimeType: "image/png", data: "AAAA" };
const stateMessage = (rest: Partial<Extract<HostToPage, { type: "state" }>> = {}): UiEvent => ({
  kind: "received",
  message: {
    type: "state",
    agents: [ELIZA],
    currentAgentId: ELIZA.id,
    tabs: ["t1"],
    sidecar: { state: "running" },
    ...rest,
  },
});
const snapshot = (conversation: Partial<Conversation>, bootId = "b1", seq = 0): UiEvent => ({
  kind: "received",
  message: {
    type: "snapshot",
    tabId: "t1",
    bootId,
    seq,
    requestNumber: 99_999,
    conversation: { ...emptyConversation(ELIZA, "/w"), ...conversation },
  },
});
const event = (seq: number, event: ChatEvent): UiEvent => ({
  kind: "received",
  message: { type: "event", tabId: "t1", bootId: "b1", seq, event },
});
const attach = (attachments: readonly Attachment[], more: { tabId?: string; text?: string } = {}): UiEvent => ({
  kind: "received",
  message: { type: "attach", attachments, ...more },
});
const attached = (...attachments: readonly Attachment[]): UiEvent => ({ kind: "attached", tabId: "t1", attachments });
const typed = (text: string): UiEvent => ({ kind: "typed", tabId: "t1", text });

interface Ran {
  readonly page: Page;
  readonly effects: readonly Effect[];
  readonly posts: readonly PageToHost[];
}
function run(page: Page, ...happenings: readonly UiEvent[]): Ran {
  return happenings.reduce<Ran>(
    (so, event) => {
      const [after, effects] = step(so.page, event, 0);
      return {
        page: after,
        effects,
        posts: effects.flatMap(effect => (effect.kind === "post" ? [effect.message] : [])),
      };
    },
    { page, effects: [], posts: [] },
  );
}
const livePage = (conversation: Partial<Conversation> = {}): Page =>
  run(openPage(emptyPage, 100, 0)[0], stateMessage(), snapshot(conversation)).page;
const tabOf = (page: Page) => page.tabs.get("t1")!;
const draftOf = (page: Page) => {
  const { text, attachments } = tabOf(page).drafts;
  return { text, attachments };
};
const reopened = (page: Page): Page => openPage(restored(JSON.parse(JSON.stringify(saved(page)))), 0, 0)[0];

suite("composing: attachments", () => {
  test("are sent with the prompt, also without text, and leave the draft empty", () => {
    const sent = run(livePage(), attached(FILE), { kind: "submitted", tabId: "t1", messageId: "m1", text: "" });
    deepEqual(sent.posts, [{ type: "prompt", tabId: "t1", messageId: "m1", text: "", attachments: [FILE] }]);
    deepEqual(draftOf(sent.page), { text: "", attachments: [] });
    equal(run(livePage(), { kind: "submitted", tabId: "t1", messageId: "m1", text: " " }).posts.length, 0);
  });

  test("can be removed, are added once and survive a reload", () => {
    const page = run(livePage(), attached(FILE, IMAGE, FILE)).page;
    deepEqual(draftOf(reopened(page)).attachments, [FILE, IMAGE]);
    deepEqual(draftOf(run(page, { kind: "detached", tabId: "t1", attachment: FILE }).page).attachments, [IMAGE]);
  });

  test("return with a failed prompt and stay with a rejected one", () => {
    const submitted: UiEvent = { kind: "submitted", tabId: "t1", messageId: "m1", text: "look" };
    const sent = run(livePage(), attached(FILE), submitted).page;
    deepEqual(
      draftOf(
        run(sent, { kind: "received", message: { type: "failed", tabId: "t1", messageId: "m1", message: "No." } }).page,
      ),
      { text: "look", attachments: [FILE] },
    );
    const failed = stateMessage({ sidecar: { state: "failed", message: "Gone.", actions: [] } });
    const down = run(livePage(), attached(FILE), failed, submitted).page;
    deepEqual(draftOf(down), { text: "look", attachments: [FILE] });
  });

  test("exclude images for an agent without image support, with a sentence", () => {
    const refused = run(livePage({ accepts: { images: false } }), attached(IMAGE, FILE)).page;
    deepEqual([draftOf(refused).attachments, tabOf(refused).remark?.text], [[FILE], "Eliza does not support images."]);
    for (const conversation of [{}, { accepts: { images: true } }])
      deepEqual(draftOf(run(livePage(conversation), attached(IMAGE)).page).attachments, [IMAGE]);
  });

  test("are limited to fifty, in image size and in total size", () => {
    const files = Array.from({ length: 51 }, (_, i): Attachment => ({ kind: "file", path: `/w/${i}` }));
    const full = run(livePage(), attached(...files)).page;
    deepEqual(
      [draftOf(full).attachments.length, tabOf(full).remark?.text],
      [50, "A prompt can have at most 50 attachments."],
    );
    const large = run(livePage(), attached({ ...IMAGE, data: "A".repeat(IMAGE_LIMIT + 1) })).page;
    deepEqual(
      [draftOf(large).attachments, tabOf(large).remark?.text],
      [[], "Size limit of attachments exceeded: cat.png. Send the prompt, or remove some attachments."],
    );
    const images = ["a", "b", "c", "d"].map((name): Attachment => ({ ...IMAGE, name, data: name.repeat(IMAGE_LIMIT) }));
    const most = run(livePage(), ...images.map(image => attached(image))).page;
    deepEqual(
      draftOf(most).attachments.map(({ kind }) => kind),
      ["image", "image"],
    );
    ok(JSON.stringify(saved(most)).length < UNSENT_LIMIT + 10_000);
    // Prompts in flight and queued prompts are kept, too.
    const sent = run(most, { kind: "submitted", tabId: "t1", messageId: "m1", text: "" }, attached(images[2]!)).page;
    const queued = run(
      livePage({ queue: { prompts: [{ messageId: "q", text: "", attachments: images.slice(0, 2) }], held: true } }),
      attached(images[2]!),
    ).page;
    for (const page of [sent, queued]) equal(draftOf(page).attachments.length, 0);
  });

  test("above fifty after a return are kept, and block sending until removed", () => {
    const files = Array.from({ length: 51 }, (_, i): Attachment => ({ kind: "file", path: `/w/${i}` }));
    const page = livePage();
    const many = withTab(page, { ...tabOf(page), drafts: { ...noDrafts, attachments: files } });
    const refused = run(many, { kind: "submitted", tabId: "t1", messageId: "m1", text: "all" });
    deepEqual([refused.posts, draftOf(refused.page)], [[], { text: "all", attachments: files }]);
    equal(
      run(
        refused.page,
        { kind: "detached", tabId: "t1", attachment: FILE },
        { kind: "detached", tabId: "t1", attachment: files[0]! },
        { kind: "submitted", tabId: "t1", messageId: "m1", text: "all" },
      ).posts.length,
      1,
    );
  });

  test("from the host come with lines for the end of the draft", () => {
    const page = run(livePage(), attach([FILE], { text: "one" }), attach([IMAGE], { text: "two" })).page;
    deepEqual(draftOf(page), { text: "one\ntwo", attachments: [FILE, IMAGE] });
  });

  test("from the host are added to the named tab, the selected tab or a new tab", () => {
    const two = run(
      livePage(),
      { kind: "received", message: { type: "openTab" } },
      { kind: "opened", tabId: "t2" },
    ).page;
    equal(two.selected, "t2");
    const named = run(two, attach([FILE], { tabId: "t1" }));
    deepEqual(
      [named.page.tabs.get("t1")!.drafts.attachments, named.effects.some(({ kind }) => kind === "focus")],
      [[FILE], false],
    );
    const selected = run(two, attach([FILE]));
    deepEqual(selected.page.tabs.get("t2")!.drafts.attachments, [FILE]);
    ok(selected.effects.some(effect => effect.kind === "focus" && effect.tabId === "t2"));
    const none = run(openPage(emptyPage, 100, 0)[0], stateMessage({ tabs: [] }), attach([FILE]), attach([IMAGE]));
    deepEqual(none.effects, [{ kind: "openOne" }]);
    const opened = run(none.page, { kind: "opened", tabId: "t9" });
    deepEqual(opened.page.tabs.get("t9")!.drafts.attachments, [FILE, IMAGE]);
    ok(opened.effects.some(({ kind }) => kind === "focus"));
    deepEqual(run(opened.page, { kind: "opened", tabId: "t10" }).page.tabs.get("t10")!.drafts.attachments, []);
    equal(run(two, attach([FILE], { tabId: "gone" })).page, two);
  });

  test("contain the transcript once for an agent without memory of the session", () => {
    const page = livePage({ entries: [{ kind: "user", id: "m1", text: "look" }] }),
      send: UiEvent = { kind: "actionChosen", tabId: "t1", action: "sendTranscript", messageId: "m2" };
    const sent = run(page, typed("again"), send, send);
    deepEqual(draftOf(sent.page), { text: "again", attachments: [{ kind: "transcript", text: "User: look" }] });
    ok(sent.effects.some(({ kind }) => kind === "focus"));
    deepEqual(draftOf(run(livePage(), send).page).attachments, []);
  });

  test("are sent again, or restored as a draft if the content was not stored", () => {
    const again = (attachments: readonly Attachment[]) =>
      run(livePage({ entries: [{ kind: "user", id: "m1", text: "look", attachments }] }), {
        kind: "actionChosen",
        tabId: "t1",
        action: "sendAgain",
        messageId: "m2",
      });
    deepEqual(again([FILE, IMAGE]).posts, [
      { type: "prompt", tabId: "t1", messageId: "m2", text: "look", attachments: [FILE, IMAGE] },
    ]);
    const lost = again([FILE, { ...IMAGE, data: "" }]);
    deepEqual(
      [lost.posts, draftOf(lost.page), tabOf(lost.page).remark?.text],
      [
        [],
        { text: "look", attachments: [FILE] },
        `These attachments are no longer stored: ${IMAGE.name}. Attach them again, then send the prompt.`,
      ],
    );
    ok(lost.effects.some(effect => effect.kind === "fill" && effect.text === "look"));
  });

  test("are opened if they have a text", () => {
    const open = (attachment: Attachment) =>
      run(livePage(), { kind: "attachmentOpened", tabId: "t1", attachment }).posts;
    deepEqual(open({ kind: "transcript", text: "User: look" }), [
      { type: "openText", title: "Transcript", text: "User: look" },
    ]);
    deepEqual(open(FILE), []);
  });

  test("are sent again after their prompt has left the loaded part", () => {
    const newestPrompt = { kind: "user", id: "m1", text: "look", attachments: [FILE] } as const,
      page = livePage({ omitted: { count: 1, promptIds: ["m1"], newestPrompt } });
    deepEqual(run(page, { kind: "actionChosen", tabId: "t1", action: "sendAgain", messageId: "m2" }).posts, [
      { type: "prompt", tabId: "t1", messageId: "m2", text: "look", attachments: [FILE] },
    ]);
  });

  test("are requested from the host, which reports the reason of a failure", () => {
    deepEqual(run(livePage(), { kind: "contextRequested", tabId: "t1", source: { kind: "problems" } }).posts, [
      { type: "requestContext", tabId: "t1", source: { kind: "problems" } },
    ]);
    equal(tabOf(run(livePage(), { kind: "notTaken", tabId: "t1", why: "No." }).page).remark?.text, "No.");
  });

  test("redraws the tab when a draft appears or disappears", () => {
    const shows = (page: Page, text: string) => run(page, typed(text)).effects.some(({ kind }) => kind === "show");
    const page = livePage(),
      withText = run(page, typed("x")).page;
    deepEqual(
      [shows(page, "x"), shows(withText, "xy"), shows(withText, ""), shows(run(withText, attached(FILE)).page, "")],
      [true, false, true, false],
    );
  });
});

suite("composing: sending", () => {
  test("sends prompts one by one in order", () => {
    const submit = (messageId: string): UiEvent => ({ kind: "submitted", tabId: "t1", messageId, text: messageId });
    const first = run(livePage(), submit("m1")),
      all = run(first.page, submit("m2"), submit("m3"));
    deepEqual([first.posts, all.posts], [[{ type: "prompt", tabId: "t1", messageId: "m1", text: "m1" }], []]);
    const began = run(all.page, event(1, { type: "upsert", entry: { kind: "user", id: "m1", text: "m1" } }));
    const waits = run(
      began.page,
      event(2, { type: "queue", queue: { prompts: [{ messageId: "m2", text: "m2" }], held: false } }),
    );
    const failed = run(began.page, {
      kind: "received",
      message: { type: "failed", tabId: "t1", messageId: "m2", message: "No." },
    });
    const again = run(began.page, snapshot({ entries: [{ kind: "user", id: "m1", text: "m1" }] }, "b1", 4));
    deepEqual(
      [began, waits, failed, again].map(({ posts }) =>
        posts.map(message => message.type === "prompt" && message.messageId),
      ),
      [["m2"], ["m3"], ["m3"], ["m2"]],
    );
    equal(run(began.page, event(2, { type: "title", title: "x" })).posts.length, 0);
  });
});

suite("composing: mentions", () => {
  test("offers only mentions for the latest query", () => {
    const asked = run(
      livePage(),
      { kind: "searched", tabId: "t1", query: "a" },
      { kind: "searched", tabId: "t1", query: "ab" },
    );
    const [find] = asked.posts;
    ok(find?.type === "findMentions" && find.query === "ab");
    const answer = (number: number) =>
      run(asked.page, { kind: "received", message: { type: "mentionsFound", requestNumber: number, mentions: [] } })
        .effects;
    deepEqual(
      [answer(find.requestNumber), answer(find.requestNumber), answer(find.requestNumber - 1)],
      [
        [{ kind: "offer", tabId: "t1", query: "ab", mentions: [] }],
        [{ kind: "offer", tabId: "t1", query: "ab", mentions: [] }],
        [],
      ],
    );
  });
});

suite("composing: queue", () => {
  const first: QueuedPrompt = { messageId: "q1", text: "first", attachments: [FILE] },
    second: QueuedPrompt = { messageId: "q2", text: "second" };
  const waiting = (held = false): Page =>
    livePage({ turn: { state: "running", messageId: "m" }, queue: { prompts: [first, second], held } });
  const queue = (seq: number, ...prompts: readonly QueuedPrompt[]): UiEvent =>
    event(seq, { type: "queue", queue: { prompts, held: false } });
  const edit: UiEvent = { kind: "withdrawn", tabId: "t1", messageId: "q1", to: "edit" };

  test("withdraws an edited prompt and puts it before the typed draft", () => {
    const asked = run(waiting(), typed("typed"), edit);
    deepEqual(asked.posts, [{ type: "withdraw", tabId: "t1", messageId: "q1" }]);
    deepEqual(draftOf(asked.page), { text: "typed", attachments: [] });
    const gone = run(asked.page, queue(1, second));
    deepEqual(draftOf(gone.page), { text: "first\ntyped", attachments: [FILE] });
    ok(gone.effects.some(effect => effect.kind === "fill" && effect.text === "first\ntyped"));
  });

  test("does not edit a prompt that was sent in the meantime", () => {
    const entry: Entry = { kind: "user", id: "q1", text: "first", attachments: [FILE] };
    deepEqual(draftOf(run(waiting(), edit, event(1, { type: "upsert", entry }), queue(2, second)).page), {
      text: "",
      attachments: [],
    });
  });

  test("withdraws a dropped prompt without a draft", () => {
    const dropped = run(waiting(), { kind: "withdrawn", tabId: "t1", messageId: "q1", to: "drop" });
    deepEqual(dropped.posts, [{ type: "withdraw", tabId: "t1", messageId: "q1" }]);
    deepEqual(draftOf(run(dropped.page, queue(1, second)).page), { text: "", attachments: [] });
    equal(dropped.effects[0]?.kind, "save", "the next page must not wait for the removed prompt");
  });

  test("withdraws nothing without a queued prompt or session", () => {
    equal(run(waiting(), { ...edit, messageId: "q9" }).posts.length, 0);
    equal(run(reopened(waiting()), edit).posts.length, 0);
  });

  test("repeats the withdrawal after a page reload", () => {
    const next = reopened(run(waiting(), edit).page);
    deepEqual(run(next, snapshot({ queue: { prompts: [first, second], held: false } }, "b1", 3)).posts, [
      { type: "withdraw", tabId: "t1", messageId: "q1" },
    ]);
    deepEqual(draftOf(run(next, snapshot({ queue: { prompts: [second], held: false } }, "b1", 3)).page), {
      text: "first",
      attachments: [FILE],
    });
  });

  test("sends a held queue", () =>
    deepEqual(run(waiting(true), { kind: "acted", tabId: "t1", action: { kind: "sendQueued" } }).posts, [
      { type: "sendQueued", tabId: "t1" },
    ]));

  test("requests earlier entries once, and again if nothing arrives, also from a read-only sidecar", () => {
    const wanted = { kind: "acted", tabId: "t1", action: { kind: "showEarlier" } } as const,
      [entry] = [{ kind: "agent", id: "a", text: "x" }] as const,
      omitted = (count: number) => ({ entries: [entry], omitted: { count, promptIds: [] } }),
      short = run(waiting(), snapshot(omitted(300), "b1", 3)).page,
      post = [{ type: "showEarlier", tabId: "t1" }];
    const once = run(short, wanted);
    deepEqual(once.posts, post);
    deepEqual(run(once.page, wanted).posts, []);
    deepEqual(step(once.page, wanted, 5_000)[1], [{ kind: "post", message: post[0] }]);
    deepEqual(run(once.page, snapshot(omitted(100), "b1", 4), wanted).posts, post);
    const readOnly = stateMessage({ sidecar: { state: "readOnly", message: "Trust it.", actions: [] } });
    deepEqual(run(short, readOnly, wanted).posts, post);
  });

  test("posts the ids of all prompts of a cleared queue", () => {
    const action = { kind: "clearQueue", messageIds: ["q1", "q2"] } as const;
    const cleared = run(waiting(), { kind: "acted", tabId: "t1", action });
    deepEqual(cleared.posts, [{ type: "clearQueue", tabId: "t1", messageIds: ["q1", "q2"] }]);
  });

  test("stays in the queue when the sidecar exits, and is withdrawn from the next session", () => {
    const dead = run(
      waiting(),
      typed("typed"),
      edit,
      stateMessage({ sidecar: { state: "restarting", message: "Wait." } }),
    ).page;
    deepEqual(draftOf(dead), { text: "typed", attachments: [] });
    deepEqual(tabOf(dead).conversation.queue?.prompts, [first, second]);
    const next = run(dead, stateMessage({}), snapshot({ queue: { prompts: [first, second], held: true } }, "b2", 9));
    deepEqual(next.posts.at(-1), { type: "withdraw", tabId: "t1", messageId: "q1" });
    const withdrawn = run(next.page, snapshot({ queue: { prompts: [second], held: true } }, "b2", 10)).page;
    deepEqual(draftOf(withdrawn), { text: "first\ntyped", attachments: [FILE] });
  });
});
