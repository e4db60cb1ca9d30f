import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import type { Entry } from "../../src/protocol/chat";
import { NEVER, World } from "../testing/chat-world";

suite("chat session", () => {
  test("a prompt goes to the agent, its answer comes back, text in order", async () => {
    await using world = new World();
    const id = await world.open();
    await world.prompt(id, "hello");
    const request = await world.agents[0]!.next("session/prompt");
    deepEqual(request.params, { sessionId: "s1", prompt: [{ type: "text", text: "hello" }] });
    world.agents[0]!.say("s1", "Good ");
    world.agents[0]!.say("s1", "day.");
    request.respond({ stopReason: "end_turn" });
    await world.settle();
    deepEqual(world.story(id), ["user hello", "agent Good day."]);
    deepEqual(world.wants, ["reading Ada"]);
    equal(world.shown.get(id)?.turn.state, "idle");
    await world.service.handlers["chat/close"]({ sessionId: id }, NEVER);
    deepEqual(world.wants, ["reading Ada", "nothing Ada"]);
  });

  test("two tabs with one configuration share a process and hear their own answers", async () => {
    await using world = new World();
    const [a, b] = await Promise.all([world.open(), world.open()]);
    await Promise.all([world.prompt(a, "A"), world.prompt(b, "B")]);
    const [first, second] = [
      await world.agents[0]!.next("session/prompt"),
      await world.agents[0]!.next("session/prompt"),
    ];
    for (const request of [second, first]) {
      const { sessionId, prompt } = request.params as { sessionId: string; prompt: [{ text: string }] };
      world.agents[0]!.say(sessionId, `to ${prompt[0].text}`);
      request.respond({ stopReason: "end_turn" });
    }
    await world.settle();
    equal(world.agents.length, 1);
    deepEqual(
      [world.story(a), world.story(b)],
      [
        ["user A", "agent to A"],
        ["user B", "agent to B"],
      ],
    );
  });

  test("stop cancels, the agent ends the turn; one that does not is offered a restart", async () => {
    await using world = new World();
    const id = await world.open();
    await world.prompt(id, "go");
    const turn = await world.agents[0]!.next("session/prompt");
    await world.service.handlers["chat/cancel"]({ sessionId: id }, NEVER);
    await world.settle();
    ok(world.agents[0]!.heard.includes("cancel s1"));
    equal(world.shown.get(id)?.turn.state, "cancelling");
    world.clock.advance(10_000);
    await world.settle();
    deepEqual(world.story(id).slice(-1), ["notice Ada has not stopped yet. Wait, or restart it."]);
    turn.respond({ stopReason: "cancelled" });
    await world.settle();
    equal(world.shown.get(id)?.turn.state, "idle");
  });

  test("the agent dies in mid-turn: one sentence, and the next prompt starts it again", async () => {
    await using world = new World();
    const id = await world.open();
    await world.prompt(id, "one");
    await world.agents[0]!.next("session/prompt");
    world.agents[0]!.say("s1", "half");
    await world.settle();
    await world.agents[0]!.die();
    await world.settle();
    deepEqual(world.story(id), [
      "user one",
      "agent half",
      "notice The other side closed the connection. Ada restarts in 1 second.",
    ]);
    await world.prompt(id, "two");
    const again = await world.settle().then(() => world.agents[1]!.next("session/prompt"));
    again.respond({ stopReason: "end_turn" });
    await world.settle();
    equal(world.shown.get(id)?.turn.state, "idle");
  });

  test("an agent that cannot be started says why, and the prompt stays", async () => {
    await using world = new World();
    world.manual = ["initialize"];
    const id = await world.open();
    await world.prompt(id, "one");
    await world.settle();
    void world.agents[0]!.next("initialize").then(request => request.fail(new Error("broken")));
    await world.settle();
    deepEqual(world.story(id)[0], "user one");
    ok(world.story(id)[1]?.startsWith("notice Ada answered with an error"));
  });

  test("an agent whose answer makes no sense says why, also when nobody could write that answer down again", async () => {
    await using world = new World();
    world.manual = ["session/new"];
    const id = await world.open();
    await world.settle();
    let deep: unknown = "deep";
    for (let i = 0; i < 100_000; i++) deep = [deep];
    (await world.agents[0]!.next("session/new")).respond({ deep });
    await world.settle();
    deepEqual(world.story(id), ["notice Ada answered with an error: its new session has no id."]);
  });

  test("a restart stops the process for all its tabs and opens each again at its next prompt", async () => {
    await using world = new World();
    const [a, b] = [await world.open(), await world.open()];
    await world.settle();
    await world.service.handlers["chat/restartAgent"]({ sessionId: a }, NEVER);
    await world.settle();
    ok(world.agents[0]!.heard.includes("closed"));
    deepEqual(world.story(b), ["notice Another tab restarted Ada. Ada restarts in 1 second."]);
    await world.prompt(b, "hi");
    await world.settle();
    (await world.agents[1]!.next("session/prompt")).respond({ stopReason: "end_turn" });
    await world.settle();
    equal(world.agents.length, 2);
    equal(world.shown.get(b)?.turn.state, "idle");
  });

  test("closing a tab answers its questions, closes its session, and stops an agent that nobody uses", async () => {
    await using world = new World();
    const id = await world.open();
    await world.prompt(id, "go");
    await world.agents[0]!.next("session/prompt");
    const asked = world.agents[0]!.peer.request("session/request_permission", {
      sessionId: "s1",
      toolCall: {},
      options: [{ optionId: "y", name: "Yes", kind: "allow_once" }],
    });
    await world.settle();
    await world.service.handlers["chat/close"]({ sessionId: id }, NEVER);
    deepEqual(await asked, { outcome: { outcome: "cancelled" } });
    await world.settle();
    deepEqual(world.agents[0]!.heard.slice(-3), ["cancel s1", "session/close", "closed"]);
    equal(world.wants.at(-1), "nothing Ada");
    await rejects(world.prompt(id, "late"), /not open any more/);
  });

  test("what a page still showed of a dead process begins the conversation, settled", async () => {
    await using world = new World();
    const shown: Entry[] = [
      { kind: "user", id: "u", text: "hi" },
      { kind: "agent", id: "a", text: "half" },
    ];
    const id = await world.open({
      shown,
      title: "Greetings",
      why: "Symposium's process stopped and was started again.",
    });
    world.service.handlers["chat/replay"]({ sessionId: id, asked: 1 });
    await world.settle();
    deepEqual(world.story(id), [
      "user hi",
      "agent half",
      "notice Symposium's process stopped and was started again. Ada does not remember what was said above.",
    ]);
    equal(world.shown.get(id)?.title, "Greetings");
  });
});
