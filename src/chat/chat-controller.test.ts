import { deepEqual, equal, rejects } from "node:assert/strict";
import { SidecarRefused } from "../errors";
import { ELIZA } from "../protocol/agents/agents";
import { ErrorCode } from "../protocol/wire/errors";
import type { PageToHost } from "../protocol/page/host-to-page";
import { readSettings } from "../settings/store/settings";
import { MINE, RUNNING, BACKOFF, Fixture } from "../testing/chat-controller-fixture";

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

  test("sends attachments with a prompt and withdraws or sends queued prompts", async () => {
    const fixture = new Fixture();
    const attachments = [
      { kind: "file", path: "/w/a.ts" },
      { kind: "terminal", name: "zsh", text: "$" },
    ] as const;
    await fixture.send(
      { type: "newTab", tabId: "t" },
      { type: "prompt", tabId: "t", messageId: "m", text: "look", attachments },
    );
    await fixture.send(
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

  test("logs the page's messages", async () => {
    const fixture = new Fixture();
    const lines: string[] = [];
    fixture.log.onLog(({ level, category, message }) => lines.push(`${level} ${category} ${message}`));
    await fixture.send({ type: "log", level: "warn", message: "hm" }, { type: "ack", handled: 1 });
    deepEqual(lines, ["warn webview hm"]);
  });
});
