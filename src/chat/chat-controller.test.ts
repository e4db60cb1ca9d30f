import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { deferred } from "../protocol/wire/deferred";
import { SidecarRefused } from "../errors";
import { ELIZA } from "../protocol/agents/agents";
import { ErrorCode } from "../protocol/wire/errors";
import type { NewChat } from "../protocol/sidecar";
import type { PageToHost } from "../protocol/page/host-to-page";
import { readSettings } from "../settings/store/settings";
import { settled } from "../testing/settled";
import { MINE, RUNNING, BACKOFF, Fixture, prompt } from "../testing/chat-controller-fixture";

suite("ChatController", () => {
  test("posts agents, tabs and sidecar state to a ready page", async () => {
    const fixture = new Fixture();
    await fixture.ready();
    deepEqual(fixture.posted, [
      {
        type: "state",
        agents: fixture.settings.agents.map(({ id, name }) => ({ id, name })),
        currentAgentId: "elizacp",
        tabs: [],
        sidecar: { state: "running" },
      },
    ]);
  });

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

  test("sends attachments with a prompt and withdraws or sends queued prompts", async () => {
    const fixture = new Fixture();
    const attachments = [
      { kind: "file", path: "/w/a.ts" },
      { kind: "terminal", name: "zsh", text: "$" },
    ] as const;
    await fixture.send(
      { type: "newTab", tabId: "t" },
      { type: "prompt", tabId: "t", messageId: "m", text: "look", attachments },
      { type: "withdraw", tabId: "t", messageId: "m" },
      { type: "sendQueued", tabId: "t" },
      { type: "clearQueue", tabId: "t", messageIds: ["m", "n"] },
      { type: "withdraw", tabId: "gone", messageId: "m" },
      { type: "sendQueued", tabId: "gone" },
    );
    deepEqual(fixture.sidecar.calls.slice(1), [
      {
        method: "chat/prompt",
        params: {
          sessionId: "s1",
          messageId: "m",
          blocks: [
            { type: "text", text: "look" },
            { type: "attachment", attachment: attachments[0] },
            { type: "attachment", attachment: attachments[1] },
          ],
        },
      },
      { method: "chat/withdraw", params: { sessionId: "s1", messageId: "m" } },
      { method: "chat/sendQueued", params: { sessionId: "s1" } },
      { method: "chat/clearQueue", params: { sessionId: "s1", messageIds: ["m", "n"] } },
    ]);
  });

  test("posts whether sending requires a modifier", async () => {
    const fixture = new Fixture();
    await fixture.ready();
    fixture.settings = readSettings(name => (name === "symposium.requireModifierToSend" ? true : undefined));
    fixture.chat.postState();
    deepEqual(
      fixture.of("state").map(({ requireModifier }) => requireModifier),
      [undefined, true],
    );
  });

  test("forwards an elicitation answer to its session", async () => {
    const fixture = new Fixture();
    const choice = { kind: "accept", values: { who: "me", many: ["a"] } } as const;
    await fixture.send(
      { type: "newTab", tabId: "t" },
      { type: "answerElicitation", tabId: "t", elicitationId: "e", choice },
      { type: "answerElicitation", tabId: "gone", elicitationId: "e", choice },
    );
    deepEqual(fixture.sidecar.calls.slice(1), [
      { method: "chat/answerElicitation", params: { sessionId: "s1", elicitationId: "e", choice } },
    ]);
  });

  test("forwards selected options and starts later sessions with the accepted ones", async () => {
    const fixture = new Fixture();
    await fixture.send(
      { type: "newTab", tabId: "t" },
      { type: "setControl", tabId: "t", controlId: "model", value: "large" },
      { type: "setControl", tabId: "t", controlId: "fast", value: true },
    );
    deepEqual(fixture.calls("chat/setControl"), [
      { sessionId: "s1", controlId: "model", value: "large" },
      { sessionId: "s1", controlId: "fast", value: true },
    ]);
    const controls = { model: "large", fast: true };
    for (const [id, value] of Object.entries(controls)) fixture.chosen.keep(ELIZA.id, id, value);
    await fixture.send({ type: "newTab", tabId: "u" });
    await fixture.ready({ tabId: "old", agentId: "elizacp", cwd: "/w" });
    deepEqual(fixture.calls("chat/new").slice(1), [
      { conversation: "u", start: "empty", agent: ELIZA, cwd: "/w", controls },
      { conversation: "old", agent: ELIZA, cwd: "/w", controls },
    ]);
    await fixture.ready({ tabId: "mine", agentId: "mine", cwd: "/w" });
    deepEqual(fixture.calls("chat/new").at(-1), { conversation: "mine", agent: MINE, cwd: "/w" });
    fixture.sidecar.die();
    await fixture.become(BACKOFF);
    fixture.sidecar.restart();
    await fixture.become(RUNNING);
    await fixture.ready({ tabId: "t", agentId: "elizacp", cwd: "/w" });
    deepEqual(
      fixture.calls("chat/new").map(params => "controls" in Object(params)),
      [true],
    );
  });

  test("offers protocol version 2 by setting, also to a reopened tab", async () => {
    const fixture = new Fixture();
    fixture.settings = readSettings(name => (name === "symposium.experimentalProtocolV2" ? true : undefined));
    await fixture.send({ type: "newTab", tabId: "t" });
    await fixture.ready({ tabId: "old", agentId: "elizacp", cwd: "/w" });
    deepEqual(fixture.calls("chat/new"), [
      { conversation: "t", start: "empty", agent: ELIZA, cwd: "/w", protocol: 2 },
      { conversation: "old", agent: ELIZA, cwd: "/w", protocol: 2 },
    ]);
  });

  test("ignores an option of an unknown tab and shows a rejected one in its tab", async () => {
    const fixture = new Fixture();
    await fixture.send(
      { type: "setControl", tabId: "gone", controlId: "model", value: "large" },
      { type: "newTab", tabId: "t" },
    );
    fixture.sidecar.refuse("chat/setControl", new SidecarRefused(1, "No."));
    await fixture.send({ type: "setControl", tabId: "t", controlId: "model", value: "large" });
    deepEqual(
      fixture.of("failed").map(({ tabId, message }) => [tabId, message]),
      [["t", "No."]],
    );
  });

  test("opens diffs, terminals and previews, and ignores unavailable locations", async () => {
    const fixture = new Fixture();
    await fixture.send({ type: "newTab", tabId: "t" });
    await fixture.send(
      { type: "openDiff", tabId: "t", path: "/w/a", oldText: "x", newText: "y" },
      { type: "openDiff", tabId: "gone", path: "/w/a", newText: "y" },
      { type: "openTerminal", tabId: "t", command: "ls", output: "" },
      { type: "openLink", href: "a.ts", preview: true },
    );
    fixture.linkProblem = new Error("It is not there.");
    await fixture.send({ type: "openLink", href: "b.ts", preview: true });
    deepEqual(
      [fixture.done, fixture.of("failed")],
      [["diff /w/a x y Eliza", "diff /w/a undefined y the agent", "terminal ls", "preview a.ts"], []],
    );
  });

  test("opens the text of an attachment", async () => {
    const fixture = new Fixture();
    await fixture.send({ type: "openText", title: "Transcript", text: "User: one" });
    deepEqual(fixture.done, ["text Transcript User: one"]);
  });

  test("sends all workspace folders to the session", async () => {
    const fixture = new Fixture();
    fixture.folders = ["/w", "/v"];
    await fixture.ready({ tabId: "t", agentId: "elizacp", cwd: "/w" });
    deepEqual(fixture.calls("chat/new"), [{ conversation: "t", agent: ELIZA, cwd: "/w", folders: ["/w", "/v"] }]);
  });

  test("forwards events and snapshots to their tab and drops those without one", async () => {
    const fixture = new Fixture();
    await fixture.send({ type: "newTab", tabId: "t" });
    const event = { type: "title", title: "x" } as const;
    const conversation = {
      agent: ELIZA,
      cwd: "/w",
      entries: [],
      turn: { state: "idle" },
      commands: [],
      controls: [],
    } as const;
    fixture.chat.event({ sessionId: "s1", bootId: "b", seq: 1, event });
    fixture.chat.event({ sessionId: "s9", bootId: "b", seq: 1, event });
    fixture.chat.snapshot({ sessionId: "s1", bootId: "b", seq: 1, requestNumber: 4, conversation });
    fixture.chat.snapshot({ sessionId: "s9", bootId: "b", seq: 1, conversation });
    deepEqual(fixture.posted.slice(1), [
      { type: "event", tabId: "t", bootId: "b", seq: 1, event },
      { type: "snapshot", tabId: "t", bootId: "b", seq: 1, requestNumber: 4, conversation },
    ]);
    deepEqual(fixture.done, ["forwarded t title elizacp"]);
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

  test("forwards a permission answer and drops one for a lost session", async () => {
    const fixture = new Fixture();
    const answer: PageToHost = {
      type: "answerPermission",
      tabId: "t",
      permissionId: "p",
      choice: { kind: "option", optionId: "o" },
    };
    await fixture.send({ type: "newTab", tabId: "t" }, answer);
    deepEqual(fixture.calls("chat/answerPermission"), [
      { sessionId: "s1", permissionId: "p", choice: { kind: "option", optionId: "o" } },
    ]);
    fixture.sidecar.die();
    await fixture.become(BACKOFF);
    await fixture.send(answer);
    deepEqual(fixture.of("failed"), []);
  });

  test("posts an agent that a command has selected to the selected tab", async () => {
    const fixture = new Fixture();
    fixture.chat.agentSelected("mine");
    await fixture.send(
      { type: "newTab", tabId: "t" },
      { type: "selectTab", tabId: "t" },
      { type: "action", tabId: "t", action: "selectAgent" },
    );
    deepEqual([fixture.of("agentSelected"), fixture.done.at(-1)], [[], "selectAgent"]);
    fixture.chat.agentSelected("mine");
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

  test("performs agent selections, actions and links, and rejects an unknown agent", async () => {
    const fixture = new Fixture();
    await fixture.send(
      { type: "newTab", tabId: "t" },
      { type: "selectAgent", agentId: "mine" },
      { type: "selectAgent", agentId: "gone" },
      { type: "action", tabId: "t", action: "showLogs" },
      { type: "action", tabId: "t", action: "restartAgent" },
      { type: "action", tabId: "t", action: "restartSidecar" },
      { type: "openLink", href: "https://x" },
    );
    deepEqual(
      [fixture.done, fixture.restarts, fixture.calls("chat/restartAgent")],
      [["select mine", "showLogs", "open https://x", "tell No agent has the id gone. "], 1, [{ sessionId: "s1" }]],
    );
    await fixture.send(
      { type: "action", tabId: "gone", action: "addToConfiguration" },
      { type: "action", tabId: "t", action: "addToConfiguration" },
    );
    deepEqual(fixture.done.slice(3), ["tell No agent has the id gone. ", "configure elizacp"]);
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

  test("requests the first screen for each page and new tab, and forwards its actions", async () => {
    const fixture = new Fixture();
    await fixture.ready();
    await fixture.send(
      { type: "newTab", tabId: "t" },
      { type: "disableExtensions", ids: ["sparkle", "cargo"] },
      { type: "previewExtensions" },
    );
    deepEqual([fixture.refreshes, fixture.done], [2, ["disable sparkle cargo", "preview extensions"]]);
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

  test("reports a failed action without a prompt id", async () => {
    const fixture = new Fixture();
    await fixture.send({ type: "newTab", tabId: "t" });
    fixture.sidecar.refuse("chat/restartAgent", new SidecarRefused(ErrorCode.refused, "Not now."));
    await fixture.send({ type: "action", tabId: "t", action: "restartAgent" });
    deepEqual(fixture.of("failed"), [{ type: "failed", tabId: "t", message: "Not now." }]);
  });

  test("shows a VS Code notification for a failure without a tab", async () => {
    const fixture = new Fixture();
    fixture.linkProblem = new Error("This link is not opened.");
    await fixture.send({ type: "openLink", href: "ftp://x" });
    deepEqual(fixture.done, ["tell This link is not opened. "]);
  });

  test("deletes stored conversations, except in an untrusted workspace, where nothing starts", async () => {
    const fixture = new Fixture();
    fixture.sidecar.reply("history/delete", () => ({ count: 3 }));
    equal(await fixture.chat.deleteHistory(), 3);
    fixture.trusted = false;
    await rejects(fixture.chat.deleteHistory(), /trust/i);
    deepEqual(fixture.sidecar.methods(), ["history/delete"]);
  });

  test("restarts the agent of the visible tab", async () => {
    const fixture = new Fixture();
    equal(await fixture.chat.restartAgent(), false);
    await fixture.send(
      { type: "newTab", tabId: "t" },
      { type: "newTab", tabId: "u" },
      { type: "selectTab", tabId: "u" },
    );
    equal(await fixture.chat.restartAgent(), true);
    await fixture.send({ type: "closeTab", tabId: "u" });
    await fixture.chat.restartAgent();
    deepEqual(fixture.calls("chat/restartAgent"), [{ sessionId: "s2" }, { sessionId: "s1" }]);
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

  test("runs commands in the page, and only moves the focus in a later page", async () => {
    const fixture = new Fixture();
    await fixture.ready();
    fixture.chat.requests.run("allowOnce");
    deepEqual(fixture.of("runCommand"), [{ type: "runCommand", command: "allowOnce" }]);
    const hidden = new Fixture();
    hidden.live = false;
    hidden.chat.requests.run("allowOnce");
    hidden.chat.requests.run("focusPrompt");
    hidden.live = true;
    await hidden.ready();
    await hidden.ready();
    deepEqual(hidden.of("runCommand"), [{ type: "runCommand", command: "focusPrompt" }]);
  });

  test("reports the focus of the page", async () => {
    const fixture = new Fixture();
    await fixture.send({ type: "focusChanged", hasFocus: true });
    deepEqual(fixture.done, ["focus true"]);
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

  test("logs the page's messages", async () => {
    const fixture = new Fixture();
    const lines: string[] = [];
    fixture.log.onLog(({ level, category, message }) => lines.push(`${level} ${category} ${message}`));
    await fixture.send({ type: "log", level: "warn", message: "hm" }, { type: "ack", handled: 1 });
    deepEqual(lines, ["warn webview hm"]);
  });
});
