import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { SidecarExited, SidecarRefused, SidecarUnavailable } from "../errors";
import { ELIZA } from "../protocol/agents/agents";
import { ErrorCode } from "../protocol/wire/errors";
import type { PageToHost } from "../protocol/page/host-to-page";
import { settled } from "../testing/settled";
import { MINE, RUNNING, BACKOFF, SHOWN, Fixture, prompt } from "../testing/chat-controller-fixture";

suite("ChatController: sidecar and page restarts", () => {
  test("replays the session from the page's position", async () => {
    const fixture = new Fixture();
    await fixture.send({ type: "newTab", tabId: "t" });
    await fixture.ready({ tabId: "t", at: { bootId: "b", seq: 3 }, requestNumber: 7, shown: SHOWN });
    deepEqual(fixture.calls("chat/replay"), [{ sessionId: "s1", at: { bootId: "b", seq: 3 }, requestNumber: 7 }]);
    equal(fixture.calls("chat/new").length, 1);
  });

  test("replays once for repeated requests while a session opens", async () => {
    const fixture = new Fixture();
    fixture.sidecar.hold("chat/new");
    for (const requestNumber of [1, 2, 3]) await fixture.ready({ tabId: "t", requestNumber });
    fixture.sidecar.release();
    await settled();
    deepEqual(fixture.calls("chat/replay"), [{ sessionId: "s1", requestNumber: 3 }]);
    await fixture.ready({ tabId: "t", requestNumber: 4 });
    equal(fixture.calls("chat/replay").length, 2);
  });

  test("reopens a tab of an earlier window with its agent, folder and a notice", async () => {
    const fixture = new Fixture();
    await fixture.ready({ tabId: "t", agentId: "mine", cwd: "/w", shown: SHOWN });
    deepEqual(fixture.calls("chat/new"), [
      { conversation: "t", agent: MINE, cwd: "/w", shown: SHOWN, why: "The window was reloaded." },
    ]);
    deepEqual(fixture.of("state").at(-1)?.tabs, ["t"]);
  });

  test("replaces an unconfigured agent or an unknown folder of a reopened tab", async () => {
    const fixture = new Fixture();
    await fixture.ready({ tabId: "t", agentId: "gone", cwd: "/etc", shown: SHOWN });
    await fixture.ready({ tabId: "u", agentId: "gone", cwd: "/w" });
    deepEqual(fixture.calls("chat/new"), [
      {
        conversation: "t",
        agent: ELIZA,
        cwd: "/w",
        shown: SHOWN,
        why: "The window was reloaded. The agent “gone” is no longer configured. Eliza continues in this tab.",
      },
      { conversation: "u", agent: ELIZA, cwd: "/w", shown: [] },
    ]);
  });

  test("notifies the page of a sidecar exit and sends a prompt after the session reopened", async () => {
    const fixture = new Fixture();
    await fixture.send({ type: "newTab", tabId: "t" });
    fixture.sidecar.die();
    await fixture.become(BACKOFF);
    deepEqual(fixture.of("state").at(-1)?.sidecar, {
      state: "restarting",
      message: "Symposium’s sidecar is restarting.",
    });
    await fixture.send(prompt("t", "meanwhile"), { type: "cancel", tabId: "t" });
    fixture.sidecar.restart();
    await fixture.become({ ...RUNNING, run: 2 });
    deepEqual(
      fixture.posted.slice(-2).map(({ type }) => type),
      ["state", "requestReplay"],
    );
    deepEqual(fixture.sidecar.calls, []);
    await fixture.ready({ tabId: "t", agentId: "elizacp", cwd: "/w", shown: SHOWN });
    deepEqual(fixture.calls("chat/new"), [
      { conversation: "t", agent: ELIZA, cwd: "/w", shown: SHOWN, why: "Symposium’s sidecar was restarted." },
    ]);
    deepEqual(fixture.sidecar.methods(), ["chat/new", "chat/prompt", "chat/replay"]);
    deepEqual(fixture.of("failed"), []);
  });

  test("opens no session for a request sent before the page received the loss", async () => {
    const fixture = new Fixture();
    await fixture.send({ type: "newTab", tabId: "t" });
    fixture.sidecar.die();
    await fixture.become(BACKOFF);
    equal(fixture.of("state").at(-1)?.losses, 1);
    fixture.sidecar.restart();
    await fixture.become({ ...RUNNING, run: 2 });
    await fixture.send({ type: "webviewReady", tabs: [{ tabId: "t", requestNumber: 2, shown: [] }], losses: 0 });
    deepEqual(fixture.sidecar.calls, []);
    await fixture.send({ type: "webviewReady", tabs: [{ tabId: "t", requestNumber: 3, shown: SHOWN }], losses: 1 });
    deepEqual(fixture.calls("chat/new").length, 1);
    deepEqual(fixture.calls("chat/replay"), [{ sessionId: "s2", requestNumber: 3 }]);
  });

  test("requests another state from a page whose first request was repeated or late", async () => {
    const fixture = new Fixture(),
      first: PageToHost = { type: "webviewReady", tabs: [{ tabId: "t", requestNumber: 1, shown: [] }], losses: 0 };
    await fixture.send(first);
    fixture.sidecar.die();
    await fixture.become(BACKOFF);
    await fixture.send(first);
    deepEqual(
      fixture.posted.map(({ type }) => type),
      ["state", "state", "state"],
    ); // not answered yet
    fixture.sidecar.restart();
    await fixture.become({ ...RUNNING, run: 2 });
    await fixture.send(first);
    deepEqual(
      [fixture.sidecar.calls, fixture.posted.slice(-2).map(({ type }) => type), fixture.of("state").at(-1)?.losses],
      [[], ["state", "requestReplay"], 1],
    );
    await fixture.send({ type: "webviewReady", tabs: [{ tabId: "t", requestNumber: 2, shown: SHOWN }], losses: 1 });
    deepEqual(
      [fixture.calls("chat/new"), fixture.posted.at(-1)?.type],
      [
        [{ conversation: "t", agent: ELIZA, cwd: "/w", shown: SHOWN, why: "Symposium’s sidecar was restarted." }],
        "state",
      ],
    );
  });

  test("drops a prompt sent before the page received the loss", async () => {
    const fixture = new Fixture();
    await fixture.send({ type: "newTab", tabId: "t" });
    const promptWith = (losses: number): PageToHost => ({
      type: "prompt",
      tabId: "t",
      messageId: "m",
      text: "hi",
      losses,
    });
    await fixture.send(promptWith(0));
    fixture.sidecar.die();
    await fixture.become(BACKOFF);
    let refusal: unknown;
    fixture.chat.handle(promptWith(0)).catch((error: unknown) => {
      refusal = error;
    });
    await settled();
    ok(refusal instanceof SidecarExited);
    fixture.sidecar.restart();
    await fixture.become({ ...RUNNING, run: 2 });
    await fixture.send(promptWith(0), {
      type: "webviewReady",
      tabs: [{ tabId: "t", requestNumber: 2, shown: SHOWN }],
      losses: 1,
    });
    deepEqual([fixture.sidecar.methods(), fixture.of("failed")], [["chat/new", "chat/replay"], []]);
    await fixture.send(promptWith(1));
    equal(fixture.calls("chat/prompt").length, 1);
  });

  test("keeps a prompt of a newly opened session when another tab has a loss", async () => {
    const fixture = new Fixture();
    await fixture.send({ type: "newTab", tabId: "t" });
    fixture.sidecar.die();
    await fixture.become(BACKOFF);
    await fixture.send(
      { type: "newTab", tabId: "u" },
      { type: "prompt", tabId: "u", messageId: "m", text: "hi", losses: 0 },
    );
    fixture.sidecar.restart();
    await fixture.become({ ...RUNNING, run: 2 });
    deepEqual(fixture.sidecar.methods(), ["chat/new", "chat/prompt"]);
  });

  test("treats a session opened by a stopping sidecar as lost", async () => {
    const fixture = new Fixture();
    fixture.sidecar.hold("chat/new");
    await fixture.send({ type: "newTab", tabId: "t" });
    await fixture.become({ kind: "stopping", run: 1, next: "start" });
    fixture.sidecar.release();
    await settled();
    fixture.sidecar.die();
    await fixture.become({ kind: "starting", run: 2, node: "own", deaths: [] });
    fixture.sidecar.restart();
    await fixture.become({ ...RUNNING, run: 2 });
    equal(fixture.posted.at(-1)?.type, "requestReplay");
    await fixture.send({ type: "webviewReady", tabs: [{ tabId: "t", requestNumber: 2, shown: [] }], losses: 1 });
    deepEqual(fixture.sidecar.methods(), ["chat/new", "chat/replay"]);
  });

  test("opens a lost tab for a prompt without a page", async () => {
    const fixture = new Fixture();
    fixture.live = false;
    await fixture.send({ type: "newTab", tabId: "t" });
    fixture.sidecar.die();
    await fixture.become(BACKOFF);
    fixture.sidecar.restart();
    await fixture.chat.handle(prompt("t"));
    deepEqual(fixture.sidecar.methods(), ["chat/new", "chat/prompt"]);
  });

  test("reports no failure for a prompt in flight when the sidecar exits", async () => {
    const fixture = new Fixture();
    await fixture.send({ type: "newTab", tabId: "t" });
    fixture.sidecar.hold("chat/prompt");
    await fixture.send(prompt("t"));
    fixture.sidecar.die();
    await settled();
    deepEqual(fixture.of("failed"), []);
  });

  test("reopens a session unknown to the sidecar on the page's request", async () => {
    const fixture = new Fixture();
    await fixture.send({ type: "newTab", tabId: "t" });
    fixture.sidecar.refuse("chat/prompt", new SidecarRefused(ErrorCode.unknownSession, "Not open."));
    await fixture.send(prompt("t"));
    deepEqual([fixture.posted.at(-1)?.type, fixture.of("state").at(-1)?.losses], ["requestReplay", 1]);
    await fixture.ready({ tabId: "t" });
    equal(fixture.calls("chat/new").length, 2);
  });

  test("shows the sidecar's error in the tab and rejects the caller", async () => {
    const fixture = new Fixture();
    await fixture.send({ type: "newTab", tabId: "t" });
    fixture.sidecar.refuse("chat/prompt", new SidecarRefused(ErrorCode.refused, "Eliza is still answering."));
    await rejects(fixture.chat.handle(prompt("t")), /still answering/);
    deepEqual(fixture.of("failed"), [
      { type: "failed", tabId: "t", messageId: "m-hi", message: "Eliza is still answering." },
    ]);
    await rejects(
      fixture.chat.handle(prompt("t")),
      /still answering/,
      "one that has failed stays so: its text is in the input again",
    );
    equal(fixture.calls("chat/prompt").length, 1);
    await rejects(fixture.chat.handle(prompt("never", "another")), /closed/);
  });

  test("sends a repeated prompt once", async () => {
    const fixture = new Fixture();
    await fixture.send({ type: "newTab", tabId: "t" });
    fixture.sidecar.hold("chat/prompt");
    await fixture.send(prompt("t"), prompt("t"));
    equal(fixture.calls("chat/prompt").length, 1);
    fixture.sidecar.release();
    await settled();
    await fixture.send(prompt("t"));
    equal(fixture.calls("chat/prompt").length, 2, "the sidecar knows what it has");
    deepEqual(fixture.of("failed"), []);
  });

  test("shows one sentence with buttons when the sidecar failed and rejects waiting prompts", async () => {
    const fixture = new Fixture();
    await fixture.send({ type: "newTab", tabId: "t" });
    fixture.sidecar.die();
    await fixture.become(BACKOFF);
    await fixture.send(prompt("t"));
    fixture.sidecar.unavailable = new SidecarUnavailable("It stopped 5 times.");
    await fixture.become({ kind: "failed", run: 5, message: "It stopped 5 times." });
    deepEqual(fixture.of("state").at(-1)?.sidecar, {
      state: "failed",
      message: "It stopped 5 times.",
      actions: ["restartSidecar", "showLogs"],
    });
    deepEqual(fixture.of("failed"), [
      { type: "failed", tabId: "t", messageId: "m-hi", message: "It stopped 5 times." },
    ]);
    deepEqual(fixture.done, []);
  });

  test("shows a VS Code notification when the sidecar failed without a page", async () => {
    const fixture = new Fixture();
    fixture.live = false;
    await fixture.become({ kind: "failed", run: 5, message: "It stopped 5 times." });
    deepEqual(fixture.done, ["tell It stopped 5 times. restartSidecar showLogs"]);
  });

  test("reports the first start as running, later ones as restarting, and not the window's end", async () => {
    const fixture = new Fixture();
    await fixture.become({ kind: "starting", run: 1, node: "own", deaths: [] });
    await fixture.become({ kind: "starting", run: 2, node: "own", deaths: [] });
    await fixture.become({ kind: "stopping", run: 2, next: "start" });
    deepEqual(
      fixture.of("state").map(({ sidecar }) => sidecar.state),
      ["running", "restarting", "restarting"],
    );
    await fixture.become({ kind: "stopping", run: 2, next: "rest" });
    await fixture.become({ kind: "stopped", run: 2 });
    equal(fixture.posted.length, 3);
  });
});
