import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { emptyConversation, type Conversation, type Entry } from "../../src/protocol/chat/chat";
import type { SessionRef } from "../../src/protocol/sessions/sessions";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import type { OpenConversation } from "../chat/session";
import { Journal, UNPROTECTED, type WriteLease } from "../journal/journal";
import { restored } from "../journal/stored-conversation";
import { RECORD } from "../testing/sessions/session-record";
import type { AgentSessions, AgentSessionSummary } from "./agent-sessions";
import { SessionCatalog } from "./session-catalog";
import { filesInThread } from "./session-files";
import { SessionsService } from "./sessions-service";

const NEVER = new AbortController().signal;
const idOf = (digit: number) => `0b6e2a3c-5a52-4a43-9f3b-0c1d2e3f4a5${digit}`;
const ADA = { id: "ada", name: "Ada" };
const user = (id: string, text: string): Entry => ({ kind: "user", id, text });
const conversationOf = (text: string, more: Partial<Conversation> = {}): Conversation => ({
  ...emptyConversation(ADA, "/w"),
  entries: [user("u", text), { kind: "agent", id: "a", text: `Answer to ${text}` }],
  ...more,
});
const refOf = (digit: number): SessionRef => ({ kind: "stored", conversation: idOf(digit) });
const THEIRS = { kind: "agent", agentId: "ada", sessionId: "theirs" } as const;

/** Waits until the time of day has changed. */
async function aMillisecond(): Promise<void> {
  const now = Date.now();
  while (Date.now() === now) await new Promise(resolve => setImmediate(resolve));
}

