import { deepEqual } from "node:assert/strict";
import { NEVER, Fixture } from "../testing/sessions/chat-fixture";

suite("slow agent", () => {
  test("reports a start after 10 s, shows the log after 30 s, and times out after 120 s", async () => {
    await using fixture = new Fixture();
    fixture.manual = ["initialize"];
    const id = await fixture.open();
    await fixture.prompt(id, "one");
    await fixture.settle();
    const noticesAfter = async (seconds: number): Promise<readonly unknown[]> => {
      const before = fixture.entries(id).length;
      fixture.clock.advance(seconds * 1000);
      await fixture.settle();
      return fixture
        .entries(id)
        .slice(before)
        .map(entry => (entry.kind === "notice" ? [entry.severity, entry.text, entry.actions] : entry.kind));
    };
    deepEqual([await noticesAfter(10), fixture.shown.get(id)?.start], [[], { kind: "starting" }]);
    deepEqual(await noticesAfter(20), [
      [
        "warning",
        "Ada has not started within 30 seconds. The first start can take long. See the log for its progress.",
        ["showLogs", "restartAgent"],
      ],
    ]);
    deepEqual(await noticesAfter(90), [
      [
        "error",
        "Ada did not respond within 120 seconds. See the log for its output.",
        ["sendAgain", "restartAgent", "showLogs"],
      ],
    ]);
    deepEqual([fixture.shown.get(id)?.turn.state, fixture.shown.get(id)?.start], ["idle", undefined]);
  });

  test("reports the progress of an installation without a start timeout, and cancels it on request", async () => {
    await using fixture = new Fixture();
    fixture.manual = ["initialize"];
    const id = await fixture.open();
    const progress = { phase: "downloading", done: 1, total: 2 } as const;
    for (const agentId of ["eve", "ada"]) fixture.service.installing("agent", agentId, progress);
    await fixture.settle();
    fixture.clock.advance(40_000);
    await fixture.settle();
    deepEqual(
      [fixture.entries(id), fixture.shown.get(id)?.start],
      [[], { kind: "installing", of: "agent", id: "ada", name: "Ada", progress }],
    );
    await fixture.service.handlers["chat/cancelInstall"]({ sessionId: id }, NEVER);
    await fixture.settle();
    deepEqual(fixture.cancelledInstalls, ["agent ada"]);
    fixture.service.installing("agent", "ada", undefined);
    await fixture.service.handlers["chat/cancelInstall"]({ sessionId: id }, NEVER);
    (await fixture.agents[0]!.next("initialize")).respond({ protocolVersion: 1, agentCapabilities: {} });
    await fixture.settle();
    deepEqual([fixture.cancelledInstalls.length, fixture.shown.get(id)?.start], [1, undefined]);
  });

  test("restarts 60 s after a cancellation and offers to send the prompt again", async () => {
    await using fixture = new Fixture();
    const id = await fixture.open();
    await fixture.prompt(id, "go");
    await fixture.agents[0]!.next("session/prompt");
    await fixture.service.handlers["chat/cancel"]({ sessionId: id }, NEVER);
    await fixture.settle();
    fixture.clock.advance(60_000);
    await fixture.settle();
    deepEqual(
      fixture.entries(id).flatMap(entry => (entry.kind === "notice" ? [[entry.text, entry.actions]] : [])),
      [
        ["Ada has not stopped yet. Wait, or restart it.", ["restartAgent"]],
        ["Ada did not stop within 60 seconds and was restarted.", ["sendAgain", "showLogs"]],
      ],
    );
    deepEqual([fixture.agents.length, fixture.shown.get(id)?.turn.state], [2, "idle"]);
  });
});
