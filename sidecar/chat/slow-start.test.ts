import { deepEqual } from "node:assert/strict";
import { NEVER, Fixture } from "../testing/sessions/chat-fixture";

suite("slow agent", () => {
  test("shows a notice after 10 s of the start, the log after 30 s, and times out after 120 s", async () => {
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
    deepEqual(await noticesAfter(10), [["info", "Ada is still starting…", []]]);
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
    deepEqual(fixture.shown.get(id)?.turn.state, "idle");
  });

  test("shows one notice during an installation without a start timeout", async () => {
    await using fixture = new Fixture();
    fixture.manual = ["initialize"];
    const id = await fixture.open();
    for (const agentId of ["eve", "ada", "ada"]) fixture.service.installing("agent", agentId, true);
    await fixture.settle();
    const texts = () => fixture.entries(id).map(entry => (entry.kind === "notice" ? entry.text : entry.kind));
    fixture.clock.advance(40_000);
    await fixture.settle();
    deepEqual(texts(), ["Ada is being installed. This happens once."]);
    fixture.service.installing("agent", "ada", false);
    (await fixture.agents[0]!.next("initialize")).respond({ protocolVersion: 1, agentCapabilities: {} });
    await fixture.settle();
    deepEqual(texts(), ["Ada is being installed. This happens once."]);
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
