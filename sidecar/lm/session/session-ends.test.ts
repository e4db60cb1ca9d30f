import { deepEqual, equal, match, ok } from "node:assert/strict";
import { objectOr } from "../../rpc/json";
import { NO_CONTEXT } from "../history/chat-context";
import type { ToolOffer } from "../tools/tool-offer";
import { PENDING_MS, STOPPING_MS } from "./session-effects";
import { TOOLS_KEY } from "../tools/tools-proxy";
import { SessionFixture, callOf, permission } from "../../testing/sessions/session-fixture";

const LATER = { name: "later", description: "later", inputSchema: { type: "object", properties: {} } };

suite("SessionActor: start and end", () => {
  test("cancels the turn, rejects its calls, and opens a new session if the turn does not end", async () => {
    await using fixture = new SessionFixture();
    const { offer } = await fixture.begin();
    const answer = callOf(offer, "lookUp");
    await fixture.settle();
    fixture.session.cancel(1);
    equal(await answer, "The user stopped the turn.");
    fixture.ask(2);
    await fixture.settle();
    ok(fixture.agent.received.includes("cancel s"));
    deepEqual(fixture.notifications, ["1: [lookUp]", "end 1", "1 cut"]);
    fixture.clock.advance(STOPPING_MS);
    await fixture.settle();
    // The process exited with its only session. The next session starts a new process.
    equal(await callOf(offer, "lookUp"), "This chat has ended: VS Code's tools are no longer available.");
    await fixture.open();
    await fixture.prompted();
    deepEqual(
      fixture.recipients.map(({ remembers }) => remembers),
      [false, false],
    );
  });

  test("rejects calls whose results never arrive", async () => {
    await using fixture = new SessionFixture();
    const { offer, prompt } = await fixture.begin(),
      answer = callOf(offer, "lookUp");
    await fixture.debounced();
    fixture.clock.advance(PENDING_MS - 1);
    await fixture.settle();
    equal(fixture.notifications.length, 2);
    fixture.clock.advance(1);
    equal(await answer, "The user stopped the turn.");
    await fixture.settle();
    ok(fixture.agent.received.includes("cancel s"));
    prompt.respond({ stopReason: "cancelled" });
    await fixture.settle();
    deepEqual(fixture.notifications.slice(2), ["1 cut"]);
  });

  test("stops the timeout when the results arrive", async () => {
    await using fixture = new SessionFixture();
    const { offer } = await fixture.begin();
    const answer = callOf(offer, "lookUp");
    await fixture.debounced();
    fixture.back(2, ...fixture.calls(1));
    await answer;
    await fixture.settle();
    equal(fixture.clock.waiting, 0);
  });

  test("fails the request when the agent exits, then loads its session without the replayed updates", async () => {
    await using fixture = new SessionFixture();
    const { offer } = await fixture.begin();
    await fixture.agent.die();
    await fixture.settle();
    match(await callOf(offer, "lookUp"), /This chat has ended/);
    deepEqual(fixture.notifications, ["1 cut", "end 1 (The other side closed the connection.)"]);
    fixture.ask(2);
    await fixture.settle();
    const load = await fixture.agent.next("session/load");
    fixture.agent.report("s", "What was said before.");
    equal(objectOr(load.params).sessionId, "s");
    ok(typeof objectOr(objectOr(load.params)._meta)[TOOLS_KEY] === "string");
    load.respond({});
    await fixture.settle();
    await fixture.prompted();
    fixture.agent.report("s", "Hello");
    await fixture.settle();
    deepEqual(fixture.notifications.slice(2), ["2: Hello"]);
    deepEqual(
      fixture.recipients.map(({ remembers }) => remembers),
      [false, true],
    );
  });

  test("resumes the session with a changed tool list that the agent ignored", async () => {
    await using fixture = new SessionFixture();
    const { offer, prompt } = await fixture.begin();
    offer.list();
    fixture.session.offer([LATER], false);
    await fixture.settle();
    prompt.respond({ stopReason: "end_turn" });
    await fixture.settle();
    fixture.ask(2);
    const again = await fixture.open("session/load");
    deepEqual([again.offer.server, again.offer.tools.map(({ name }) => name)], [offer.server, [LATER.name]]);
    await fixture.prompted();
    deepEqual(
      fixture.recipients.map(({ remembers }) => remembers),
      [false, true],
    );
    deepEqual(fixture.notifications, ["1: Ada ended its turn without an answer.", "1 answered", "end 1"]);
  });

  for (const [title, list] of [
    ["keeps the session of an agent that requests a changed list", (offer: ToolOffer) => offer.list()],
    ["keeps the session of an agent that never requested a list", () => undefined],
  ] as const)
    test(title, async () => {
      await using fixture = new SessionFixture();
      const { offer, prompt } = await fixture.begin();
      list(offer);
      fixture.session.offer([LATER], false);
      await fixture.settle();
      list(offer);
      prompt.respond({ stopReason: "end_turn" });
      await fixture.settle();
      fixture.ask(2);
      await fixture.prompted();
      equal(fixture.agents.length, 1);
      deepEqual(
        offer.tools.map(({ name }) => name),
        [LATER.name],
      );
    });

  test("opens a new session without memory if loading fails", async () => {
    await using fixture = new SessionFixture({ begin: { kind: "again", agentSession: "old" } });
    fixture.ask(1);
    await fixture.settle();
    (await fixture.agent.next("session/load")).fail(new Error("no such session"));
    await fixture.open();
    await fixture.prompted();
    deepEqual(
      fixture.recipients.map(({ remembers }) => remembers),
      [false],
    );
  });

  test("forks the agent's session with memory, or opens a new one if the agent cannot fork", async () => {
    {
      await using fixture = new SessionFixture({ begin: { kind: "fork", agentSession: "old" } });
      fixture.ask(1);
      const { request } = await fixture.open("session/fork");
      equal(objectOr(request.params).sessionId, "old");
      await fixture.prompted();
      deepEqual(
        fixture.recipients.map(({ remembers }) => remembers),
        [true],
      );
    }
    await using fixture = new SessionFixture({ begin: { kind: "fork", agentSession: "old" } }, { protocolVersion: 1 });
    await fixture.begin();
    deepEqual(
      fixture.recipients.map(({ remembers }) => remembers),
      [false],
    );
  });

  test("stops reading an agent that floods updates between requests", async () => {
    await using fixture = new SessionFixture();
    const { offer } = await fixture.begin();
    const answer = callOf(offer, "lookUp");
    await fixture.debounced();
    let sent = 0;
    for (let i = 0; i < 30; i++) {
      for (let n = 0; n < 100; n++) {
        const text = `${++sent}.`;
        fixture.agent.update("s", {
          sessionUpdate: sent % 2 === 0 ? "agent_thought_chunk" : "agent_message_chunk",
          content: { type: "text", text },
        });
      }
      await fixture.settle();
    }
    let isThrough = false;
    void fixture.agent.peer.drained().then(() => {
      isThrough = true;
    });
    await fixture.settle();
    equal(isThrough, false, "the agent is read on");
    fixture.back(2, ...fixture.calls(1));
    await answer;
    await fixture.settle();
    equal(isThrough, true);
    const numbers = fixture.notifications
      .filter(word => word.startsWith("2: "))
      .flatMap(word => [...word.matchAll(/(\d+)\./g)].map(([, n]) => Number(n)));
    deepEqual(
      numbers,
      Array.from({ length: sent }, (_, i) => i + 1),
    );
  });

  test("rejects calls of disabled tools and accepts calls of new tools", async () => {
    await using fixture = new SessionFixture();
    const { offer } = await fixture.begin();
    fixture.session.offer([{ name: "other", description: "", inputSchema: { type: "object" } }], false);
    await fixture.settle();
    match(await callOf(offer, "lookUp"), /was not run/);
    const answer = callOf(offer, "other");
    await fixture.debounced();
    deepEqual(fixture.notifications, ["1: [other]", "pause 1"]);
    fixture.back(2, ...fixture.calls(1));
    await answer;
  });

  test("fails the request whose prompt cannot be created", async () => {
    await using fixture = new SessionFixture();
    fixture.session.ask({
      requestId: 1,
      text: "",
      context: () => NO_CONTEXT,
      namesTools: () => false,
      blocks: () => {
        throw new Error("bug");
      },
    });
    await fixture.open();
    deepEqual(fixture.notifications, [
      "1 cut",
      "end 1 (Symposium could not convert this message to a prompt. See the log.)",
    ]);
  });

  test("settles all requests, releases the agent when it closes, and answers later requests", async () => {
    const fixture = new SessionFixture();
    const { offer } = await fixture.begin();
    const answer = callOf(offer, "lookUp"),
      asking = permission(fixture.agent, "p1");
    await fixture.settle();
    await fixture.session.close("The window is closed.");
    fixture.ask(2);
    let taken: boolean | undefined;
    fixture.session.decide(fixture.questionId, isTaken => {
      taken = isTaken;
    });
    equal(await answer, "The user stopped the turn.");
    deepEqual(await asking, { outcome: { outcome: "selected", optionId: "no" } });
    equal(taken, false);
    await fixture.settle();
    deepEqual(fixture.agent.received.slice(-3), ["cancel s", "session/close", "closed"]);
    deepEqual(fixture.notifications.slice(2), [
      "end 1 (The window is closed.)",
      "1 cut",
      "end 2 (This chat's session was closed. Send the message again.)",
    ]);
    equal(fixture.clock.waiting, 0);
    await fixture.pool[Symbol.asyncDispose]();
  });

  test("releases an agent that is still starting when it closes", async () => {
    const fixture = new SessionFixture();
    fixture.ask(1);
    await fixture.settle();
    const opening = await fixture.agent.next("session/new");
    await fixture.session.close("over");
    opening.respond({ sessionId: "s" });
    await fixture.settle();
    deepEqual(fixture.notifications, ["end 1 (over)"]);
    deepEqual(
      fixture.agent.received.filter(method => method !== "initialize"),
      ["session/new", "closed"],
    );
    equal(fixture.clock.waiting, 0);
  });
});
