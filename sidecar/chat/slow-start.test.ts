import { deepEqual } from "node:assert/strict";
import { NEVER, World } from "../testing/chat-world";

suite("an agent that is slow", () => {
  test("to start is told of after ten seconds, with its log after thirty, and given up after two minutes with a way on", async () => {
    await using world = new World();
    world.manual = ["initialize"];
    const id = await world.open();
    await world.prompt(id, "one");
    await world.settle();
    const told = async (seconds: number): Promise<readonly unknown[]> => {
      const before = world.entries(id).length;
      world.clock.advance(seconds * 1000);
      await world.settle();
      return world
        .entries(id)
        .slice(before)
        .map(entry => (entry.kind === "notice" ? [entry.severity, entry.text, entry.actions] : entry.kind));
    };
    deepEqual(await told(10), [["info", "Ada is still starting…", []]]);
    deepEqual(await told(20), [
      [
        "warning",
        "Ada has not started for 30 seconds. The first start can take long; the log says what it does.",
        ["showLogs", "restartAgent"],
      ],
    ]);
    deepEqual(await told(90), [
      [
        "error",
        "Ada did not answer within 120 seconds. See the log for what it said.",
        ["sendAgain", "restartAgent", "showLogs"],
      ],
    ]);
    deepEqual(world.shown.get(id)?.turn.state, "idle");
  });

  test("to start because it is being installed is told of once, and is not late", async () => {
    await using world = new World();
    world.manual = ["initialize"];
    const id = await world.open();
    for (const agentId of ["eve", "ada", "ada"]) world.service.installing("agent", agentId, true);
    await world.settle();
    const told = () => world.entries(id).map(entry => (entry.kind === "notice" ? entry.text : entry.kind));
    world.clock.advance(40_000);
    await world.settle();
    deepEqual(told(), ["Ada is being installed. That happens once."]);
    world.service.installing("agent", "ada", false);
    (await world.agents[0]!.next("initialize")).respond({ protocolVersion: 1, agentCapabilities: {} });
    await world.settle();
    deepEqual(told(), ["Ada is being installed. That happens once."]);
  });

  test("to stop is restarted after a minute, and its prompt can be sent again", async () => {
    await using world = new World();
    const id = await world.open();
    await world.prompt(id, "go");
    await world.agents[0]!.next("session/prompt");
    await world.service.handlers["chat/cancel"]({ sessionId: id }, NEVER);
    await world.settle();
    world.clock.advance(60_000);
    await world.settle();
    deepEqual(
      world.entries(id).flatMap(entry => (entry.kind === "notice" ? [[entry.text, entry.actions]] : [])),
      [
        ["Ada has not stopped yet. Wait, or restart it.", ["restartAgent"]],
        ["Ada did not stop for a minute: it was given up, and begins anew.", ["sendAgain", "showLogs"]],
      ],
    );
    deepEqual([world.agents.length, world.shown.get(id)?.turn.state], [2, "idle"]);
  });
});
