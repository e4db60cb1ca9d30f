import { deepEqual } from "node:assert/strict";
import fc from "fast-check";
import {
  applyEvent,
  emptyConversation,
  type ChatEvent,
  type Conversation,
  type Entry,
  type Permission,
} from "../../src/protocol/chat/chat";
import type { Elicitation } from "../../src/protocol/chat/elicitation";
import { announce, listening, type Announcement, type Listening } from "./announcements";
import { freshTab, type Page, type Tab } from "../state/page-model";
import { openPage } from "../state/page-state";
import { emptyPage } from "../state/saved-page";
import { read, unread } from "../view-model/text/sentences";

const ELIZA = { id: "elizacp", name: "Eliza" };
const RUNNING: Conversation["turn"] = { state: "running", messageId: "u" };
const tab = (conversation: Partial<Conversation> = {}, rest: Partial<Tab> = {}): Tab => ({
  ...freshTab("t", ELIZA, 0, 0),
  phase: "live",
  bootId: "b",
  conversation: { ...emptyConversation(ELIZA, "/"), ...conversation },
  ...rest,
});
const pageOf = (...tabs: readonly Tab[]): Page => ({
  ...openPage(emptyPage, 0, 0)[0],
  tabs: new Map(tabs.map(each => [each.tabId, each])),
  selected: "t",
});

