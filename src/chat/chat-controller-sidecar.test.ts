import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { SidecarGone, SidecarRefused, SidecarUnavailable } from "../errors";
import { ELIZA } from "../protocol/agents";
import { ErrorCode } from "../protocol/errors";
import type { PageToHost } from "../protocol/webview";
import { settled } from "../testing/settled";
import { MINE, RUNNING, BACKOFF, SHOWN, Fixture, prompt } from "../testing/chat-controller-world";

suite("chat controller, when the sidecar or the page comes and goes", () => {
  test("a page that asks is answered by the session, from where it is", async () => {
    const fixture = new Fixture();
    await fixture.says({ type: "new-tab", tabId: "t" });
    await fixture.ready({ tabId: "t", at: { bootId: "b", seq: 3 }, asked: 7, shown: SHOWN });
    deepEqual(fixture.calls("chat/replay"), [{ sessionId: "s1", at: { bootId: "b", seq: 3 }, asked: 7 }]);
    equal(fixture.calls("chat/new").length, 1);
  });

  test("a page that asks often while a session opens is answered once, from where it is then", async () => {
    const fixture = new Fixture();
    fixture.sidecar.hold("chat/new");
    for (const asked of [1, 2, 3]) await fixture.ready({ tabId: "t", asked });
    fixture.sidecar.release();
    await settled();
    deepEqual(fixture.calls("chat/replay"), [{ sessionId: "s1", asked: 3 }]);
    await fixture.ready({ tabId: "t", asked: 4 });
    equal(fixture.calls("chat/replay").length, 2);
  });

  test("a tab of an earlier window goes on with its agent and folder, and with a sentence about what is above", async () => {
    const fixture = new Fixture();
    await fixture.ready({ tabId: "t", agentId: "mine", cwd: "/w", shown: SHOWN });
    deepEqual(fixture.calls("chat/new"), [{ agent: MINE, cwd: "/w", shown: SHOWN, why: "The window was reloaded." }]);
    deepEqual(fixture.of("state").at(-1)?.tabs, ["t"]);
  });

  test("a tab whose agent is not configured any more, or whose folder is not ours, gets ours", async () => {
    const fixture = new Fixture();
    await fixture.ready({ tabId: "t", agentId: "gone", cwd: "/etc", shown: SHOWN });
    await fixture.ready({ tabId: "u", agentId: "gone", cwd: "/w" });
    deepEqual(fixture.calls("chat/new"), [
      {
        agent: ELIZA,
        cwd: "/w",
        shown: SHOWN,
        why: "The window was reloaded. The agent “gone” is not configured any more; Eliza answers from here on.",
      },
      { agent: ELIZA, cwd: "/w", shown: [] },
    ]);
  });

  test("when the sidecar died, the page is told, asks with what it shows, and a prompt sent meanwhile arrives after that", async () => {
    const fixture = new Fixture();
    await fixture.says({ type: "new-tab", tabId: "t" });
    fixture.sidecar.die();
    await fixture.become(BACKOFF);
    deepEqual(fixture.of("state").at(-1)?.sidecar, {
      state: "restarting",
      message: "Symposium’s sidecar is being started again.",
    });
    await fixture.says(prompt("t", "meanwhile"), { type: "cancel", tabId: "t" });
    fixture.sidecar.restart();
    await fixture.become({ ...RUNNING, run: 2 });
    deepEqual(
      fixture.posted.slice(-2).map(({ type }) => type),
      ["state", "askAgain"],
    );
    deepEqual(fixture.sidecar.calls, []);
    await fixture.ready({ tabId: "t", agentId: "elizacp", cwd: "/w", shown: SHOWN });
    deepEqual(fixture.calls("chat/new"), [
      { agent: ELIZA, cwd: "/w", shown: SHOWN, why: "Symposium’s sidecar was restarted." },
    ]);
    deepEqual(fixture.sidecar.methods(), ["chat/new", "chat/prompt", "chat/replay"]);
    deepEqual(fixture.of("failed"), []);
  });

  test("what a page said before it heard of the loss opens nothing: more may be on its screen by then", async () => {
    const fixture = new Fixture();
    await fixture.says({ type: "new-tab", tabId: "t" });
    fixture.sidecar.die();
    await fixture.become(BACKOFF);
    equal(fixture.of("state").at(-1)?.losses, 1);
    fixture.sidecar.restart();
    await fixture.become({ ...RUNNING, run: 2 });
    await fixture.says({ type: "webview-ready", tabs: [{ tabId: "t", asked: 2, shown: [] }], losses: 0 });
    deepEqual(fixture.sidecar.calls, []);
    await fixture.says({ type: "webview-ready", tabs: [{ tabId: "t", asked: 3, shown: SHOWN }], losses: 1 });
    deepEqual(fixture.calls("chat/new").length, 1);
    deepEqual(fixture.calls("chat/replay"), [{ sessionId: "s2", asked: 3 }]);
  });

  test("the first words of a page are no exception when they come for the second time, or late: it is told of the loss, and to ask again", async () => {
    const fixture = new Fixture(),
      first: PageToHost = { type: "webview-ready", tabs: [{ tabId: "t", asked: 1, shown: [] }], losses: 0 };
    await fixture.says(first);
    fixture.sidecar.die();
    await fixture.become(BACKOFF);
    await fixture.says(first);
    deepEqual(
      fixture.posted.map(({ type }) => type),
      ["state", "state", "state"],
    ); // not answered yet
    fixture.sidecar.restart();
    await fixture.become({ ...RUNNING, run: 2 });
    await fixture.says(first);
    deepEqual(
      [fixture.sidecar.calls, fixture.posted.slice(-2).map(({ type }) => type), fixture.of("state").at(-1)?.losses],
      [[], ["state", "askAgain"], 1],
    );
    await fixture.says({ type: "webview-ready", tabs: [{ tabId: "t", asked: 2, shown: SHOWN }], losses: 1 });
    deepEqual(
      [fixture.calls("chat/new"), fixture.posted.at(-1)?.type],
      [[{ agent: ELIZA, cwd: "/w", shown: SHOWN, why: "Symposium’s sidecar was restarted." }], "state"],
    );
  });

  test("a prompt that a page said before it heard of the loss is not asked: it may be a draft again; if it is none, the page repeats it", async () => {
    const fixture = new Fixture();
    await fixture.says({ type: "new-tab", tabId: "t" });
    const said = (losses: number): PageToHost => ({ type: "prompt", tabId: "t", messageId: "m", text: "hi", losses });
    await fixture.says(said(0));
    fixture.sidecar.die();
    await fixture.become(BACKOFF);
    let refusal: unknown;
    fixture.chat.handle(said(0)).catch((error: unknown) => {
      refusal = error;
    });
    await settled();
    ok(refusal instanceof SidecarGone);
    fixture.sidecar.restart();
    await fixture.become({ ...RUNNING, run: 2 });
    await fixture.says(said(0), { type: "webview-ready", tabs: [{ tabId: "t", asked: 2, shown: SHOWN }], losses: 1 });
    deepEqual([fixture.sidecar.methods(), fixture.of("failed")], [["chat/new", "chat/replay"], []]);
    await fixture.says(said(1));
    equal(fixture.calls("chat/prompt").length, 1);
  });

  test("another tab's loss leaves a prompt alone whose session has only just been opened", async () => {
    const fixture = new Fixture();
    await fixture.says({ type: "new-tab", tabId: "t" });
    fixture.sidecar.die();
    await fixture.become(BACKOFF);
    await fixture.says(
      { type: "new-tab", tabId: "u" },
      { type: "prompt", tabId: "u", messageId: "m", text: "hi", losses: 0 },
    );
    fixture.sidecar.restart();
    await fixture.become({ ...RUNNING, run: 2 });
    deepEqual(fixture.sidecar.methods(), ["chat/new", "chat/prompt"]);
  });

  test("a session that a sidecar opened while it was being stopped is lost with it", async () => {
    const fixture = new Fixture();
    fixture.sidecar.hold("chat/new");
    await fixture.says({ type: "new-tab", tabId: "t" });
    await fixture.become({ kind: "stopping", run: 1, next: "start" });
    fixture.sidecar.release();
    await settled();
    fixture.sidecar.die();
    await fixture.become({ kind: "starting", run: 2, node: "own", deaths: [] });
    fixture.sidecar.restart();
    await fixture.become({ ...RUNNING, run: 2 });
    equal(fixture.posted.at(-1)?.type, "askAgain");
    await fixture.says({ type: "webview-ready", tabs: [{ tabId: "t", asked: 2, shown: [] }], losses: 1 });
    deepEqual(fixture.sidecar.methods(), ["chat/new", "chat/replay"]);
  });

  test("without a page nobody says what is shown: a prompt of a lost tab opens it", async () => {
    const fixture = new Fixture();
    fixture.live = false;
    await fixture.says({ type: "new-tab", tabId: "t" });
    fixture.sidecar.die();
    await fixture.become(BACKOFF);
    fixture.sidecar.restart();
    await fixture.chat.handle(prompt("t"));
    deepEqual(fixture.sidecar.methods(), ["chat/new", "chat/prompt"]);
  });

  test("a prompt that was on its way when the sidecar died is no failure: the page repeats it", async () => {
    const fixture = new Fixture();
    await fixture.says({ type: "new-tab", tabId: "t" });
    fixture.sidecar.hold("chat/prompt");
    await fixture.says(prompt("t"));
    fixture.sidecar.die();
    await settled();
    deepEqual(fixture.of("failed"), []);
  });

  test("a session that the sidecar does not know is opened again when the page asks", async () => {
    const fixture = new Fixture();
    await fixture.says({ type: "new-tab", tabId: "t" });
    fixture.sidecar.refuse("chat/prompt", new SidecarRefused(ErrorCode.unknownSession, "Not open."));
    await fixture.says(prompt("t"));
    deepEqual([fixture.posted.at(-1)?.type, fixture.of("state").at(-1)?.losses], ["askAgain", 1]);
    await fixture.ready({ tabId: "t" });
    equal(fixture.calls("chat/new").length, 2);
  });

  test("what the sidecar refuses is said in the tab, and to who asked", async () => {
    const fixture = new Fixture();
    await fixture.says({ type: "new-tab", tabId: "t" });
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

  test("a prompt that the page repeats while it waits for its answer is sent once", async () => {
    const fixture = new Fixture();
    await fixture.says({ type: "new-tab", tabId: "t" });
    fixture.sidecar.hold("chat/prompt");
    await fixture.says(prompt("t"), prompt("t"));
    equal(fixture.calls("chat/prompt").length, 1);
    fixture.sidecar.release();
    await settled();
    await fixture.says(prompt("t"));
    equal(fixture.calls("chat/prompt").length, 2, "the sidecar knows what it has");
    deepEqual(fixture.of("failed"), []);
  });

  test("when the sidecar is given up, the page gets one sentence with buttons, and who waits is told", async () => {
    const fixture = new Fixture();
    await fixture.says({ type: "new-tab", tabId: "t" });
    fixture.sidecar.die();
    await fixture.become(BACKOFF);
    await fixture.says(prompt("t"));
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

  test("when no page is there to say it, VS Code does", async () => {
    const fixture = new Fixture();
    fixture.live = false;
    await fixture.become({ kind: "failed", run: 5, message: "It stopped 5 times." });
    deepEqual(fixture.done, ["tell It stopped 5 times. restartSidecar showLogs"]);
  });

  test("the first start looks like running, later ones do not, and the end of the window is not told", async () => {
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
