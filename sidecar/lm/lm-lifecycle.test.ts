import { deepEqual, equal, match, ok } from "node:assert/strict";
import { LM_DEFAULTS } from "../../src/protocol/lm/lm";
import { agentExited } from "../errors";
import { objectOr } from "../rpc/json";
import { chatOf, lines, LmFixture } from "../testing/sessions/lm-fixture";
import { callOf } from "../testing/sessions/session-fixture";
import { IDLE_MS, MAX_ALIVE, MAX_RECORDS } from "./live-sessions";

suite("LmService lifecycle", () => {
  test("closes an idle session after 30 minutes and continues the chat in another with its history", async () => {
    await using fixture = new LmFixture();
    const chat = chatOf("a");
    await fixture.turn(chat, "One", "1");
    fixture.clock.advance(IDLE_MS - 1);
    await fixture.settle();
    equal(fixture.agent.received.at(-1), "session/prompt");
    await fixture.turn(chat, "Two", "2");
    fixture.clock.advance(IDLE_MS - 1);
    await fixture.settle();
    equal(fixture.agent.received.at(-1), "session/prompt");
    fixture.clock.advance(1);
    await fixture.settle();
    deepEqual(fixture.agent.received.slice(-2), ["session/close", "closed"]);
    const prompt = await fixture.turn(chat, "Three", "3");
    match(prompt, /^s1 Three[^]*One[^]*Two/);
    equal(fixture.agents.length, 2);
  });

  test("restarts the idle time with each use, also after a repeated round", async () => {
    await using fixture = new LmFixture();
    const chat = chatOf("a"),
      requestId = fixture.ask(chat, "One"),
      first = await fixture.prompted(),
      answer = callOf(fixture.offer, "read");
    await fixture.debounced();
    fixture.took(chat, requestId, () => "x");
    fixture.request(chat.request());
    await answer;
    first.request.respond({ stopReason: "end_turn" });
    await fixture.settle();
    fixture.clock.advance(IDLE_MS - 1);
    fixture.request(chat.request());
    await fixture.settle();
    fixture.clock.advance(IDLE_MS - 1);
    await fixture.settle();
    ok(!fixture.agent.received.includes("session/close"));
    fixture.clock.advance(1);
    await fixture.settle();
    ok(fixture.agent.received.includes("session/close"));
    const simulatedChat = chatOf("b");
    await fixture.turn(simulatedChat, "One", "1");
    fixture.clock.advance(IDLE_MS - 1);
    fixture.ask(simulatedChat, "Two");
    const { request } = await fixture.prompted();
    fixture.clock.advance(IDLE_MS);
    await fixture.settle();
    ok(!fixture.agent.received.includes("session/close"));
    request.respond({ stopReason: "end_turn" });
    await fixture.settle();
  });

  test("does not close a session that has just received a request", async () => {
    await using fixture = new LmFixture();
    const chats = Array.from({ length: MAX_ALIVE + 1 }, (_, i) => chatOf(`${i}`));
    for (const chat of chats.slice(0, MAX_ALIVE)) await fixture.turn(chat, "Hello", "Hi");
    const asked = chats.map(chat => fixture.ask(chat, "More"));
    for (let i = 0; i <= MAX_ALIVE; i++) (await fixture.prompted()).request.respond({ stopReason: "end_turn" });
    await fixture.settle();
    for (const requestId of asked) equal(lines(fixture, requestId).at(-1), `ok ${requestId}`);
    equal(fixture.agent.received.filter(method => method === "session/close").length, 0);
  });

  test("persists a new chat while all others are busy", async () => {
    await using fixture = new LmFixture();
    const asked = Array.from({ length: MAX_RECORDS + 1 }, (_, i) => fixture.ask(chatOf(`${i}`), "Hello"));
    for (let i = 0; i <= MAX_RECORDS; i++) (await fixture.prompted()).request.respond({ stopReason: "end_turn" });
    await fixture.settle();
    for (const requestId of asked) equal(lines(fixture, requestId).at(-1), `ok ${requestId}`);
    equal(fixture.persisted.size, MAX_RECORDS + 1);
  }).timeout(20_000);

  test("does not close a session that waits for results", async () => {
    await using fixture = new LmFixture();
    const chat = chatOf("a");
    fixture.ask(chat, "One");
    const { request } = await fixture.prompted(),
      answer = callOf(fixture.offer, "read");
    await fixture.debounced();
    fixture.clock.advance(IDLE_MS - 100);
    await fixture.settle();
    ok(!fixture.agent.received.includes("session/close"));
    fixture.clock.advance(IDLE_MS);
    match(await answer, /stopped/);
    request.respond({ stopReason: "cancelled" });
    await fixture.settle();
  });

  test("closes the least recently used session above the limit, never a busy one", async () => {
    await using fixture = new LmFixture();
    const chats = Array.from({ length: MAX_ALIVE + 1 }, (_, i) => chatOf(`${i}`));
    const busy = fixture.ask(chats[0]!, "Hello"),
      waiting = await fixture.prompted();
    for (const chat of chats.slice(1, MAX_ALIVE)) await fixture.turn(chat, "Hello", "Hi");
    equal(fixture.agent.received.filter(method => method === "session/close").length, 0);
    await fixture.turn(chats[MAX_ALIVE]!, "Hello", "Hi");
    await fixture.settle();
    equal(fixture.agent.received.filter(method => method === "session/close").length, 1);
    waiting.request.respond({ stopReason: "end_turn" });
    await fixture.settle();
    equal(lines(fixture, busy).at(-1), `ok ${busy}`);
    match(await fixture.turn(chats[2]!, "More", "Yes"), /^s3 More/);
    match(await fixture.turn(chats[1]!, "More", "Yes"), /^s18 More/);
  });

  test("loads the agent's session after a restart and drops the replayed updates", async () => {
    const chat = chatOf("a");
    let kept: LmFixture;
    {
      await using fixture = new LmFixture();
      await fixture.turn(chat, "One", "1");
      equal(fixture.persisted.size, 1);
      kept = fixture;
    }
    {
      await using fixture = new LmFixture(kept);
      fixture.initialized = { protocolVersion: 1, agentCapabilities: { loadSession: true } };
      const requestId = fixture.ask(chat, "Two");
      await fixture.settle();
      const load = await fixture.agent.next("session/load");
      deepEqual([objectOr(load.params).sessionId, objectOr(load.params).cwd], ["s1", "/home"]);
      fixture.agent.report("s1", "One. 1.");
      load.respond({});
      const { text } = await fixture.prompted();
      match(text, /^Two/);
      ok(!text.includes("One"));
      deepEqual(lines(fixture, requestId), []);
    }
    await using fixture = new LmFixture(kept);
    match(await fixture.turn(chat, "Three", "3"), /^s1 Three[^]*One/);
  });

  test("queues requests in order until the records are read, and starts without records if reading fails", async () => {
    let settle: (sessions: readonly unknown[]) => void = () => undefined;
    {
      await using fixture = new LmFixture(
        undefined,
        () =>
          new Promise(resolve => {
            settle = resolve;
          }),
      );
      fixture.ask(chatOf("a"), "One");
      fixture.request(chatOf("b").side("title"));
      await fixture.settle();
      deepEqual(fixture.notifications, []);
      settle(["garbage", 7]);
      match((await fixture.prompted()).text, /^One/);
    }
    {
      await using fixture = new LmFixture(undefined, async () => {
        throw new Error("no");
      });
      await fixture.turn(chatOf("a"), "One", "1");
    }
    const fixture = new LmFixture(undefined, () => new Promise(() => undefined));
    const cancelled = fixture.ask(chatOf("a"), "One");
    fixture.ask(chatOf("a"), "Two");
    await fixture.settle();
    fixture.service.handlers["lm/cancel"]({ requestId: cancelled });
    await fixture.settle();
    deepEqual(fixture.notifications, ["complete 1", "ok 1"]);
    await fixture[Symbol.asyncDispose]();
    deepEqual(fixture.notifications.slice(2), ["complete 2", "failed 2: Symposium was stopped."]);
  });

  test("persists no chats without an id or of other extensions", async () => {
    await using fixture = new LmFixture();
    await fixture.turn(chatOf("a", "none"), "One", "1");
    equal(fixture.persisted.size, 0);
  });

  test("continues a turn interrupted by a restart with the output so far in the prompt", async () => {
    const chat = chatOf("a");
    let kept: LmFixture;
    {
      await using fixture = new LmFixture();
      await fixture.turn(chat, "One", "1");
      const requestId = fixture.ask(chat, "Two"),
        { sessionId } = await fixture.prompted();
      fixture.agent.report(sessionId, "I look.");
      const answer = callOf(fixture.offer, "read");
      await fixture.debounced();
      fixture.took(chat, requestId, () => "the result");
      kept = fixture;
      void answer;
    }
    await using fixture = new LmFixture(kept);
    const requestId = fixture.request(chat.request()),
      { request, sessionId, text } = await fixture.prompted();
    match(text, /Two[^]*One[^]*I look\.[^]*the result/);
    fixture.agent.report(sessionId, "Done.");
    request.respond({ stopReason: "end_turn" });
    await fixture.settle();
    deepEqual(lines(fixture, requestId), ["1: Done.", "complete 1", "ok 1"]);
  });

  test("deletes the oldest chats above the limit, also from storage", async () => {
    await using fixture = new LmFixture();
    for (let i = 0; i < MAX_RECORDS + 3; i++) await fixture.turn(chatOf(`${i}`), "Hello", "Hi");
    equal(fixture.persisted.size, MAX_RECORDS);
  }).timeout(20_000);

  test("fails the request with the last output of an agent that exits at its start", async () => {
    await using fixture = new LmFixture();
    fixture.startFailure = agentExited("Ada", "exit code 7", "starting\nno licence: set it with `ada login`\n");
    const requestId = fixture.ask(chatOf("a"), "One");
    await fixture.settle();
    equal(
      lines(fixture, requestId).at(-1),
      [
        "failed 1: Ada exited unexpectedly (exit code 7). Ada restarts with your next prompt. Its last output:\n",
        "```",
        "starting",
        "no licence: set it with `ada login`",
        "```",
      ].join("\n"),
    );
  });

  test("fails the request with the agent's error and restarts the agent for the next request", async () => {
    await using fixture = new LmFixture();
    const chat = chatOf("a"),
      requestId = fixture.ask(chat, "One");
    await fixture.prompted();
    await fixture.agent.die();
    await fixture.settle();
    match(lines(fixture, requestId).at(-1)!, /^failed 1: The other side closed/);
    const prompt = await fixture.turn(chat, "Two", "2");
    match(prompt, /Two[^]*One/);
    equal(fixture.agents.length, 2);
  });

  test("forks the agent's session for a chat forked at its end, if the agent supports it", async () => {
    await using fixture = new LmFixture();
    fixture.initialized = { protocolVersion: 1, agentCapabilities: { sessionCapabilities: { fork: {} } } };
    const chat = chatOf("a");
    await fixture.turn(chat, "One", "1");
    const fork = chat.fork("b", 1);
    fixture.ask(fork, "Other");
    await fixture.settle();
    const forking = await fixture.agent.next("session/fork");
    equal(objectOr(forking.params).sessionId, "s1");
    forking.respond({ sessionId: "copy" });
    const { text, sessionId } = await fixture.prompted();
    equal(sessionId, "copy");
    ok(!text.includes("One"));
    match(await fixture.turn(chat, "More", "2"), /^s1 More/);
  });

  test("merges text parts while the connection is congested", async () => {
    await using fixture = new LmFixture();
    fixture.ask(chatOf("a"), "One");
    const { request, sessionId } = await fixture.prompted();
    fixture.isCongested = true;
    for (const text of ["a", "b", "c"]) fixture.agent.report(sessionId, text);
    await fixture.settle();
    request.respond({ stopReason: "end_turn" });
    await fixture.settle();
    deepEqual(fixture.notifications, ["1: abc", "complete 1", "ok 1"]);
  });

  test("settles all open chat and side requests when it stops", async () => {
    const fixture = new LmFixture();
    fixture.service.handlers["settings/languageModel"]({ ...LM_DEFAULTS, sideRequests: "agent" });
    fixture.ask(chatOf("a"), "One");
    await fixture.prompted();
    fixture.request(chatOf("b").side("title"));
    await fixture.prompted();
    await fixture[Symbol.asyncDispose]();
    deepEqual(fixture.notifications.toSorted(), [
      "complete 1",
      "complete 2",
      "failed 1: Symposium was stopped.",
      "failed 2: Symposium was stopped.",
    ]);
  });
});
