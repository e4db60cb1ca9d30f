import { deepEqual, equal, match, ok } from "node:assert/strict";
import { objectOr } from "../../rpc/json";
import { NO_CONTEXT } from "../history/chat-context";
import { QUIET_MS } from "./question-debounce";
import { PENDING_MS, STOPPING_MS } from "./session-effects";
import { SessionFixture, callOf } from "../../testing/sessions/session-fixture";

suite("SessionActor", () => {
  test("sends a prompt, forwards its updates and ends with the turn", async () => {
    await using fixture = new SessionFixture();
    fixture.ask(1);
    const { request } = await fixture.open(),
      prompt = await fixture.prompted();
    deepEqual(
      [objectOr(request.params).cwd, objectOr(prompt.params).prompt, fixture.recipients],
      [
        "/w",
        [{ type: "text", text: "words of 1" }],
        [{ images: true, embedded: false, remembers: false, hasTools: false, context: [] }],
      ],
    );
    fixture.agent.report("s", "Hello");
    prompt.respond({ stopReason: "end_turn" });
    await fixture.settle();
    fixture.ask(2);
    (await fixture.prompted()).respond({ stopReason: "end_turn" });
    await fixture.settle();
    deepEqual(fixture.notifications, [
      "1: Hello",
      "1 answered",
      "end 1",
      "2: Ada ended its turn without an answer.",
      "2 answered",
      "end 2",
    ]);
    equal(fixture.recipients[1]?.remembers, true);
  });

  test("sends parallel calls of VS Code's tools together and returns their results", async () => {
    await using fixture = new SessionFixture();
    const { offer, prompt } = await fixture.begin();
    fixture.agent.report("s", "I look.");
    const answers = [callOf(offer, "lookUp"), callOf(offer, "count"), callOf(offer, "lookUp")];
    await fixture.debounced();
    deepEqual(fixture.notifications, ["1: I look.", "1: [lookUp]", "1: [count]", "1: [lookUp]", "pause 1"]);
    const ids = fixture.calls(1);
    for (const [i, id] of ids.entries()) match(id, new RegExp(`^sy1_12345678_[0-9a-f]{32}_${i + 1}$`));
    fixture.back(2, ...ids.toReversed());
    deepEqual(await Promise.all(answers), ["result of 1", "result of 2", "result of 3"]);
    fixture.agent.report("s", "Done.");
    prompt.respond({ stopReason: "end_turn" });
    await fixture.settle();
    deepEqual(fixture.notifications.slice(5), ["2: Done.", "1 answered", "end 2"]);
  });

  test("sends buffered text before a call that follows it", async () => {
    await using fixture = new SessionFixture();
    const { offer } = await fixture.begin();
    const answer = callOf(offer, "lookUp");
    fixture.agent.report("s", "I look.");
    await fixture.debounced();
    deepEqual(fixture.notifications, ["1: I look.", "1: [lookUp]", "pause 1"]);
    fixture.back(2, ...fixture.calls(1));
    await answer;
  });

  test("waits longer for an announced call", async () => {
    await using fixture = new SessionFixture();
    const { offer } = await fixture.begin();
    const answers = [callOf(offer, "lookUp")];
    await fixture.settle();
    fixture.clock.advance(QUIET_MS - 1);
    fixture.agent.update("s", {
      sessionUpdate: "tool_call",
      toolCallId: "c2",
      title: "count",
      status: "pending",
      _meta: { claudeCode: { toolName: `mcp__${offer.server}__count` } },
    });
    await fixture.settle();
    fixture.clock.advance(QUIET_MS - 1);
    answers.push(callOf(offer, "count"));
    fixture.agent.update("s", { sessionUpdate: "tool_call", toolCallId: "c3", title: "its own", status: "completed" });
    await fixture.debounced();
    deepEqual(fixture.notifications, ["1: [lookUp]", "1: [count]", "pause 1"]);
    fixture.back(2, ...fixture.calls(1));
    await Promise.all(answers);
    fixture.agent.update("s", { sessionUpdate: "tool_call_update", toolCallId: "c2", status: "completed" });
    await fixture.settle();
    deepEqual(fixture.notifications.slice(3), ["2: ✓ its own"]);
  });

  test("does not extend the wait for the end of a call", async () => {
    await using fixture = new SessionFixture();
    const { offer } = await fixture.begin();
    const answer = callOf(offer, "lookUp");
    await fixture.settle();
    fixture.clock.advance(QUIET_MS - 1);
    fixture.agent.update("s", {
      sessionUpdate: "tool_call",
      toolCallId: "c0",
      title: "count",
      status: "completed",
      name: `mcp__${offer.server}__count`,
    });
    await fixture.settle();
    fixture.clock.advance(1);
    await fixture.settle();
    deepEqual(fixture.notifications, ["1: [lookUp]", "pause 1"]);
    fixture.back(2, ...fixture.calls(1));
    await answer;
  });

  test("starts the text of the next turn without a paragraph", async () => {
    await using fixture = new SessionFixture();
    const { prompt: first } = await fixture.begin();
    fixture.agent.update("s", { sessionUpdate: "tool_call", toolCallId: "c0", title: "count", status: "completed" });
    first.respond({ stopReason: "end_turn" });
    await fixture.settle();
    fixture.ask(2);
    await fixture.prompted();
    fixture.agent.report("s", "Hello");
    await fixture.settle();
    equal(fixture.notifications.at(-1), "2: Hello");
  });

  test("drops updates of an abandoned session and answers its requests", async () => {
    await using fixture = new SessionFixture();
    const holding = new AbortController(); // another chat uses the same process
    const { request: first } = await (async () => {
      fixture.ask(1);
      await fixture.pool.acquire(
        {
          agent: { id: "ada", name: "Ada", distribution: { local: { command: "ada" } } },
          cwd: "/w",
          protocol: 1,
          role: "lm",
        },
        holding.signal,
      );
      await fixture.open();
      return { request: await fixture.prompted() };
    })();
    fixture.session.cancel(1);
    await fixture.settle();
    equal(fixture.clock.waiting, 1, "only the stop is waited for");
    fixture.clock.advance(STOPPING_MS);
    await fixture.settle();
    fixture.ask(2);
    await fixture.settle();
    (await fixture.agent.next("session/new")).respond({ sessionId: "t" });
    await fixture.settle();
    await fixture.prompted();
    first.respond({ stopReason: "end_turn" });
    fixture.agent.report("t", "Hello");
    await fixture.settle();
    deepEqual(fixture.notifications.slice(-1), ["2: Hello"]);
    equal(fixture.agents.length, 1);
    holding.abort();
  });

  test("ignores a timeout that fires at the moment it is cancelled", async () => {
    await using fixture = new SessionFixture();
    const { offer } = await fixture.begin();
    const answer = callOf(offer, "lookUp");
    await fixture.debounced();
    fixture.session.resume(
      2,
      fixture.calls(1).map(callId => ({ callId, result: "x", isError: false })),
      { requestId: 2, text: "", context: () => NO_CONTEXT, namesTools: () => false, blocks: () => [] },
    );
    fixture.clock.advance(PENDING_MS);
    await answer;
    await fixture.settle();
    ok(fixture.agent.received.includes("cancel s"));
    ok(!fixture.agent.received.includes("session/close"));
  });

  test("opens no session if it is abandoned while others start the same agent", async () => {
    const fixture = new SessionFixture({}, undefined, ["initialize"]);
    const holding = new AbortController();
    const second = fixture.pool.acquire(
      {
        agent: { id: "ada", name: "Ada", distribution: { local: { command: "ada" } } },
        cwd: "/w",
        protocol: 1,
        role: "lm",
      },
      holding.signal,
    );
    await fixture.settle();
    const initialize = await fixture.agent.next("initialize");
    await fixture.session.close("over");
    initialize.respond({ protocolVersion: 1, agentCapabilities: {} });
    await second;
    await fixture.settle();
    deepEqual(fixture.agent.received, ["initialize"]);
    holding.abort();
    await fixture.pool[Symbol.asyncDispose]();
  });

  test("fails the request and releases an agent that cannot open a session", async () => {
    await using fixture = new SessionFixture();
    fixture.ask(1);
    await fixture.settle();
    const { agent } = fixture;
    (await agent.next("session/new")).fail(new Error("no keys"));
    await fixture.settle();
    match(fixture.notifications[0]!, /^end 1 \(Ada returned an error: .*no keys/);
    equal(agent.received.at(-1), "closed");
  });
});
