import { deepEqual, equal, match, ok } from "node:assert/strict";
import { objectOr } from "../rpc/json";
import { NO_CONTEXT } from "./chat-context";
import { QUIET_MS } from "./quiet";
import { PENDING_MS, STOPPING_MS } from "./session-steps";
import { SessionWorld, callOf } from "../testing/session-world";

suite("a model's session", () => {
  test("asks its agent, passes on what it says, and ends with its turn", async () => {
    await using world = new SessionWorld();
    world.ask(1);
    const { request } = await world.open(),
      prompt = await world.prompted();
    deepEqual(
      [objectOr(request.params).cwd, objectOr(prompt.params).prompt, world.recipients],
      [
        "/w",
        [{ type: "text", text: "words of 1" }],
        [{ images: true, embedded: false, remembers: false, hasTools: true, context: [] }],
      ],
    );
    world.agent.say("s", "Hello");
    prompt.respond({ stopReason: "end_turn" });
    await world.settle();
    world.ask(2);
    (await world.prompted()).respond({ stopReason: "end_turn" });
    await world.settle();
    deepEqual(world.told, [
      "1: Hello",
      "1 answered",
      "end 1",
      "2: Ada ended its turn without an answer.",
      "2 answered",
      "end 2",
    ]);
    equal(world.recipients[1]?.remembers, true);
  });

  test("parallel calls of VS Code's tools go out together, and their results come back", async () => {
    await using world = new SessionWorld();
    const { offer, prompt } = await world.begin();
    world.agent.say("s", "I look.");
    const answers = [callOf(offer, "lookUp"), callOf(offer, "count"), callOf(offer, "lookUp")];
    await world.quiet();
    deepEqual(world.told, ["1: I look.", "1: [lookUp]", "1: [count]", "1: [lookUp]", "pause 1"]);
    const ids = world.calls(1);
    for (const [i, id] of ids.entries()) match(id, new RegExp(`^sy1_12345678_[0-9a-f]{32}_${i + 1}$`));
    world.back(2, ...ids.toReversed());
    deepEqual(await Promise.all(answers), ["result of 1", "result of 2", "result of 3"]);
    world.agent.say("s", "Done.");
    prompt.respond({ stopReason: "end_turn" });
    await world.settle();
    deepEqual(world.told.slice(5), ["2: Done.", "1 answered", "end 2"]);
  });

  test("words that are in the pipe before a call are before it", async () => {
    await using world = new SessionWorld();
    const { offer } = await world.begin();
    const answer = callOf(offer, "lookUp");
    world.agent.say("s", "I look.");
    await world.quiet();
    deepEqual(world.told, ["1: I look.", "1: [lookUp]", "pause 1"]);
    world.back(2, ...world.calls(1));
    await answer;
  });

  test("a call that was announced is waited for a little longer", async () => {
    await using world = new SessionWorld();
    const { offer } = await world.begin();
    const answers = [callOf(offer, "lookUp")];
    await world.settle();
    world.clock.advance(QUIET_MS - 1);
    world.agent.update("s", {
      sessionUpdate: "tool_call",
      toolCallId: "c2",
      title: "count",
      status: "pending",
      _meta: { claudeCode: { toolName: `mcp__${offer.server}__count` } },
    });
    await world.settle();
    world.clock.advance(QUIET_MS - 1);
    answers.push(callOf(offer, "count"));
    world.agent.update("s", { sessionUpdate: "tool_call", toolCallId: "c3", title: "its own", status: "completed" });
    await world.quiet();
    deepEqual(world.told, ["1: [lookUp]", "1: [count]", "pause 1"]);
    world.back(2, ...world.calls(1));
    await Promise.all(answers);
    world.agent.update("s", { sessionUpdate: "tool_call_update", toolCallId: "c2", status: "completed" });
    await world.settle();
    deepEqual(world.told.slice(3), ["2: ✓ its own"]);
  });

  test("the end of a call announces none", async () => {
    await using world = new SessionWorld();
    const { offer } = await world.begin();
    const answer = callOf(offer, "lookUp");
    await world.settle();
    world.clock.advance(QUIET_MS - 1);
    world.agent.update("s", {
      sessionUpdate: "tool_call",
      toolCallId: "c0",
      title: "count",
      status: "completed",
      name: `mcp__${offer.server}__count`,
    });
    await world.settle();
    world.clock.advance(1);
    await world.settle();
    deepEqual(world.told, ["1: [lookUp]", "pause 1"]);
    world.back(2, ...world.calls(1));
    await answer;
  });

  test("words of the next turn begin without a paragraph before them", async () => {
    await using world = new SessionWorld();
    const { prompt: first } = await world.begin();
    world.agent.update("s", { sessionUpdate: "tool_call", toolCallId: "c0", title: "count", status: "completed" });
    first.respond({ stopReason: "end_turn" });
    await world.settle();
    world.ask(2);
    await world.prompted();
    world.agent.say("s", "Hello");
    await world.settle();
    equal(world.told.at(-1), "2: Hello");
  });

  test("what comes of a session that was left is not heard, and answered", async () => {
    await using world = new SessionWorld();
    const holding = new AbortController(); // another chat has the same process
    const { request: first } = await (async () => {
      world.ask(1);
      await world.pool.acquire(
        {
          agent: { id: "ada", name: "Ada", distribution: { local: { command: "ada" } } },
          cwd: "/w",
          protocol: 1,
          role: "lm",
        },
        holding.signal,
      );
      await world.open();
      return { request: await world.prompted() };
    })();
    world.session.cancel(1);
    await world.settle();
    equal(world.clock.waiting, 1, "only the stop is waited for");
    world.clock.advance(STOPPING_MS);
    await world.settle();
    world.ask(2);
    await world.settle();
    (await world.agent.next("session/new")).respond({ sessionId: "t" });
    await world.settle();
    await world.prompted();
    first.respond({ stopReason: "end_turn" });
    world.agent.say("t", "Hello");
    await world.settle();
    deepEqual(world.told.slice(-1), ["2: Hello"]);
    equal(world.agents.length, 1);
    holding.abort();
  });

  test("a watch that was ended is not over, also when its time comes in the same moment", async () => {
    await using world = new SessionWorld();
    const { offer } = await world.begin();
    const answer = callOf(offer, "lookUp");
    await world.quiet();
    world.session.resume(
      2,
      world.calls(1).map(callId => ({ callId, result: "x", isError: false })),
      { requestId: 2, context: () => NO_CONTEXT, blocks: () => [] },
    );
    world.clock.advance(PENDING_MS);
    await answer;
    await world.settle();
    ok(world.agent.heard.includes("cancel s"));
    ok(!world.agent.heard.includes("session/close"));
  });

  test("one that is left while others start the same agent opens no session there", async () => {
    const world = new SessionWorld({}, undefined, ["initialize"]);
    const holding = new AbortController();
    const other = world.pool.acquire(
      {
        agent: { id: "ada", name: "Ada", distribution: { local: { command: "ada" } } },
        cwd: "/w",
        protocol: 1,
        role: "lm",
      },
      holding.signal,
    );
    await world.settle();
    const initialize = await world.agent.next("initialize");
    await world.session.close("over");
    initialize.respond({ protocolVersion: 1, agentCapabilities: {} });
    await other;
    await world.settle();
    deepEqual(world.agent.heard, ["initialize"]);
    holding.abort();
    await world.pool[Symbol.asyncDispose]();
  });

  test("an agent that cannot open a session fails the request, and is let go of", async () => {
    await using world = new SessionWorld();
    world.ask(1);
    await world.settle();
    const { agent } = world;
    (await agent.next("session/new")).fail(new Error("no keys"));
    await world.settle();
    match(world.told[0]!, /^end 1 \(Ada answered with an error: .*no keys/);
    equal(agent.heard.at(-1), "closed");
  });
});
