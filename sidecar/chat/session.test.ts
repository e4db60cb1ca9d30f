import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { emptyConversation, type Entry } from "../../src/protocol/chat/chat";
import { MemoryJournal } from "../testing/sessions/memory-journal";
import { NEVER, Fixture } from "../testing/sessions/chat-fixture";

suite("chat session", () => {
  test("sends a prompt and shows the answer in order", async () => {
    await using fixture = new Fixture();
    const id = await fixture.open();
    await fixture.prompt(id, "hello");
    const request = await fixture.agents[0]!.next("session/prompt");
    deepEqual(request.params, { sessionId: "s1", prompt: [{ type: "text", text: "hello" }] });
    fixture.agents[0]!.report("s1", "Good ");
    fixture.agents[0]!.report("s1", "day.");
    request.respond({ stopReason: "end_turn" });
    await fixture.settle();
    deepEqual(fixture.story(id), ["user hello", "agent Good day."]);
    deepEqual(fixture.wants, ["reading Ada"]);
    equal(fixture.shown.get(id)?.turn.state, "idle");
    await fixture.service.handlers["chat/close"]({ sessionId: id }, NEVER);
    deepEqual(fixture.wants, ["reading Ada", "nothing Ada"]);
  });

  test("shares a process between two sessions of one configuration and separates their answers", async () => {
    await using fixture = new Fixture();
    const [a, b] = await Promise.all([fixture.open(), fixture.open()]);
    await Promise.all([fixture.prompt(a, "A"), fixture.prompt(b, "B")]);
    const [first, second] = [
      await fixture.agents[0]!.next("session/prompt"),
      await fixture.agents[0]!.next("session/prompt"),
    ];
    for (const request of [second, first]) {
      const { sessionId, prompt } = request.params as { sessionId: string; prompt: [{ text: string }] };
      fixture.agents[0]!.report(sessionId, `to ${prompt[0].text}`);
      request.respond({ stopReason: "end_turn" });
    }
    await fixture.settle();
    equal(fixture.agents.length, 1);
    deepEqual(
      [fixture.story(a), fixture.story(b)],
      [
        ["user A", "agent to A"],
        ["user B", "agent to B"],
      ],
    );
  });

  test("cancels a turn and offers a restart if the agent does not end it", async () => {
    await using fixture = new Fixture();
    const id = await fixture.open();
    await fixture.prompt(id, "go");
    const turn = await fixture.agents[0]!.next("session/prompt");
    await fixture.service.handlers["chat/cancel"]({ sessionId: id }, NEVER);
    await fixture.settle();
    ok(fixture.agents[0]!.received.includes("cancel s1"));
    equal(fixture.shown.get(id)?.turn.state, "cancelling");
    fixture.clock.advance(10_000);
    await fixture.settle();
    deepEqual(fixture.story(id).slice(-1), ["notice Ada has not stopped yet. Wait, or restart it."]);
    turn.respond({ stopReason: "cancelled" });
    await fixture.settle();
    equal(fixture.shown.get(id)?.turn.state, "idle");
  });

  test("shows one notice when the agent exits during a turn and restarts it with the next prompt", async () => {
    await using fixture = new Fixture();
    const id = await fixture.open();
    await fixture.prompt(id, "one");
    await fixture.agents[0]!.next("session/prompt");
    fixture.agents[0]!.report("s1", "half");
    await fixture.settle();
    await fixture.agents[0]!.die();
    await fixture.settle();
    deepEqual(fixture.story(id), [
      "user one",
      "agent half",
      "notice The other side closed the connection. Ada restarts in 1 second.",
    ]);
    await fixture.prompt(id, "two");
    const again = await fixture.settle().then(() => fixture.agents[1]!.next("session/prompt"));
    again.respond({ stopReason: "end_turn" });
    await fixture.settle();
    equal(fixture.shown.get(id)?.turn.state, "idle");
  });

  test("shows why the agent cannot start and keeps the prompt", async () => {
    await using fixture = new Fixture();
    fixture.manual = ["initialize"];
    const id = await fixture.open();
    await fixture.prompt(id, "one");
    await fixture.settle();
    void fixture.agents[0]!.next("initialize").then(request => request.fail(new Error("broken")));
    await fixture.settle();
    deepEqual(fixture.story(id)[0], "user one");
    ok(fixture.story(id)[1]?.startsWith("notice Ada returned an error"));
  });

  test("shows the error of an invalid session/new response, even one too deep to print", async () => {
    await using fixture = new Fixture();
    fixture.manual = ["session/new"];
    const id = await fixture.open();
    await fixture.settle();
    let deep: unknown = "deep";
    for (let i = 0; i < 100_000; i++) deep = [deep];
    (await fixture.agents[0]!.next("session/new")).respond({ deep });
    await fixture.settle();
    deepEqual(fixture.story(id), ["notice Ada returned an error: its new session has no id."]);
  });

  test("restarts the process for all its sessions and reopens each with its next prompt", async () => {
    await using fixture = new Fixture();
    const [a, b] = [await fixture.open(), await fixture.open()];
    await fixture.settle();
    await fixture.service.handlers["chat/restartAgent"]({ sessionId: a }, NEVER);
    await fixture.settle();
    ok(fixture.agents[0]!.received.includes("closed"));
    deepEqual(fixture.story(b), ["notice Another tab restarted Ada. Ada restarts in 1 second."]);
    await fixture.prompt(b, "hi");
    await fixture.settle();
    (await fixture.agents[1]!.next("session/prompt")).respond({ stopReason: "end_turn" });
    await fixture.settle();
    equal(fixture.agents.length, 2);
    equal(fixture.shown.get(b)?.turn.state, "idle");
  });

  test("cancels the questions of a closed session and stops an agent without sessions", async () => {
    await using fixture = new Fixture();
    const id = await fixture.open();
    await fixture.prompt(id, "go");
    await fixture.agents[0]!.next("session/prompt");
    const asked = fixture.agents[0]!.peer.request("session/request_permission", {
      sessionId: "s1",
      toolCall: {},
      options: [{ optionId: "y", name: "Yes", kind: "allow_once" }],
    });
    await fixture.settle();
    await fixture.service.handlers["chat/close"]({ sessionId: id }, NEVER);
    deepEqual(await asked, { outcome: { outcome: "cancelled" } });
    await fixture.settle();
    deepEqual(fixture.agents[0]!.received.slice(-3), ["cancel s1", "session/close", "closed"]);
    equal(fixture.wants.at(-1), "nothing Ada");
    await rejects(fixture.prompt(id, "late"), /no longer open/);
  });

  test("begins with the stored conversation of an exited process, and holds its queue", async () => {
    const journal = new MemoryJournal(),
      queued = { messageId: "q", text: "next", attachments: [{ kind: "file", path: "/w/a.ts" }] } as const;
    journal.store("one", {
      ...emptyConversation({ id: "bob", name: "Bob" }, "/w"),
      title: "Greetings",
      entries: [
        { kind: "user", id: "u", text: "hi" },
        { kind: "agent", id: "a", text: "half" },
      ],
      turn: { state: "running", messageId: "u" },
      queue: { prompts: [queued], held: false },
    });
    await using fixture = new Fixture(journal);
    const id = await fixture.open();
    fixture.service.handlers["chat/replay"]({ sessionId: id, requestNumber: 1 });
    await fixture.settle();
    deepEqual(fixture.story(id), [
      "user hi",
      "agent half",
      "notice Symposium was restarted. Ada continues in this tab instead of Bob. Ada does not remember the conversation above.",
    ]);
    const { title, queue } = fixture.shown.get(id) ?? {};
    deepEqual([title, queue], ["Greetings", { prompts: [queued], held: true }]);
    await fixture.prompt(id, "again", "q");
    await fixture.settle();
    equal(fixture.story(id).length, 3, "the queue contains it already");
  });

  test("shows where an edited excerpt is in its file, also after a restart", async () => {
    const cwd = realpathSync(mkdtempSync(path.join(tmpdir(), "session-"))),
      file = path.join(cwd, "a.txt"),
      journal = new MemoryJournal();
    writeFileSync(file, "saved");
    try {
      await using fixture = new Fixture(journal);
      const id = await fixture.open({ cwd });
      const linesOf = (entries: readonly Entry[]) =>
        entries.flatMap(entry => (entry.kind === "tool" ? entry.content : [])).map(each => "line" in each && each.line);
      await fixture.prompt(id, "go");
      await fixture.agents[0]!.next("session/prompt");
      fixture.agents[0]!.update("s1", {
        sessionUpdate: "tool_call",
        toolCallId: "t",
        kind: "edit",
        // the editor's text of the file
        content: [{ type: "diff", path: file, oldText: `of ${file}`, newText: "2" }],
      });
      await fixture.until(() => linesOf(fixture.entries(id)).includes(2));
      await using after = new Fixture(journal.copy());
      const again = await after.open({ cwd });
      after.service.handlers["chat/replay"]({ sessionId: again, requestNumber: 1 });
      await after.settle();
      deepEqual(linesOf(after.entries(again)), [2]);
    } finally {
      rmSync(cwd, { recursive: true });
    }
  });

  test("is read-only while another process writes its journal, until the user takes it over", async () => {
    const journal = new MemoryJournal();
    journal.store("one", {
      ...emptyConversation({ id: "ada", name: "Ada" }, "/w"),
      entries: [{ kind: "user", id: "u", text: "hi" }],
    });
    journal.elsewhere.add("one");
    const stored = journal.lines.get("one");
    await using fixture = new Fixture(journal);
    const id = await fixture.open();
    fixture.service.handlers["chat/replay"]({ sessionId: id, requestNumber: 1 });
    await rejects(fixture.prompt(id, "too"), /open in another window/);
    await fixture.settle();
    deepEqual(fixture.story(id), [
      "user hi",
      "notice This conversation is open in another window. Take it over to continue here.",
    ]);
    deepEqual([fixture.agents.length, journal.lines.get("one")], [0, stored]);
    await fixture.service.handlers["chat/close"]({ sessionId: id }, NEVER);
    const next = await fixture.open({ start: "takeOver" });
    await fixture.prompt(next, "mine");
    await fixture.settle();
    equal(fixture.story(next).at(-1), "user mine");
  });

  test("ends the agent's session and writes nothing more when another process takes over", async () => {
    await using fixture = new Fixture();
    fixture.initialized = { protocolVersion: 1, agentCapabilities: { sessionCapabilities: { close: {} } } };
    const id = await fixture.open();
    await fixture.prompt(id, "go");
    await fixture.settle();
    await fixture.agents[0]!.next("session/prompt");
    const stored = fixture.journal.lines.get("one");
    fixture.journal.elsewhere.add("one");
    fixture.agents[0]!.report("s1", "late");
    await fixture.settle();
    await fixture.settle();
    deepEqual(fixture.agents[0]!.received.slice(-3), ["cancel s1", "session/close", "closed"]);
    equal(
      fixture.story(id).at(-1),
      "notice This conversation is open in another window. Take it over to continue here.",
    );
    equal(fixture.journal.lines.get("one"), stored);
  });

  test("shows a conversation that a newer version has stored, and never writes it", async () => {
    const journal = new MemoryJournal();
    journal.store("one", {
      ...emptyConversation({ id: "ada", name: "Ada" }, "/w"),
      entries: [{ kind: "user", id: "u", text: "hi" }],
    });
    const stored = journal.lines.get("one")?.replace('"format":1', '"format":2') ?? "";
    journal.lines.set("one", stored);
    await using fixture = new Fixture(journal);
    const id = await fixture.open();
    await rejects(fixture.prompt(id, "too"), /Update the extension/);
    await fixture.settle();
    deepEqual(fixture.agents.length, 0);
    equal(fixture.story(id)[0]?.startsWith("notice A newer version of Symposium"), true);
    equal(journal.lines.get("one"), stored);
  });

  test("shows a stored conversation in an untrusted workspace, without its agent", async () => {
    const journal = new MemoryJournal();
    journal.store("one", {
      ...emptyConversation({ id: "bob", name: "Bob" }, "/w"),
      entries: [{ kind: "user", id: "u", text: "hi" }],
    });
    const stored = journal.lines.get("one");
    await using fixture = new Fixture(journal, { isRestricted: true });
    const id = await fixture.open();
    fixture.service.handlers["chat/replay"]({ sessionId: id, requestNumber: 1 });
    await rejects(fixture.prompt(id, "too"), /Trust this workspace/);
    await fixture.settle();
    deepEqual([fixture.shown.get(id)?.agent.name, fixture.story(id), fixture.agents.length], ["Bob", ["user hi"], 0]);
    equal(journal.lines.get("one"), stored);
  });
});
