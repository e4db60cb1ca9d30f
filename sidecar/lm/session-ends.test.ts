import { deepEqual, equal, match, ok } from "node:assert/strict";
import { objectOr } from "../rpc/json";
import { NO_CONTEXT } from "./chat-context";
import type { ToolOffer } from "./tool-offer";
import { PENDING_MS, STOPPING_MS } from "./session-steps";
import { TOOLS_KEY } from "./tools-proxy";
import { SessionWorld, callOf, permission } from "../testing/session-world";

const LATER = { name: "later", description: "later", inputSchema: { type: "object", properties: {} } };

suite("a model's session, ends and beginnings", () => {
  test("cancelling stops the agent and refuses its calls; one that does not stop is left, and the next words go to a new session of it", async () => {
    await using world = new SessionWorld();
    const { offer } = await world.begin();
    const answer = callOf(offer, "lookUp");
    await world.settle();
    world.session.cancel(1);
    equal(await answer, "The user stopped the turn.");
    world.ask(2);
    await world.settle();
    ok(world.agent.heard.includes("cancel s"));
    deepEqual(world.told, ["1: [lookUp]", "end 1", "1 cut"]);
    world.clock.advance(STOPPING_MS);
    await world.settle();
    // The process ended with its only user; the next one is a process of its own.
    equal(await callOf(offer, "lookUp"), "This chat has ended: VS Code's tools cannot be used any more.");
    await world.open();
    await world.prompted();
    deepEqual(
      world.recipients.map(({ remembers }) => remembers),
      [false, false],
    );
  });

  test("calls to which nobody comes back are refused in the end", async () => {
    await using world = new SessionWorld();
    const { offer, prompt } = await world.begin(),
      answer = callOf(offer, "lookUp");
    await world.quiet();
    world.clock.advance(PENDING_MS - 1);
    await world.settle();
    equal(world.told.length, 2);
    world.clock.advance(1);
    equal(await answer, "The user stopped the turn.");
    await world.settle();
    ok(world.agent.heard.includes("cancel s"));
    prompt.respond({ stopReason: "cancelled" });
    await world.settle();
    deepEqual(world.told.slice(2), ["1 cut"]);
  });

  test("results that came back end the watch over them", async () => {
    await using world = new SessionWorld();
    const { offer } = await world.begin();
    const answer = callOf(offer, "lookUp");
    await world.quiet();
    world.back(2, ...world.calls(1));
    await answer;
    await world.settle();
    equal(world.clock.waiting, 0);
  });

  test("an agent that dies fails the request; the next one loads its session, and hears nothing of what is told again", async () => {
    await using world = new SessionWorld();
    const { offer } = await world.begin();
    await world.agent.die();
    await world.settle();
    match(await callOf(offer, "lookUp"), /This chat has ended/);
    deepEqual(world.told, ["1 cut", "end 1 (The other side closed the connection.)"]);
    world.ask(2);
    await world.settle();
    const load = await world.agent.next("session/load");
    world.agent.say("s", "What was said before.");
    equal(objectOr(load.params).sessionId, "s");
    ok(typeof objectOr(objectOr(load.params)._meta)[TOOLS_KEY] === "string");
    load.respond({});
    await world.settle();
    await world.prompted();
    world.agent.say("s", "Hello");
    await world.settle();
    deepEqual(world.told.slice(2), ["2: Hello"]);
    deepEqual(
      world.recipients.map(({ remembers }) => remembers),
      [false, true],
    );
  });

  test("an agent that ignores a changed list of tools resumes its session with the new list for the next prompt", async () => {
    await using world = new SessionWorld();
    const { offer, prompt } = await world.begin();
    offer.list();
    world.session.offer([LATER], false);
    await world.settle();
    prompt.respond({ stopReason: "end_turn" });
    await world.settle();
    world.ask(2);
    const again = await world.open("session/load");
    deepEqual([again.offer.server, again.offer.tools.map(({ name }) => name)], [offer.server, [LATER.name]]);
    await world.prompted();
    deepEqual(
      world.recipients.map(({ remembers }) => remembers),
      [false, true],
    );
    deepEqual(world.told, ["1: Ada ended its turn without an answer.", "1 answered", "end 1"]);
  });

  for (const [title, list] of [
    ["an agent that requests a changed list keeps its session", (offer: ToolOffer) => offer.list()],
    ["an agent that never requested a list keeps its session", () => undefined],
  ] as const)
    test(title, async () => {
      await using world = new SessionWorld();
      const { offer, prompt } = await world.begin();
      list(offer);
      world.session.offer([LATER], false);
      await world.settle();
      list(offer);
      prompt.respond({ stopReason: "end_turn" });
      await world.settle();
      world.ask(2);
      await world.prompted();
      equal(world.agents.length, 1);
      deepEqual(
        offer.tools.map(({ name }) => name),
        [LATER.name],
      );
    });

  test("a session that cannot be loaded is a new one, that does not remember", async () => {
    await using world = new SessionWorld({ begin: { kind: "again", agentSession: "old" } });
    world.ask(1);
    await world.settle();
    (await world.agent.next("session/load")).fail(new Error("no such session"));
    await world.open();
    await world.prompted();
    deepEqual(
      world.recipients.map(({ remembers }) => remembers),
      [false],
    );
  });

  test("a fork of an agent's session remembers; where the agent cannot fork it is a new one", async () => {
    {
      await using world = new SessionWorld({ begin: { kind: "fork", agentSession: "old" } });
      world.ask(1);
      const { request } = await world.open("session/fork");
      equal(objectOr(request.params).sessionId, "old");
      await world.prompted();
      deepEqual(
        world.recipients.map(({ remembers }) => remembers),
        [true],
      );
    }
    await using world = new SessionWorld({ begin: { kind: "fork", agentSession: "old" } }, { protocolVersion: 1 });
    await world.begin();
    deepEqual(
      world.recipients.map(({ remembers }) => remembers),
      [false],
    );
  });

  test("an agent that says too much between requests is not read until the next", async () => {
    await using world = new SessionWorld();
    const { offer } = await world.begin();
    const answer = callOf(offer, "lookUp");
    await world.quiet();
    let sent = 0;
    for (let i = 0; i < 30; i++) {
      for (let n = 0; n < 100; n++) {
        const text = `${++sent}.`;
        world.agent.update("s", {
          sessionUpdate: sent % 2 === 0 ? "agent_thought_chunk" : "agent_message_chunk",
          content: { type: "text", text },
        });
      }
      await world.settle();
    }
    let isThrough = false;
    void world.agent.peer.drained().then(() => {
      isThrough = true;
    });
    await world.settle();
    equal(isThrough, false, "the agent is read on");
    world.back(2, ...world.calls(1));
    await answer;
    await world.settle();
    equal(isThrough, true);
    const numbers = world.told
      .filter(word => word.startsWith("2: "))
      .flatMap(word => [...word.matchAll(/(\d+)\./g)].map(([, n]) => Number(n)));
    deepEqual(
      numbers,
      Array.from({ length: sent }, (_, i) => i + 1),
    );
  });

  test("tools that are switched off are refused, new ones can be called", async () => {
    await using world = new SessionWorld();
    const { offer } = await world.begin();
    world.session.offer([{ name: "other", description: "", inputSchema: { type: "object" } }], false);
    await world.settle();
    match(await callOf(offer, "lookUp"), /was not run/);
    const answer = callOf(offer, "other");
    await world.quiet();
    deepEqual(world.told, ["1: [other]", "pause 1"]);
    world.back(2, ...world.calls(1));
    await answer;
  });

  test("a prompt that cannot be made fails its request", async () => {
    await using world = new SessionWorld();
    world.session.ask({
      requestId: 1,
      context: () => NO_CONTEXT,
      blocks: () => {
        throw new Error("bug");
      },
    });
    await world.open();
    deepEqual(world.told, ["1 cut", "end 1 (Symposium could not make a prompt of this message. See the log.)"]);
  });

  test("closing answers everybody and lets go of the agent; what comes later is answered, too", async () => {
    const world = new SessionWorld();
    const { offer } = await world.begin();
    const answer = callOf(offer, "lookUp"),
      asking = permission(world.agent, "p1");
    await world.settle();
    await world.session.close("The window is closed.");
    world.ask(2);
    let taken: boolean | undefined;
    world.session.decide(world.questionId, isTaken => {
      taken = isTaken;
    });
    equal(await answer, "The user stopped the turn.");
    deepEqual(await asking, { outcome: { outcome: "selected", optionId: "no" } });
    equal(taken, false);
    await world.settle();
    deepEqual(world.agent.heard.slice(-3), ["cancel s", "session/close", "closed"]);
    deepEqual(world.told.slice(2), [
      "end 1 (The window is closed.)",
      "1 cut",
      "end 2 (This chat's session was closed. Send the message again.)",
    ]);
    equal(world.clock.waiting, 0);
    await world.pool[Symbol.asyncDispose]();
  });

  test("one that is closed while its agent starts lets go of it", async () => {
    const world = new SessionWorld();
    world.ask(1);
    await world.settle();
    const opening = await world.agent.next("session/new");
    await world.session.close("over");
    opening.respond({ sessionId: "s" });
    await world.settle();
    deepEqual(world.told, ["end 1 (over)"]);
    deepEqual(
      world.agent.heard.filter(method => method !== "initialize"),
      ["session/new", "closed"],
    );
    equal(world.clock.waiting, 0);
  });
});
