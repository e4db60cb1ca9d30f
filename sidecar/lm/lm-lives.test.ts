import { deepEqual, equal, match, ok } from "node:assert/strict";
import { LM_DEFAULTS } from "../../src/protocol/lm";
import { agentExited } from "../errors";
import { objectOr } from "../rpc/json";
import { chatOf, lines, LmWorld } from "../testing/lm-world";
import { callOf } from "../testing/session-world";
import { IDLE_MS, MOST_ALIVE, MOST_RECORDS } from "./live";

suite("the model picker's service, over time", () => {
  test("a session that nobody uses is closed after half an hour; the chat goes on in another, that is told what was said", async () => {
    await using world = new LmWorld();
    const chat = chatOf("a");
    await world.turn(chat, "One", "1");
    world.clock.advance(IDLE_MS - 1);
    await world.settle();
    equal(world.agent.heard.at(-1), "session/prompt");
    await world.turn(chat, "Two", "2");
    world.clock.advance(IDLE_MS - 1);
    await world.settle();
    equal(world.agent.heard.at(-1), "session/prompt");
    world.clock.advance(1);
    await world.settle();
    deepEqual(world.agent.heard.slice(-2), ["session/close", "closed"]);
    const told = await world.turn(chat, "Three", "3");
    match(told, /^s1 Three[^]*One[^]*Two/);
    equal(world.agents.length, 2);
  });

  test("one that is used again in the meantime is not closed in its old time, nor after a round that was only said again", async () => {
    await using world = new LmWorld();
    const chat = chatOf("a"),
      requestId = world.ask(chat, "One"),
      first = await world.prompted(),
      answer = callOf(world.offer, "read");
    await world.quiet();
    world.took(chat, requestId, () => "x");
    world.request(chat.request());
    await answer;
    first.request.respond({ stopReason: "end_turn" });
    await world.settle();
    world.clock.advance(IDLE_MS - 1);
    world.request(chat.request());
    await world.settle();
    world.clock.advance(IDLE_MS - 1);
    await world.settle();
    ok(!world.agent.heard.includes("session/close"));
    world.clock.advance(1);
    await world.settle();
    ok(world.agent.heard.includes("session/close"));
    const other = chatOf("b");
    await world.turn(other, "One", "1");
    world.clock.advance(IDLE_MS - 1);
    world.ask(other, "Two");
    const { request } = await world.prompted();
    world.clock.advance(IDLE_MS);
    await world.settle();
    ok(!world.agent.heard.includes("session/close"));
    request.respond({ stopReason: "end_turn" });
    await world.settle();
  });

  test("one that has just been asked is not taken for idle", async () => {
    await using world = new LmWorld();
    const chats = Array.from({ length: MOST_ALIVE + 1 }, (_, i) => chatOf(`${i}`));
    for (const chat of chats.slice(0, MOST_ALIVE)) await world.turn(chat, "Hello", "Hi");
    const asked = chats.map(chat => world.ask(chat, "More"));
    for (let i = 0; i <= MOST_ALIVE; i++) (await world.prompted()).request.respond({ stopReason: "end_turn" });
    await world.settle();
    for (const requestId of asked) equal(lines(world, requestId).at(-1), `ok ${requestId}`);
    equal(world.agent.heard.filter(method => method === "session/close").length, 0);
  });

  test("a new chat is remembered, also when all others are busy", async () => {
    await using world = new LmWorld();
    const asked = Array.from({ length: MOST_RECORDS + 1 }, (_, i) => world.ask(chatOf(`${i}`), "Hello"));
    for (let i = 0; i <= MOST_RECORDS; i++) (await world.prompted()).request.respond({ stopReason: "end_turn" });
    await world.settle();
    for (const requestId of asked) equal(lines(world, requestId).at(-1), `ok ${requestId}`);
    equal(world.kept.size, MOST_RECORDS + 1);
  }).timeout(20_000);

  test("one that waits for results is not idle", async () => {
    await using world = new LmWorld();
    const chat = chatOf("a");
    world.ask(chat, "One");
    const { request } = await world.prompted(),
      answer = callOf(world.offer, "read");
    await world.quiet();
    world.clock.advance(IDLE_MS - 100);
    await world.settle();
    ok(!world.agent.heard.includes("session/close"));
    world.clock.advance(IDLE_MS);
    match(await answer, /stopped/);
    request.respond({ stopReason: "cancelled" });
    await world.settle();
  });

  test("so many sessions of an agent are alive: the one that was used longest ago is closed, a busy one never", async () => {
    await using world = new LmWorld();
    const chats = Array.from({ length: MOST_ALIVE + 1 }, (_, i) => chatOf(`${i}`));
    const busy = world.ask(chats[0]!, "Hello"),
      waiting = await world.prompted();
    for (const chat of chats.slice(1, MOST_ALIVE)) await world.turn(chat, "Hello", "Hi");
    equal(world.agent.heard.filter(method => method === "session/close").length, 0);
    await world.turn(chats[MOST_ALIVE]!, "Hello", "Hi");
    await world.settle();
    equal(world.agent.heard.filter(method => method === "session/close").length, 1);
    waiting.request.respond({ stopReason: "end_turn" });
    await world.settle();
    equal(lines(world, busy).at(-1), `ok ${busy}`);
    match(await world.turn(chats[2]!, "More", "Yes"), /^s3 More/);
    match(await world.turn(chats[1]!, "More", "Yes"), /^s18 More/);
  });

  test("after a restart a chat goes on in its agent's session, where the agent can load it; what is told again is not heard", async () => {
    const chat = chatOf("a");
    let kept: LmWorld;
    {
      await using world = new LmWorld();
      await world.turn(chat, "One", "1");
      equal(world.kept.size, 1);
      kept = world;
    }
    {
      await using world = new LmWorld(kept);
      world.initialized = { protocolVersion: 1, agentCapabilities: { loadSession: true } };
      const requestId = world.ask(chat, "Two");
      await world.settle();
      const load = await world.agent.next("session/load");
      deepEqual([objectOr(load.params).sessionId, objectOr(load.params).cwd], ["s1", "/home"]);
      world.agent.say("s1", "One. 1.");
      load.respond({});
      const { text } = await world.prompted();
      match(text, /^Two/);
      ok(!text.includes("One"));
      deepEqual(lines(world, requestId), []);
    }
    await using world = new LmWorld(kept);
    match(await world.turn(chat, "Three", "3"), /^s1 Three[^]*One/);
  });

  test("requests that come while that is read wait for it, in their order; where it cannot be read there is nothing", async () => {
    let settle: (sessions: readonly unknown[]) => void = () => undefined;
    {
      await using world = new LmWorld(
        undefined,
        () =>
          new Promise(resolve => {
            settle = resolve;
          }),
      );
      world.ask(chatOf("a"), "One");
      world.request(chatOf("b").side("title"));
      await world.settle();
      deepEqual(world.told, []);
      settle(["garbage", 7]);
      match((await world.prompted()).text, /^One/);
    }
    {
      await using world = new LmWorld(undefined, async () => {
        throw new Error("no");
      });
      await world.turn(chatOf("a"), "One", "1");
    }
    const world = new LmWorld(undefined, () => new Promise(() => undefined));
    const cancelled = world.ask(chatOf("a"), "One");
    world.ask(chatOf("a"), "Two");
    await world.settle();
    world.service.handlers["lm/cancel"]({ requestId: cancelled });
    await world.settle();
    deepEqual(world.told, ["complete 1", "ok 1"]);
    await world[Symbol.asyncDispose]();
    deepEqual(world.told.slice(2), ["complete 2", "failed 2: Symposium was stopped."]);
  });

  test("chats without an id, and those of other extensions, are not kept", async () => {
    await using world = new LmWorld();
    await world.turn(chatOf("a", "none"), "One", "1");
    equal(world.kept.size, 0);
  });

  test("a turn that a restart cut in two goes on: the agent is told what it had begun", async () => {
    const chat = chatOf("a");
    let kept: LmWorld;
    {
      await using world = new LmWorld();
      await world.turn(chat, "One", "1");
      const requestId = world.ask(chat, "Two"),
        { sessionId } = await world.prompted();
      world.agent.say(sessionId, "I look.");
      const answer = callOf(world.offer, "read");
      await world.quiet();
      world.took(chat, requestId, () => "the result");
      kept = world;
      void answer;
    }
    await using world = new LmWorld(kept);
    const requestId = world.request(chat.request()),
      { request, sessionId, text } = await world.prompted();
    match(text, /Two[^]*One[^]*I look\.[^]*the result/);
    world.agent.say(sessionId, "Done.");
    request.respond({ stopReason: "end_turn" });
    await world.settle();
    deepEqual(lines(world, requestId), ["1: Done.", "complete 1", "ok 1"]);
  });

  test("of many chats the oldest are forgotten, also where they are kept", async () => {
    await using world = new LmWorld();
    for (let i = 0; i < MOST_RECORDS + 3; i++) await world.turn(chatOf(`${i}`), "Hello", "Hi");
    equal(world.kept.size, MOST_RECORDS);
  }).timeout(20_000);

  test("an agent that exits at its start fails the request with the last lines that it printed", async () => {
    await using world = new LmWorld();
    world.startFailure = agentExited("Ada", "exit code 7", "starting\nno licence: set it with `ada login`\n");
    const requestId = world.ask(chatOf("a"), "One");
    await world.settle();
    equal(
      lines(world, requestId).at(-1),
      [
        "failed 1: Ada stopped unexpectedly (exit code 7). Ada restarts with your next prompt. Its last output:\n",
        "```",
        "starting",
        "no licence: set it with `ada login`",
        "```",
      ].join("\n"),
    );
  });

  test("an agent that fails fails the request with its reason, and the next one starts it again", async () => {
    await using world = new LmWorld();
    const chat = chatOf("a"),
      requestId = world.ask(chat, "One");
    await world.prompted();
    await world.agent.die();
    await world.settle();
    match(lines(world, requestId).at(-1)!, /^failed 1: The other side closed/);
    const told = await world.turn(chat, "Two", "2");
    match(told, /Two[^]*One/);
    equal(world.agents.length, 2);
  });

  test("a chat that was forked at its end goes on in a copy of its agent's session, where the agent can", async () => {
    await using world = new LmWorld();
    world.initialized = { protocolVersion: 1, agentCapabilities: { sessionCapabilities: { fork: {} } } };
    const chat = chatOf("a");
    await world.turn(chat, "One", "1");
    const fork = chat.fork("b", 1);
    world.ask(fork, "Other");
    await world.settle();
    const forking = await world.agent.next("session/fork");
    equal(objectOr(forking.params).sessionId, "s1");
    forking.respond({ sessionId: "copy" });
    const { text, sessionId } = await world.prompted();
    equal(sessionId, "copy");
    ok(!text.includes("One"));
    match(await world.turn(chat, "More", "2"), /^s1 More/);
  });

  test("while the wire is behind, texts become one", async () => {
    await using world = new LmWorld();
    world.ask(chatOf("a"), "One");
    const { request, sessionId } = await world.prompted();
    world.isCongested = true;
    for (const text of ["a", "b", "c"]) world.agent.say(sessionId, text);
    await world.settle();
    request.respond({ stopReason: "end_turn" });
    await world.settle();
    deepEqual(world.told, ["1: abc", "complete 1", "ok 1"]);
  });

  test("stopping answers what is open, of conversations and beside them", async () => {
    const world = new LmWorld();
    world.service.handlers["settings/languageModel"]({ ...LM_DEFAULTS, sideRequests: "agent" });
    world.ask(chatOf("a"), "One");
    await world.prompted();
    world.request(chatOf("b").side("title"));
    await world.prompted();
    await world[Symbol.asyncDispose]();
    deepEqual(world.told.toSorted(), [
      "complete 1",
      "complete 2",
      "failed 1: Symposium was stopped.",
      "failed 2: Symposium was stopped.",
    ]);
  });
});
