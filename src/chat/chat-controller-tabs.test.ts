import { deepEqual, equal, ok } from "node:assert/strict";
import { deferred } from "../protocol/wire/deferred";
import { ELIZA } from "../protocol/agents/agents";
import type { NewChat } from "../protocol/sidecar";
import { settled } from "../testing/settled";
import { MINE, Fixture, prompt } from "../testing/chat-controller-fixture";

suite("ChatController: tabs", () => {
  test("opens one session per new tab with the current agent in the workspace folder", async () => {
    const fixture = new Fixture();
    await fixture.send({ type: "newTab", tabId: "t" }, { type: "newTab", tabId: "t" });
    deepEqual(fixture.calls("chat/new"), [{ conversation: "t", start: "empty", agent: ELIZA, cwd: "/w" }]);
    deepEqual(fixture.of("state").at(-1)?.tabs, ["t"]);
  });

  test("queues messages of a tab in order while its session opens", async () => {
    const fixture = new Fixture();
    fixture.sidecar.hold("chat/new");
    await fixture.send(
      { type: "newTab", tabId: "t" },
      prompt("t"),
      { type: "cancel", tabId: "t" },
      prompt("t", "again"),
    );
    deepEqual(fixture.sidecar.methods(), ["chat/new"]);
    fixture.sidecar.release();
    await settled();
    deepEqual(fixture.sidecar.calls.slice(1), [
      { method: "chat/prompt", params: { sessionId: "s1", messageId: "m-hi", blocks: [{ type: "text", text: "hi" }] } },
      { method: "chat/cancel", params: { sessionId: "s1" } },
      {
        method: "chat/prompt",
        params: { sessionId: "s1", messageId: "m-again", blocks: [{ type: "text", text: "again" }] },
      },
    ]);
  });

  test("closes the session of a closed tab and posts the state", async () => {
    const fixture = new Fixture();
    await fixture.send({ type: "newTab", tabId: "t" }, { type: "closeTab", tabId: "t" });
    deepEqual(fixture.calls("chat/close"), [{ sessionId: "s1" }]);
    deepEqual([fixture.chat.tabs, fixture.of("state").at(-1)?.tabs], [[], []]);
  });

  test("closes a tab for a command after its session, and no tab without a page", async () => {
    const fixture = new Fixture();
    await fixture.ready();
    await fixture.send({ type: "newTab", tabId: "t" });
    fixture.live = false;
    await fixture.chat.closeTab("t");
    deepEqual(fixture.calls("chat/close"), []);
    fixture.live = true;
    await fixture.chat.closeTab("t");
    deepEqual(fixture.of("closeTab"), [{ type: "closeTab", tabId: "t" }]);
    deepEqual(fixture.calls("chat/close"), [{ sessionId: "s1" }]);
    await fixture.send({ type: "closeTab", tabId: "t" });
    equal(fixture.calls("chat/close").length, 1);
  });

  test("posts an agent that a command has selected to the selected tab", async () => {
    const fixture = new Fixture();
    equal(await fixture.chat.agentSelected("mine"), false);
    await fixture.send(
      { type: "newTab", tabId: "t" },
      { type: "selectTab", tabId: "t" },
      { type: "action", tabId: "t", action: "selectAgent" },
    );
    deepEqual([fixture.of("agentSelected"), fixture.done.at(-1)], [[], "selectAgent"]);
    equal(await fixture.chat.agentSelected("mine"), true);
    await fixture.send({ type: "closeTab", tabId: "t" }, { type: "newTab", tabId: "t", agentId: "mine" });
    deepEqual(
      [fixture.of("agentSelected"), fixture.calls("chat/close"), fixture.calls("chat/new").at(-1)],
      [
        [{ type: "agentSelected", tabId: "t", agentId: "mine" }],
        [{ sessionId: "s1" }],
        { conversation: "t", start: "empty", agent: MINE, cwd: "/w" },
      ],
    );
  });

  test("only shows earlier tabs in an untrusted workspace and posts the reason", async () => {
    const fixture = new Fixture();
    fixture.trusted = false;
    await fixture.ready({ tabId: "t" });
    await fixture.send({ type: "newTab", tabId: "u" }, prompt("t"), {
      type: "action",
      tabId: "t",
      action: "restartSidecar",
    });
    deepEqual([fixture.sidecar.methods(), fixture.restarts], [["chat/new", "chat/replay"], 0]);
    deepEqual(fixture.of("state")[0]?.sidecar, {
      state: "readOnly",
      message: "Agents run programs on this machine. Trust this workspace to start one.",
      actions: ["manageTrust"],
    });
    deepEqual(
      fixture.of("failed").map(({ tabId }) => tabId),
      ["u", "t"],
    );
    deepEqual(fixture.done, [
      "tell Agents run programs on this machine. Trust this workspace to start one. manageTrust",
    ]);
    fixture.trusted = true;
    fixture.chat.trustGranted();
    deepEqual(
      fixture.posted.slice(-2).map(({ type }) => type),
      ["state", "requestReplay"],
    );
  });

  test("adds a detected agent to the settings before its tab starts", async () => {
    const fixture = new Fixture();
    fixture.addingFound = async id => {
      fixture.settings = {
        ...fixture.settings,
        agents: [...fixture.settings.agents, { id, name: id, distribution: { local: { command: id } } }],
      };
    };
    await fixture.send({ type: "selectAgent", agentId: "goose" }, { type: "newTab", tabId: "t", agentId: "goose" });
    deepEqual(fixture.done, ["select goose"]);
    deepEqual(
      fixture.sidecar.calls.flatMap(({ method, params }) =>
        method === "chat/new" ? [(params as { agent: { id: string } }).agent.id] : [],
      ),
      ["goose"],
    );
  });

  test("opens a tab with the selected agent while the setting is being written", async () => {
    const fixture = new Fixture(),
      written = deferred<undefined>();
    fixture.selecting = written.promise;
    await fixture.send({ type: "selectAgent", agentId: "mine" }, { type: "newTab", tabId: "t" });
    deepEqual(fixture.calls("chat/new"), []);
    fixture.settings = { ...fixture.settings, currentAgentId: "mine" };
    written.resolve(undefined);
    await settled();
    deepEqual(
      (fixture.calls("chat/new") as NewChat[]).map(({ agent }) => agent.id),
      ["mine"],
    );
  });

  test("opens a requested tab immediately or with the page, without a duplicate first tab", async () => {
    const fixture = new Fixture();
    fixture.chat.requests.openTab();
    equal(fixture.of("openTab").length, 1);
    fixture.live = false;
    fixture.chat.requests.openTab();
    fixture.live = true;
    await fixture.ready({ tabId: "t" });
    await fixture.ready({ tabId: "t" });
    deepEqual(fixture.of("openTab").length, 2);
    const first = new Fixture();
    first.live = false;
    first.chat.requests.openTab();
    first.live = true;
    await first.ready();
    await first.ready({ tabId: "t" });
    equal(first.of("openTab").length, 0);
  });

  test("opens a stored session with its journal, without an empty first tab", async () => {
    const session = { conversation: "c", agentId: "mine", cwd: "/w" },
      message = { type: "openTab", tabId: "c", agentId: "mine", cwd: "/w" } as const,
      fixture = new Fixture();
    fixture.chat.requests.openSession(session);
    fixture.live = false;
    fixture.chat.requests.openSession(session, "e");
    fixture.live = true;
    await fixture.ready();
    await fixture.ready();
    deepEqual(fixture.of("openTab"), [message, { ...message, entryId: "e" }]);
    // A page without tabs opens an empty tab with the state.
    deepEqual(
      fixture.posted.slice(1, 3).map(({ type }) => type),
      ["openTab", "state"],
    );
    await fixture.ready({ tabId: "c", agentId: "mine", cwd: "/w" });
    deepEqual(fixture.calls("chat/new"), [{ conversation: "c", agent: MINE, cwd: "/w" }]);
  });

  test("stores a branch of a tab and opens it, with another agent if the user picks one", async () => {
    const fixture = new Fixture(),
      stored = { conversation: "new", agentId: "bob", agent: { id: "bob", name: "Bob" }, cwd: "/w" };
    await fixture.ready();
    fixture.sidecar.reply("sessions/fork", () => ({ ...stored, transcript: "User: one" }));
    const request = { type: "forkSession", tabId: "t", newId: "new" } as const;
    await fixture.send({ type: "newTab", tabId: "t" }, { ...request, before: "u2" });
    await fixture.send({ ...request, choosesAgent: true });
    fixture.pickedAgent = { id: "bob", name: "Bob" };
    await fixture.send({ ...request, choosesAgent: true });
    deepEqual(fixture.calls("sessions/fork"), [
      { conversation: "t", newId: "new", before: "u2" },
      { conversation: "t", newId: "new", agent: { id: "bob", name: "Bob" } },
    ]);
    const forked = { type: "forked", tabId: "new", agentId: "bob", cwd: "/w", transcript: "User: one" } as const;
    deepEqual(fixture.of("forked"), [forked, forked]);
    fixture.trusted = false;
    await fixture.send(request);
    equal(fixture.of("failed").length, 1);
  });

  test("opens the stored session that the page requests", async () => {
    const fixture = new Fixture(),
      session = { conversation: "source", agentId: "mine", cwd: "/w" };
    await fixture.ready();
    fixture.sidecar.reply("sessions/open", () => session);
    await fixture.send({ type: "openSession", tabId: "t", conversation: "source" });
    deepEqual(fixture.calls("sessions/open"), [{ ref: { kind: "stored", conversation: "source" } }]);
    deepEqual(fixture.of("openTab"), [{ type: "openTab", tabId: "source", agentId: "mine", cwd: "/w" }]);
  });

  test("passes requests of the page that concern other surfaces, and gives up tabs that they show", async () => {
    const fixture = new Fixture(),
      drafts = { text: "", attachments: [], onTheWay: [], takenBack: [] };
    fixture.elsewhere = ["u"];
    await fixture.ready({ tabId: "t" }, { tabId: "u" });
    deepEqual(fixture.chat.tabs, ["t"]);
    await fixture.send(
      { type: "moveTab", to: "editor", tabId: "t", title: "", drafts },
      { type: "openInView" },
      { type: "titleChanged", title: "T" },
    );
    deepEqual(fixture.done, ["move t editor", "open in view ", "title T"]);
  });

  test("opens the draft of a link immediately or with the first page", async () => {
    const fixture = new Fixture();
    await fixture.ready();
    fixture.chat.requests.openDraft("text");
    const first = new Fixture();
    first.live = false;
    first.chat.requests.openDraft("text");
    first.live = true;
    await first.ready();
    for (const { posted } of [fixture, first]) deepEqual(posted.at(-1), { type: "openTab", draft: "text" });
    deepEqual(fixture.calls("chat/prompt"), []);
  });

  test("opens a requested tab with the given agent, also on a first page", async () => {
    const fixture = new Fixture();
    fixture.chat.requests.openTab("mine");
    fixture.live = false;
    fixture.chat.requests.openTab("mine");
    fixture.live = true;
    await fixture.ready();
    await fixture.ready();
    deepEqual(fixture.of("openTab"), [
      { type: "openTab", agentId: "mine" },
      { type: "openTab", agentId: "mine" },
    ]);
    await fixture.send({ type: "newTab", tabId: "t", agentId: "mine" });
    deepEqual(
      fixture.calls("chat/new").map(params => (params as NewChat).agent.id),
      ["mine"],
    );
  });

  test("posts the selected tab only to a page without a selection", async () => {
    const fixture = new Fixture();
    await fixture.send({ type: "newTab", tabId: "t" }, { type: "selectTab", tabId: "t" });
    await fixture.ready({ tabId: "t" });
    ok(fixture.of("state").every(({ selected }) => selected === undefined));
    await fixture.ready();
    equal(fixture.of("state").at(-1)?.selected, "t");
  });
});
