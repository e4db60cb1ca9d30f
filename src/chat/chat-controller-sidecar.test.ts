import { deepEqual, equal, rejects } from "node:assert/strict";
import { SidecarRefused, SidecarUnavailable } from "../errors";
import { ELIZA } from "../protocol/agents/agents";
import { ErrorCode } from "../protocol/wire/errors";
import { settled } from "../testing/settled";
import { MINE, RUNNING, BACKOFF, Fixture, prompt } from "../testing/chat-controller-fixture";

suite("ChatController: sidecar and page restarts", () => {
  test("replays the session from the page's position", async () => {
    const fixture = new Fixture();
    await fixture.send({ type: "newTab", tabId: "t" });
    await fixture.ready({ tabId: "t", at: { bootId: "b", seq: 3 }, requestNumber: 7 });
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

  test("reopens a tab of an earlier window with its agent and folder", async () => {
    const fixture = new Fixture();
    await fixture.ready({ tabId: "t", agentId: "mine", cwd: "/w" });
    deepEqual(fixture.calls("chat/new"), [{ conversation: "t", agent: MINE, cwd: "/w" }]);
    deepEqual(fixture.of("state").at(-1)?.tabs, ["t"]);
  });

  test("replaces an unconfigured agent or an unknown folder of a reopened tab", async () => {
    const fixture = new Fixture();
    await fixture.ready({ tabId: "t", agentId: "gone", cwd: "/etc" });
    await fixture.ready({ tabId: "u", agentId: "gone", cwd: "/w" });
    deepEqual(fixture.calls("chat/new"), [
      {
        conversation: "t",
        agent: ELIZA,
        cwd: "/w",
      },
      { conversation: "u", agent: ELIZA, cwd: "/w" },
    ]);
  });

  test("continues a stored session in its folder outside the workspace, also after a sidecar exit", async () => {
    const fixture = new Fixture(),
      stored = { conversation: "t", agentId: "mine", cwd: "/elsewhere" };
    fixture.sidecar.reply("sessions/open", () => stored);
    fixture.sidecar.hold("sessions/open");
    await fixture.ready({ tabId: "t", agentId: "mine", cwd: "/elsewhere" });
    fixture.sidecar.die();
    fixture.sidecar.restart();
    await settled();
    deepEqual(fixture.calls("sessions/open"), [{ ref: { kind: "stored", conversation: "t" } }]);
    await fixture.ready({ tabId: "u", agentId: "mine", cwd: "/etc" });
    deepEqual(fixture.calls("chat/new"), [
      { conversation: "t", agent: MINE, cwd: "/elsewhere" },
      { conversation: "u", agent: MINE, cwd: "/w" },
    ]);
  });

  test("uses a folder of the workspace for a session that is not stored, and reports other failures", async () => {
    const fixture = new Fixture();
    fixture.sidecar.refuse("sessions/open", new SidecarRefused(ErrorCode.refused, "This session was deleted."));
    await fixture.ready({ tabId: "t", agentId: "mine", cwd: "/elsewhere" });
    deepEqual(fixture.calls("chat/new"), [{ conversation: "t", agent: MINE, cwd: "/w" }]);
    fixture.sidecar.refuse("sessions/open", new Error("broken"));
    await fixture.ready({ tabId: "u", agentId: "mine", cwd: "/elsewhere" });
    equal(fixture.calls("chat/new").length, 1);
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
    await fixture.ready({ tabId: "t", agentId: "elizacp", cwd: "/w" });
    deepEqual(fixture.calls("chat/new"), [{ conversation: "t", agent: ELIZA, cwd: "/w" }]);
    deepEqual(fixture.sidecar.methods(), ["chat/new", "chat/prompt", "chat/cancel", "chat/replay"]);
    deepEqual(fixture.of("failed"), []);
  });

  test("opens a lost session for a repeated prompt, before the page has requested its content", async () => {
    const fixture = new Fixture();
    await fixture.send({ type: "newTab", tabId: "t", agentId: "mine" }, prompt("t"));
    fixture.sidecar.die();
    await fixture.become(BACKOFF);
    await fixture.send(prompt("t"));
    fixture.sidecar.restart();
    await fixture.become({ ...RUNNING, run: 2 });
    await fixture.send({ type: "webviewReady", tabs: [{ tabId: "t", requestNumber: 2 }] });
    deepEqual(fixture.sidecar.methods(), ["chat/new", "chat/prompt", "chat/replay"]);
    deepEqual(fixture.calls("chat/new"), [{ conversation: "t", agent: MINE, cwd: "/w" }]);
    deepEqual(fixture.of("failed"), []);
  });

  test("does not forward a prompt that is withdrawn while the sidecar restarts", async () => {
    const fixture = new Fixture();
    await fixture.send({ type: "newTab", tabId: "t" });
    fixture.sidecar.die();
    await fixture.become(BACKOFF);
    const waiting = { type: "prompt", tabId: "t", messageId: "m", text: "hi" } as const;
    await fixture.send(waiting, { type: "withdraw", tabId: "t", messageId: "m" });
    await fixture.send({ ...waiting, messageId: "n" });
    fixture.sidecar.restart();
    await fixture.become({ ...RUNNING, run: 2 });
    deepEqual(fixture.calls("chat/prompt"), [
      { sessionId: "s2", messageId: "n", blocks: [{ type: "text", text: "hi" }] },
    ]);
  });

  test("keeps a prompt of a newly opened session when another tab has a loss", async () => {
    const fixture = new Fixture();
    await fixture.send({ type: "newTab", tabId: "t" });
    fixture.sidecar.die();
    await fixture.become(BACKOFF);
    await fixture.send({ type: "newTab", tabId: "u" }, { type: "prompt", tabId: "u", messageId: "m", text: "hi" });
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
    await fixture.send({ type: "webviewReady", tabs: [{ tabId: "t", requestNumber: 2 }] });
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
    equal(fixture.posted.at(-1)?.type, "requestReplay");
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
    fixture.sidecar.fail(new SidecarUnavailable("It stopped 5 times."));
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