const question: Permission = {
  kind: "permission",
  id: "q",
  agent: "Eliza",
  toolEntryId: "t",
  title: "Clean up",
  toolKind: "execute",
  input: `{"command":"rm -r build"}`,
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
const answer = (text: string, id = "a"): Entry => ({ kind: "agent", id, text });
const notice = (text: string, from?: string): Entry => ({
  kind: "notice",
  id: text,
  severity: "info",
  text,
  actions: [],
  ...(from === undefined ? {} : { from }),
});

/** Collects the announcements for a sequence of page states. */
class Listener {
  #listening: Listening = listening;
  constructor(private page: Page) {}
  /** Announcements for the change to this page. */
  announcementsFor(page: Page): readonly Announcement[] {
    const [nextState, messages] = announce(this.#listening, this.page, page);
    this.#listening = nextState;
    this.page = page;
    return messages;
  }
  textsFor(page: Page): readonly string[] {
    return this.announcementsFor(page).flatMap(each => (each.kind === "announce" ? [each.text] : [`(${each.kind})`]));
  }
}

const between = (before: Tab, after: Tab): readonly string[] => new Listener(pageOf(before)).textsFor(pageOf(after));
const running = (...entries: readonly Entry[]): Tab => tab({ entries, turn: RUNNING });
const idle = (...entries: readonly Entry[]): Tab => tab({ entries });

suite("announcements", () => {
  test("speaks each sentence of an answer, the rest at the end of the turn, and the end", () => {
    const listener = new Listener(pageOf(running()));
    deepEqual(listener.textsFor(pageOf(running(answer("One. Tw")))), ["One."]);
    deepEqual(listener.textsFor(pageOf(running(answer("One. Two")))), []);
    deepEqual(listener.textsFor(pageOf(running(answer("One. Two. Three")))), ["Two."]);
    deepEqual(listener.textsFor(pageOf(idle(answer("One. Two. Three")))), ["Three", "Eliza has finished."]);
    deepEqual(listener.textsFor(pageOf(idle(answer("One. Two. Three, late.")))), [", late."]);
    deepEqual(between(idle(answer("Half")), idle(answer("Half a sentence, late."))), ["a sentence, late."]);
  });

  test("announces the changed files of the turn after its end, also if they are recorded later", () => {
    const user: Entry = { kind: "user", id: "u", text: "go" };
    const changed = (turn: Conversation["turn"], files: number, entryId = "u"): Tab => {
      const counts = { files, added: 2, removed: 1 };
      return tab({ entries: [user], turn, review: { ...counts, turns: [{ ...counts, entryId }] } });
    };
    const IDLE = { state: "idle" } as const;
    deepEqual(between(changed(RUNNING, 1), changed(RUNNING, 2)), []);
    deepEqual(between(changed(RUNNING, 2), changed(IDLE, 2)), ["Eliza has finished.", "2 files changed."]);
    deepEqual(between(running(user), changed(IDLE, 1, "earlier")), ["Eliza has finished."]);
    deepEqual(between(idle(user), changed(IDLE, 1)), ["1 file changed."]);
    deepEqual(between(changed(IDLE, 3), changed(IDLE, 2)), [], "reviewed by the user");
  });

  test("speaks the rest of an answer before the next entry", () => {
    const listener = new Listener(pageOf(running(answer("Let me"))));
    listener.textsFor(pageOf(running(answer("Let me look"))));
    deepEqual(listener.textsFor(pageOf(running(answer("Let me look"), notice("Mind.", "Eliza")))), [
      "Let me look",
      "Eliza: Mind.",
    ]);
    deepEqual(
      listener.textsFor(pageOf(running(answer("Let me look"), notice("Mind.", "Eliza"), answer("Done. O", "b")))),
      ["Done."],
    );
  });

  test("does not repeat a rewritten answer", () => {
    const listener = new Listener(pageOf(running(answer("One. Two"))));
    deepEqual(listener.textsFor(pageOf(running(answer("1. 2. 3. Four")))), []);
    deepEqual(listener.textsFor(pageOf(running(answer("1. 2. 3. Four. Five")))), ["Four."]);
  });

  test("does not repeat an answer that a snapshot contains in pieces", () => {
    const text = "One. Two. Three. Four";
    const listener = new Listener(pageOf(running()));
    deepEqual(listener.textsFor(pageOf(running(answer(text)))), ["One.", "Two.", "Three."]);
    for (const length of [3, 9, text.length])
      deepEqual(listener.textsFor(pageOf(running(answer(text.slice(0, length))))), []);
    deepEqual(listener.textsFor(pageOf(running(answer(`${text}. Five`)))), ["Four."]);
  });

  test("skips content that existed when the page opened, reloaded or changed sidecars", () => {
    const full = [answer("One. Two."), question, notice("No.")];
    deepEqual(between(tab({}, { phase: "restored" }), idle(...full)), []);
    deepEqual(between(tab({}, { phase: "interrupted" }), idle(...full)), []);
    deepEqual(between(tab({}, { bootId: "a" }), idle(...full)), []);
    deepEqual(new Listener(pageOf()).textsFor(pageOf(idle(...full))), []);
  });

  test("speaks only the new content of a snapshot from the same sidecar", () => {
    const listener = new Listener(pageOf(running()));
    listener.textsFor(pageOf(running(answer("One. Tw"))));
    deepEqual(listener.textsFor(pageOf(running(answer("One. Tw"), notice("Mind.")))), ["Tw", "Mind."]);
    const again = structuredClone([answer("One. Tw"), notice("Mind."), answer("Three. F", "b")]);
    deepEqual(listener.textsFor(pageOf(running(...again))), ["Three."]);
    deepEqual(listener.textsFor(pageOf(running(...structuredClone(again)))), []);
  });

  test("skips earlier entries that the user has asked for, and the removal of entries", () => {
    const newest = [answer("New one.", "n")],
      short = tab({ entries: newest, omitted: { count: 2, promptIds: [] } }),
      whole = tab({ entries: [notice("Old notice."), answer("Old answer.", "o"), ...newest] });
    deepEqual(announce(listening, pageOf(short), pageOf(whole))[1], []);
    deepEqual(announce(listening, pageOf(whole), pageOf(short))[1], []);
  });

  test("skips the content of a newly selected tab and continues from there", () => {
    const second = (text: string, turn: Conversation["turn"] = RUNNING): Tab =>
      tab({ entries: [answer(text)], turn }, { tabId: "o" });
    const first = running(answer("Mine. A"));
    const listener = new Listener(pageOf(running(), second("One.")));
    listener.textsFor(pageOf(first, second("One.")));
    deepEqual(listener.textsFor({ ...pageOf(first, second("One. Two. Three")), selected: "o" }), ["(hush)"]);
    deepEqual(listener.textsFor({ ...pageOf(first, second("One. Two. Three. Four")), selected: "o" }), ["Three."]);
    deepEqual(
      listener.textsFor({
        ...pageOf(running(answer("Mine. And. Yours. B")), second("One. Two. Three. Four")),
        selected: "o",
      }),
      [],
    );
  });

  test("names another tab that has a question or has finished", () => {
    const second = (conversation: Partial<Conversation>): Page =>
      pageOf(idle(), tab({ title: "Docs", ...conversation }, { tabId: "o" }));
    const listener = new Listener(second({ turn: RUNNING }));
    deepEqual(listener.announcementsFor(second({ turn: RUNNING, entries: [answer("One. Two")] })), []);
    deepEqual(listener.announcementsFor(second({ turn: RUNNING, entries: [answer("One. Two"), question] })), [
      {
        kind: "sayNow",
        text: "In the chat “Docs”, Eliza requests permission to run a command: Clean up. command: rm -r build.",
      },
    ]);
    deepEqual(
      listener.textsFor(
        second({ entries: [answer("One. Two"), { ...question, answered: { kind: "cancelled", why: "" } }] }),
      ),
      ["In the chat “Docs”, Eliza has finished."],
    );
    deepEqual(
      new Listener(second({ turn: RUNNING })).announcementsFor(
        second({ turn: RUNNING, entries: [{ ...question, answered: { kind: "cancelled", why: "" } }] }),
      ),
      [],
    );
    deepEqual(
      new Listener(pageOf(idle(), tab({}, { tabId: "o", phase: "restored" }))).announcementsFor(
        second({ entries: [question] }),
      ),
      [],
    );
  });

  test("speaks one of several questions at a time, with the number of questions", () => {
    const ask = (n: number, rest: Partial<Permission> = {}): Permission => ({
      ...question,
      id: `q${n}`,
      title: `Step ${n}`,
      ...rest,
    });
    const listener = new Listener(pageOf(running()));
    const onEvent = (...entries: readonly Entry[]): readonly string[] =>
      listener
        .announcementsFor(pageOf(running(...entries)))
        .map(each => (each.kind === "ask" ? `${each.key} ${each.text.replace(/ Eliza.*/, "")}` : each.kind));
    deepEqual(onEvent(ask(1)), ["q1 Eliza requests permission to run a command: Step 1. command: rm -r build."]);
    deepEqual(onEvent(ask(1), ask(2)), [
      "q2 Eliza requests permission to run a command: Step 2. command: rm -r build.",
    ]);
    deepEqual(onEvent(ask(1), ask(2), ask(3)), ["q1 Question 1 of 3."]);
    deepEqual(onEvent(ask(1), ask(2), ask(3), ask(4)), []);
    const done = { answered: { kind: "cancelled", why: "" } } as const;
    deepEqual(onEvent(ask(1, done), ask(2), ask(3), ask(4)), ["q2 Question 1 of 3."]);
    deepEqual(onEvent(ask(1, done), ask(2, done), ask(3), ask(4)).length, 2);
    deepEqual(onEvent(ask(1, done), ask(2, done), ask(3, done), ask(4, done)), []);
  });

  test("focuses the card of a question and speaks it completely, once", () => {
    const listener = new Listener(pageOf(running()));
    deepEqual(listener.announcementsFor(pageOf(running(question))), [
      { kind: "ask", key: "q", text: "Eliza requests permission to run a command: Clean up. command: rm -r build." },
    ]);
    deepEqual(listener.announcementsFor(pageOf(running({ ...question }))), []);
    deepEqual(listener.announcementsFor(pageOf(running(question, form))), [
      { kind: "ask", key: "f", text: "Eliza has a question: Your name?" },
    ]);
    deepEqual(between(running(), running({ ...question, answered: { kind: "cancelled", why: "" } })), []);
  });

  test("speaks a notice, and a failed call once", () => {
    deepEqual(between(running(), idle(notice("Stopped."))), ["Stopped."]);
    deepEqual(between(running(), idle(notice("Slow.", "Eliza"))), ["Eliza: Slow.", "Eliza has finished."]);
    const call = (status: "in_progress" | "failed", title = "npm test"): Entry => ({
      kind: "tool",
      id: "c",
      toolCallId: "c",
      title,
      toolKind: "execute",
      status,
      content: [],
      locations: [],
    });
    const listener = new Listener(pageOf(running()));
    deepEqual(
      [running(call("in_progress")), running(call("failed")), running(call("failed", "again"))].map(each =>
        listener.textsFor(pageOf(each)),
      ),
      [[], ["Failed: npm test"], []],
    );
  });

  test("are discarded when the user stops the turn or sends a prompt, but not when a prompt is queued", () => {
    const user: Entry = { kind: "user", id: "u", text: "hi" };
    const sends = (conversation: Partial<Conversation>): Tab =>
      tab(conversation, { drafts: { ...tab().drafts, onTheWay: [{ messageId: "m", text: "x" }] } });
    deepEqual(between(running(user), tab({ entries: [user], turn: { state: "cancelling", messageId: "u" } })), [
      "(hush)",
    ]);
    deepEqual(between(idle(user), sends({ entries: [user] })), ["(hush)"]);
    deepEqual(between(running(user), sends({ entries: [user], turn: RUNNING })), []);
  });

  test("speaks added and removed attachments, but not sent ones", () => {
    const file = (path: string) => ({ kind: "file", path }) as const;
    const drafts = (rest: Partial<Tab["drafts"]>): Tab => tab({}, { drafts: { ...tab().drafts, ...rest } });
    const says = (before: Tab, after: Tab) => new Listener(pageOf(before)).announcementsFor(pageOf(after));
    deepEqual(says(drafts({}), drafts({ attachments: [file("/w/a.ts"), file("/w/b.ts")] })), [
      { kind: "sayNow", text: "Attached: a.ts, b.ts." },
    ]);
    deepEqual(
      says(drafts({ attachments: [file("/w/a.ts"), file("/w/b.ts")] }), drafts({ attachments: [file("/w/b.ts")] })),
      [{ kind: "sayNow", text: "Removed: a.ts." }],
    );
    deepEqual(says(drafts({ attachments: [file("/w/a.ts")] }), drafts({ onTheWay: [{ messageId: "m", text: "x" }] })), [
      { kind: "hush" },
    ]);
    deepEqual(new Listener(pageOf()).announcementsFor(pageOf(drafts({ attachments: [file("/w/a.ts")] }))), []);
  });

  test("counts queued prompts when they increase or are held", () => {
    const queued = (held: boolean, ...ids: readonly string[]): Tab =>
      tab({ turn: RUNNING, queue: { held, prompts: ids.map(messageId => ({ messageId, text: "x" })) } });
    const listener = new Listener(pageOf(running()));
    deepEqual(
      [
        queued(false, "a"),
        queued(false, "a", "b"),
        queued(false, "b"),
        queued(true, "b"),
        queued(true, "b"),
        queued(false),
      ].map(each => listener.announcementsFor(pageOf(each)).map(said => ("text" in said ? said.text : said.kind))),
      [
        ["1 prompt queued until the turn ends."],
        ["2 prompts queued until the turn ends."],
        [],
        ["1 prompt held because a turn was stopped or failed."],
        [],
        [],
      ],
    );
  });

  test("speaks each finished sentence of the selected tab once, in order (property)", () => {
    const text = fc.stringMatching(/^([A-Z][a-z]{3,5}( [a-z]{3,5}){0,3}[.!?] ?\n?){1,3}$/);
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ kind: fc.constant("grows" as const), text }) },
      fc.constantFrom(
        { kind: "tool" as const },
        { kind: "snapshot" as const },
        { kind: "typed" as const },
        { kind: "ends" as const },
        { kind: "another" as const },
      ),
    );
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 40 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
        (steps, sizes) => {
          let now = running(),
            otherTab = tab({ turn: RUNNING }, { tabId: "o" }),
            entries = 0;
          const listener = new Listener(pageOf(now, otherTab));
          const said: string[] = [];
          const become = (tab: Tab) => {
            now = tab;
            said.push(...listener.textsFor(pageOf(now, otherTab)));
          };
          // Text chunks may be announced together with the next change.
          const event = (each: ChatEvent) => {
            const tab = { ...now, conversation: applyEvent(now.conversation, each) };
            if (each.type === "append" && sizes.next().value > 5) now = tab;
            else become(tab);
          };
          for (const each of steps) {
            switch (each.kind) {
              case "grows": {
                const last = now.conversation.entries.at(-1);
                const id = last?.kind === "agent" ? last.id : `a${++entries}`;
                if (last?.kind !== "agent") event({ type: "upsert", entry: answer("", id) });
                for (let at = 0; at < each.text.length; ) {
                  const entry = now.conversation.entries.findLast(entry => entry.id === id);
                  const { value: size } = sizes.next();
                  event({
                    type: "append",
                    id,
                    offset: entry?.kind === "agent" ? entry.text.length : 0,
                    text: each.text.slice(at, at + size),
                  });
                  at += size;
                }
                break;
              }
              case "tool":
                event({
                  type: "upsert",
                  entry: {
                    kind: "tool",
                    id: `t${++entries}`,
                    toolCallId: "t",
                    title: "Look",
                    toolKind: "read",
                    status: "completed",
                    content: [],
                    locations: [],
                  },
                });
                break;
              case "snapshot":
                become({ ...now, conversation: structuredClone(now.conversation) });
                break;
              case "typed":
                become({ ...now, drafts: { ...now.drafts, text: "x" } });
                break;
              case "ends":
                event({ type: "turn", turn: { state: "idle" } });
                event({ type: "upsert", entry: { kind: "user", id: `u${++entries}`, text: "on" } });
                event({ type: "turn", turn: RUNNING });
                break;
              case "another":
                otherTab = {
                  ...otherTab,
                  conversation: {
                    ...otherTab.conversation,
                    entries: [...otherTab.conversation.entries, answer("Not. Mine. ", `o${++entries}`)],
                  },
                };
                become(now);
                break;
            }
          }
          event({ type: "turn", turn: { state: "idle" } });
          const ended = (words: readonly string[]) =>
            words
              .filter(each => each !== "Eliza has finished.")
              .join(" ")
              .split(" ");
          const texts = now.conversation.entries.flatMap(entry =>
            entry.kind === "agent" ? [...read(unread, entry.text, true)[1]] : [],
          );
          deepEqual(ended(said).join(" "), ended(texts).join(" "));
        },
      ),
      { numRuns: 200 },
    );
  });
});