suite("sessions service", () => {
  let storage = "";
  const opened: OpenConversation[] = [],
    renamed: string[] = [],
    elsewhere = new Set<string>(),
    deleted: string[] = [];
  let agentSessions: readonly AgentSessionSummary[] = [],
    changes = 0,
    canFork = false;
  setup(() => {
    storage = mkdtempSync(path.join(tmpdir(), "sessions-"));
    opened.length = renamed.length = deleted.length = changes = 0;
    elsewhere.clear();
    agentSessions = [];
    canFork = false;
  });
  teardown(() => rmSync(storage, { recursive: true, force: true }));

  function started({ isRestricted = false } = {}) {
    const journal = new Journal(storage, {
        warn: message => {
          throw new Error(message);
        },
        lease: async (conversation): Promise<WriteLease | undefined> =>
          elsewhere.has(conversation) ? undefined : UNPROTECTED,
      }),
      clock = new FakeClock();
    const agents = {
      get list() {
        return agentSessions;
      },
      refresh: async () => true,
      canFork: () => canFork,
      deleteStored: async (agentId: string, id: string) => void deleted.push(`${agentId} ${id}`),
    } as unknown as AgentSessions;
    const service = new SessionsService({
      clock,
      journal,
      catalog: new SessionCatalog(journal, async () => undefined),
      agents,
      files: filesInThread(journal),
      chat: {
        get open() {
          return opened;
        },
        rename: (conversation, title) => {
          const isOpen = opened.some(each => each.conversation === conversation);
          if (isOpen) renamed.push(title);
          return isOpen;
        },
      },
      extensions: () => [],
      isRestricted,
      notifyChanged: () => changes++,
    });
    const store = (digit: number, version: Conversation): void =>
      journal.writer(
        idOf(digit),
        journal.read(idOf(digit)).text,
        UNPROTECTED,
      )(version, version.turn.state === "idle" ? undefined : Date.now());
    const { handlers } = service;
    return {
      clock,
      journal,
      service,
      store,
      handlers,
      list: async () => (await handlers["sessions/list"]({}, NEVER)).sessions,
      search: async (query: string, limit = 10) => handlers["sessions/search"]({ query, limit }, NEVER),
    };
  }

  test("lists the stored sessions, also after the index was damaged or the journal has changed", async () => {
    const { journal, store, list } = started();
    store(1, conversationOf("Fix the tests", { usage: { used: 1, size: 2, cost: { amount: 0.5, currency: "USD" } } }));
    store(2, emptyConversation(ADA, "/w"));
    const [session, ...others] = await list();
    deepEqual(
      { ...session, changedAt: 0 },
      {
        ref: refOf(1),
        agent: ADA,
        title: "Fix the tests",
        cwd: "/w",
        changedAt: 0,
        cost: { amount: 0.5, currency: "USD" },
      },
    );
    deepEqual(others, [], "a session without a prompt");
    writeFileSync(journal.indexFile(idOf(1)), "damaged");
    store(1, conversationOf("Fix the tests", { title: "Tests" }));
    equal((await started().list())[0]?.title, "Tests");
    equal((await started().list())[0]?.title, "Tests", "from the index");
  });

  test("shows what an open session needs", async () => {
    const { list } = started();
    const activity = async (attention: OpenConversation["attention"], more: Partial<Conversation>) => {
      opened.splice(0, 1, { conversation: idOf(1), state: conversationOf("x", more), attention });
      return (await list())[0]?.activity;
    };
    const error: Entry = { kind: "notice", id: "n", severity: "error", text: "It broke.", actions: [] };
    equal(await activity("answer", { turn: { state: "running", messageId: "u" } }), "needsAnswer");
    equal(await activity("nothing", { turn: { state: "running", messageId: "u" } }), "running");
    equal(await activity("reading", { entries: [user("u", "x"), error] }), "failed");
    equal(await activity("reading", {}), "unread");
    equal(await activity("nothing", {}), undefined);
  });

  test("lists an open session in its place, with its archive state and once, although its journal grows", async () => {
    const { handlers, journal, store, list } = started();
    const record = (agentSession: string) =>
      ({ type: "session", format: 1, agentId: "ada", cwd: "/w", protocol: 1, extensions: [], agentSession }) as const;
    const theirs = (sessionId: string): AgentSessionSummary => ({
      ref: { ...THEIRS, sessionId },
      agent: ADA,
      title: sessionId,
      cwd: "/w",
      changedAt: 7,
    });
    const running = (text: string) => conversationOf(text, { turn: { state: "running", messageId: "u" } });
    agentSessions = [theirs("first"), theirs("second"), theirs("adopted")];
    for (const [digit, agentSession] of [
      [1, "first"],
      [2, "second"],
    ] as const) {
      store(digit, emptyConversation(ADA, "/w"));
      opened.push({ conversation: idOf(digit), state: emptyConversation(ADA, "/w"), attention: "nothing" });
      await list();
      journal.keep(idOf(digit), record(agentSession));
    }
    deepEqual(
      (await list()).map(({ title }) => title),
      ["adopted"],
      "neither an empty tab nor its session by the agent",
    );
    for (const digit of [1, 2]) {
      store(digit, running(`prompt ${digit}`));
      opened[digit - 1] = { conversation: idOf(digit), state: running(`prompt ${digit}`), attention: "nothing" };
      await aMillisecond();
    }
    await handlers["sessions/archive"]({ ref: refOf(1), isArchived: true }, NEVER);
    const shown = (await list()).map(({ title, isArchived }) => [title, isArchived]);
    deepEqual(shown, [
      ["prompt 2", undefined],
      ["prompt 1", true],
      ["adopted", undefined],
    ]);
    // A session of the agent that was opened without a prompt has its time.
    const { conversation } = await handlers["sessions/open"]({ ref: { ...THEIRS, sessionId: "adopted" } }, NEVER);
    await list();
    journal.writer(conversation, journal.read(conversation).text, UNPROTECTED)(conversationOf("theirs"));
    opened.push({ conversation, state: conversationOf("theirs"), attention: "nothing" });
    const [, , last, ...others] = await list();
    deepEqual([last?.ref, last?.title, last?.changedAt, others], [{ kind: "stored", conversation }, "theirs", 7, []]);
    // An imported session has the time of its import.
    const file = path.join(storage, "exported.json");
    await handlers["sessions/export"]({ conversation: idOf(1), format: "json", path: file }, NEVER);
    const imported = (await handlers["sessions/import"]({ path: file }, NEVER)).conversation,
      { text } = journal.read(imported);
    await aMillisecond();
    journal.writer(imported, text, UNPROTECTED)(conversationOf("imported"));
    equal((await list())[0]?.changedAt, text.activeAt);
    rmSync(journal.indexFile(imported));
    await journal.delete(imported);
    // The same after the tabs were closed.
    opened.length = 0;
    deepEqual(
      (await list()).map(({ title }) => title),
      ["prompt 2", "prompt 1", "theirs"],
    );
  });

  test("lists a session of an agent once", async () => {
    const { journal, store, list } = started();
    const theirs = (sessionId: string): AgentSessionSummary => ({
      ref: { ...THEIRS, sessionId },
      agent: ADA,
      title: sessionId,
      cwd: "/w",
      changedAt: 5,
    });
    agentSessions = [theirs("theirs"), theirs("ours")];
    store(1, conversationOf("x"));
    journal.keep(idOf(1), { ...RECORD, agentSession: "ours" });
    deepEqual(
      (await list()).map(({ ref }) => (ref.kind === "agent" ? ref.sessionId : ref.conversation)),
      [idOf(1), "theirs"],
    );
  });

  test("opens a session of an agent as one stored session", async () => {
    const { handlers, journal, list } = started();
    agentSessions = [{ ref: THEIRS, agent: ADA, title: "t", cwd: "/w", changedAt: 5 }];
    const first = await handlers["sessions/open"]({ ref: THEIRS }, NEVER);
    deepEqual(await handlers["sessions/open"]({ ref: THEIRS }, NEVER), first);
    deepEqual([first.agentId, first.cwd], ["ada", "/w"]);
    const { agentSession, title } = journal.read(first.conversation).record ?? {};
    deepEqual([agentSession, title], ["theirs", "t"]);
    equal((await list()).length, 1, "listed as before until it has content");
    await rejects(handlers["sessions/open"]({ ref: { ...THEIRS, sessionId: "other" } }, NEVER), /no longer lists/);
    await rejects(handlers["sessions/open"]({ ref: refOf(7) }, NEVER), /was deleted/);
  });

  test("renames and archives a session, whether it is open or not, in its place", async () => {
    const { handlers, store, list, journal } = started();
    store(1, conversationOf("one"));
    const [before] = await list();
    await handlers["sessions/rename"]({ ref: refOf(1), title: " A  new\nname " }, NEVER);
    await handlers["sessions/archive"]({ ref: refOf(1), isArchived: true }, NEVER);
    deepEqual(await list(), [{ ...before, title: "A new name", isArchived: true }]);
    // A session that is opened keeps both.
    store(1, { ...conversationOf("one"), chosenTitle: "A new name", title: "theirs" });
    deepEqual(
      (await list()).map(({ title, isArchived }) => [title, isArchived]),
      [["A new name", true]],
    );
    await handlers["sessions/archive"]({ ref: refOf(1), isArchived: false }, NEVER);
    await handlers["sessions/rename"]({ ref: refOf(1), title: "" }, NEVER);
    deepEqual(
      (await list()).map(({ title, isArchived }) => [title, isArchived]),
      [["theirs", undefined]],
    );
    opened.push({ conversation: idOf(1), state: conversationOf("one"), attention: "nothing" });
    await handlers["sessions/rename"]({ ref: refOf(1), title: "open" }, NEVER);
    deepEqual(renamed, ["open"]);
    await rejects(handlers["sessions/archive"]({ ref: refOf(9), isArchived: true }, NEVER), /could not be changed/);
    equal(journal.files().length, 1);
    const file = journal.files()[0]?.file ?? "",
      newer = readFileSync(file, "utf8").replace('"format":1', '"format":2');
    writeFileSync(file, newer);
    opened.length = 0;
    await rejects(handlers["sessions/rename"]({ ref: refOf(1), title: "x" }, NEVER), /of a newer version/);
    equal(readFileSync(file, "utf8"), newer, "a later format is never written");
  });

  test("deletes a session here and at its agent, unless it is open in a window", async () => {
    const { handlers, store, journal } = started();
    store(1, conversationOf("one"));
    journal.keep(idOf(1), RECORD);
    opened.push({ conversation: idOf(1), state: conversationOf("one"), attention: "nothing" });
    await rejects(handlers["sessions/delete"]({ ref: refOf(1) }, NEVER), /open in a tab/);
    opened.length = 0;
    elsewhere.add(idOf(1));
    await rejects(handlers["sessions/delete"]({ ref: refOf(1) }, NEVER), /open in another window/);
    elsewhere.clear();
    await handlers["sessions/delete"]({ ref: refOf(1) }, NEVER);
    deepEqual([journal.files(), deleted], [[], ["ada s1"]]);
  });

  test("searches titles and texts, the last changed session first, up to a limit", async () => {
    const { store, search, journal } = started();
    store(1, conversationOf("the first needle"));
    store(2, conversationOf("nothing", { title: "A Needle" }));
    store(3, conversationOf("no match"));
    const { hits, isComplete } = await search("needle");
    ok(isComplete);
    deepEqual(
      hits
        .map(({ conversation, entryId, excerpt, start, end }) => [conversation, entryId, excerpt.slice(start, end)])
        .sort(),
      [
        [idOf(1), "a", "needle"],
        [idOf(1), "u", "needle"],
        [idOf(1), undefined, "needle"],
        [idOf(2), undefined, "Needle"],
      ].sort(),
    );
    deepEqual((await search("needle", 1)).hits.length, 1);
    deepEqual((await search(" ")).hits, []);
    await journal.delete(idOf(1));
    deepEqual((await search("first")).hits, []);
  });

  test("stores a branch with the beginning of a session, which stays unchanged", async () => {
    const { handlers, store, list, journal } = started();
    const entries: readonly Entry[] = [
      user("u1", "one"),
      { kind: "agent", id: "a1", text: "1" },
      { kind: "notice", id: "n1", severity: "warning", text: "Ada does not remember.", actions: ["sendTranscript"] },
      user("u2", "two"),
      { kind: "agent", id: "a2", text: "2" },
    ];
    store(1, conversationOf("", { entries, title: "Numbers" }));
    const source = readFileSync(journal.files()[0]?.file ?? "", "utf8");
    const request = { conversation: idOf(1), newId: idOf(2), before: "u2" };
    deepEqual(await handlers["sessions/fork"](request, NEVER), {
      conversation: idOf(2),
      agentId: "ada",
      agent: ADA,
      cwd: "/w",
      transcript: "User: one\n\nAssistant: 1",
    });
    equal(readFileSync(journal.files().find(each => each.conversation === idOf(1))?.file ?? "", "utf8"), source);
    deepEqual(
      restored(journal.read(idOf(2)).text, "").entries.map(({ kind }) => kind),
      ["user", "agent"],
    );
    deepEqual(
      (await list()).map(({ title, origin }) => [title, origin]).sort(),
      [
        ["Numbers", undefined],
        ["one", "Numbers"],
      ].sort(),
    );
    await rejects(handlers["sessions/fork"](request, NEVER), /could not be stored/);
    await rejects(handlers["sessions/fork"]({ ...request, newId: "../x" }, NEVER), /could not be stored/);
    await rejects(handlers["sessions/fork"]({ ...request, newId: idOf(3), before: "gone" }, NEVER), /no longer in/);
    await rejects(handlers["sessions/fork"]({ conversation: idOf(9), newId: idOf(3) }, NEVER), /was deleted/);
    equal(journal.files().length, 2);
  });

  test("lets an agent fork its own session if the branch is the whole session and it can", async () => {
    const { handlers, store, journal } = started();
    store(1, conversationOf("one"));
    journal.keep(idOf(1), RECORD);
    const fork = async (newId: string, more: object = {}) => {
      const { transcript } = await handlers["sessions/fork"]({ conversation: idOf(1), newId, ...more }, NEVER);
      return [transcript === undefined ? "forked" : "transcript", journal.read(newId).record];
    };
    deepEqual(await fork(idOf(2)), ["transcript", undefined], "no process has reported that it can");
    canFork = true;
    deepEqual(await fork(idOf(3)), ["forked", { ...RECORD, isFork: true }]);
    deepEqual(await fork(idOf(4), { before: "a" }), ["transcript", undefined]);
    deepEqual(await fork(idOf(5), { agent: { id: "bob", name: "Bob" } }), ["transcript", undefined]);
    opened.push({
      conversation: idOf(1),
      state: conversationOf("one", { turn: { state: "running", messageId: "u" } }),
      attention: "nothing",
    });
    deepEqual(await fork(idOf(6)), ["transcript", undefined], "while a turn is running");
  });

  test("exports a session and imports it as a new one", async () => {
    const { handlers, store, list } = started();
    const file = (name: string) => path.join(storage, name);
    store(1, conversationOf("one", { chosenTitle: "Mine" }));
    const exportTo = (conversation: string, name: string) =>
      handlers["sessions/export"]({ conversation, format: "json", path: file(name) }, NEVER);
    await exportTo(idOf(1), "one.json");
    const imported = await handlers["sessions/import"]({ path: file("one.json") }, NEVER);
    await exportTo(imported.conversation, "two.json");
    equal(readFileSync(file("two.json"), "utf8"), readFileSync(file("one.json"), "utf8"));
    deepEqual(
      (await list()).map(({ title }) => title),
      ["Mine", "Mine"],
    );
    await handlers["sessions/export"]({ conversation: idOf(1), format: "markdown", path: file("one.md") }, NEVER);
    ok(readFileSync(file("one.md"), "utf8").startsWith("# Mine\n"));
    await rejects(handlers["sessions/import"]({ path: file("one.md") }, NEVER), /no exported session/);
    await rejects(handlers["sessions/import"]({ path: file("missing.json") }, NEVER), /could not be read: ENOENT/);
    await rejects(exportTo(idOf(1), "no/such/folder.json"), /could not be written: ENOENT/);
    await rejects(exportTo(idOf(9), "nine.json"), /no content/);
  });

  test("only reads in an untrusted workspace", async () => {
    started().store(1, conversationOf("one"));
    const { handlers, list, search } = started({ isRestricted: true });
    equal((await list()).length, 1);
    equal((await search("one")).hits.length, 3);
    await handlers["sessions/refresh"]({ agents: [], cwd: "/w" }, NEVER);
    for (const change of [
      handlers["sessions/rename"]({ ref: refOf(1), title: "x" }, NEVER),
      handlers["sessions/archive"]({ ref: refOf(1), isArchived: true }, NEVER),
      handlers["sessions/delete"]({ ref: refOf(1) }, NEVER),
      handlers["sessions/import"]({ path: "x" }, NEVER),
      handlers["sessions/open"]({ ref: THEIRS }, NEVER),
    ])
      await rejects(change, /Trust this workspace/);
  });

  test("reports changes at most every half second", async () => {
    const { clock, service } = started();
    service.changed();
    service.changed();
    equal(changes, 0);
    clock.advance(500);
    equal(changes, 1);
    service.changed();
    clock.advance(500);
    equal(changes, 2);
  });
});
