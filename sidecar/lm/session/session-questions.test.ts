import { deepEqual, equal, match, ok } from "node:assert/strict";
import { SessionFixture, callOf, permission, OPTIONS } from "../../testing/sessions/session-fixture";

suite("SessionActor: calls and permissions", () => {
  test("cancels a call without a waiting request and ignores its late result", async () => {
    await using fixture = new SessionFixture();
    fixture.ask(1);
    const { offer } = await fixture.open(),
      gone = new AbortController();
    await fixture.prompted();
    const answer = callOf(offer, "lookUp", gone.signal);
    await fixture.debounced();
    gone.abort();
    await answer;
    await fixture.settle();
    fixture.agent.report("s", "Never mind.");
    fixture.back(2, ...fixture.calls(1));
    await fixture.settle();
    deepEqual(fixture.notifications.slice(2), ["2: Never mind."]);
  });

  test("does not show a call that is cancelled before it is shown", async () => {
    await using fixture = new SessionFixture();
    fixture.ask(1);
    const { offer } = await fixture.open(),
      gone = new AbortController();
    await fixture.prompted();
    const first = callOf(offer, "lookUp");
    await fixture.debounced();
    const second = callOf(offer, "count", gone.signal);
    await fixture.settle();
    gone.abort();
    await second;
    fixture.back(2, ...fixture.calls(1));
    await first;
    await fixture.debounced();
    deepEqual(fixture.notifications, ["1: [lookUp]", "pause 1"]);
  });

  test("asks for a permission with its tool call and resolves it once, only by the decision", async () => {
    await using fixture = new SessionFixture();
    await fixture.begin();
    const first = permission(fixture.agent, "p1"),
      second = permission(fixture.agent, "p2", "ls");
    await fixture.settle();
    const [one, two] = fixture.messages.flatMap(message => (message.kind === "asked" ? [message] : []));
    await fixture.debounced();
    deepEqual(fixture.notifications, [
      "1: [symposium-agent-codex-execute]",
      "1: [symposium-agent-codex-execute]",
      "pause 1",
    ]);
    deepEqual([one?.callId, two?.callId], fixture.calls(1));
    match(one!.question.message, /rm -rf/);
    const taken: boolean[] = [];
    fixture.session.decide(one!.questionId, isTaken => taken.push(isTaken));
    fixture.session.decide(one!.questionId, isTaken => taken.push(isTaken));
    fixture.session.decide("unknown", isTaken => taken.push(isTaken));
    await fixture.settle();
    deepEqual(taken, [true, false, false]);
    deepEqual(await first, { outcome: { outcome: "selected", optionId: "yes" } });
    fixture.back(2, ...fixture.calls(1));
    deepEqual(await second, { outcome: { outcome: "selected", optionId: "no" } });
    deepEqual(
      fixture.messages.flatMap(message => (message.kind === "settled" ? [message.questionId] : [])),
      [one!.questionId, two!.questionId],
    );
  });

  suite("permission whose tool VS Code deferred", () => {
    const plain = (name: string, description = name) => ({ name, description, inputSchema: { type: "object" } }),
      action = plain("symposium-agent-action");
    const group = plain(
        "activate_fallback_symposium-agent-codex-edit_1",
        "Contains the tools: symposium-agent-codex-edit, symposium-agent-codex-execute",
      ),
      tools = [action, group];
    async function begin(fixture: SessionFixture): Promise<void> {
      await fixture.begin();
    }
    async function called(fixture: SessionFixture): Promise<void> {
      await fixture.debounced();
      deepEqual(fixture.notifications, [`1: [${group.name}]`, "pause 1"]);
    }

    test("is requested with its tool after that tool was activated", async () => {
      await using fixture = new SessionFixture({ tools });
      await begin(fixture);
      const answer = permission(fixture.agent, "p1");
      await called(fixture);
      fixture.session.offer([action, plain("symposium-agent-codex-execute")], false);
      fixture.back(2, ...fixture.calls(1));
      await fixture.debounced();
      deepEqual(fixture.notifications.slice(2), ["2: [symposium-agent-codex-execute]", "pause 2"]);
      fixture.session.decide(fixture.questionId, () => undefined);
      deepEqual(await answer, { outcome: { outcome: "selected", optionId: "yes" } });
    });

    test("is requested with the general tool if its tool is still unavailable", async () => {
      await using fixture = new SessionFixture({ tools });
      await begin(fixture);
      const answer = permission(fixture.agent, "p1");
      await called(fixture);
      fixture.back(2, ...fixture.calls(1));
      await fixture.debounced();
      deepEqual(fixture.notifications.slice(2), ["2: [symposium-agent-action]", "pause 2"]);
      fixture.back(3, ...fixture.calls(2));
      deepEqual(await answer, { outcome: { outcome: "selected", optionId: "no" } });
    });

    test("is rejected without a question when the turn ends", async () => {
      await using fixture = new SessionFixture({ tools });
      await begin(fixture);
      const answer = permission(fixture.agent, "p1");
      await called(fixture);
      await fixture.session.close("over");
      deepEqual(await answer, { outcome: { outcome: "selected", optionId: "no" } });
      equal(
        fixture.messages.some(({ kind }) => kind === "asked"),
        false,
      );
    });

    test("is not requested after the agent cancelled it", async () => {
      await using fixture = new SessionFixture({ tools });
      await begin(fixture);
      const asking = fixture.agent.peer.call(
        "session/request_permission",
        { sessionId: "s", toolCall: { toolCallId: "p1", kind: "execute" }, options: OPTIONS },
        () => undefined,
      );
      await called(fixture);
      asking.cancel();
      await fixture.settle();
      fixture.session.offer([action, plain("symposium-agent-codex-execute")], false);
      fixture.back(2, ...fixture.calls(1));
      await fixture.debounced();
      equal(
        fixture.messages.some(({ kind }) => kind === "asked"),
        false,
      );
    });
  });

  test("rejects a permission outside a turn or without a tool, with a sentence in the chat", async () => {
    await using fixture = new SessionFixture({ tools: [] });
    const { prompt } = await fixture.begin();
    deepEqual(await permission(fixture.agent, "p1"), { outcome: { outcome: "selected", optionId: "no" } });
    prompt.respond({ stopReason: "end_turn" });
    await fixture.settle();
    match(fixture.notifications[0]!, /^1: Ada requested permission to .* VS Code cannot ask you in this chat mode/);
    fixture.policy = "allow";
    deepEqual(await permission(fixture.agent, "p2"), { outcome: { outcome: "cancelled" } });
  });

  test("allows permissions by policy, except for another extension's agent", async () => {
    for (const [isForeign, optionId] of [
      [false, "yes"],
      [true, "no"],
    ] as const) {
      await using fixture = new SessionFixture({ isForeign });
      fixture.policy = "allow";
      await fixture.begin();
      deepEqual(await permission(fixture.agent, "p1"), { outcome: { outcome: "selected", optionId } });
    }
  });

  test("allows the permission for a VS Code tool, which asks the user itself", async () => {
    await using fixture = new SessionFixture();
    const { offer } = await fixture.begin();
    offer.list();
    const answer = await fixture.agent.peer.request("session/request_permission", {
      sessionId: "s",
      toolCall: { toolCallId: "x", _meta: { claudeCode: { toolName: `mcp__${offer.server}__lookUp` } } },
      options: OPTIONS,
    });
    deepEqual(answer, { outcome: { outcome: "selected", optionId: "yes" } });
    deepEqual(fixture.notifications, []);
  });

  test("does not allow a tool of this name until the agent has listed VS Code's tools", async () => {
    await using fixture = new SessionFixture();
    const { offer } = await fixture.begin();
    const ask = (toolCallId: string) =>
      fixture.agent.peer.request("session/request_permission", {
        sessionId: "s",
        toolCall: { toolCallId, _meta: { claudeCode: { toolName: `mcp__${offer.server}__lookUp` } } },
        options: OPTIONS,
      });
    deepEqual(await ask("x"), { outcome: { outcome: "selected", optionId: "no" } });
    offer.list();
    deepEqual(await ask("y"), { outcome: { outcome: "selected", optionId: "yes" } });
  });

  test("does not resolve a question that the agent cancelled", async () => {
    await using fixture = new SessionFixture();
    await fixture.begin();
    const asking = fixture.agent.peer.call(
      "session/request_permission",
      { sessionId: "s", toolCall: { toolCallId: "p1", kind: "execute" }, options: OPTIONS },
      () => undefined,
    );
    await fixture.settle();
    ok(fixture.questionId !== undefined);
    asking.cancel();
    await fixture.settle();
    let taken: boolean | undefined;
    fixture.session.decide(fixture.questionId, isTaken => {
      taken = isTaken;
    });
    await fixture.settle();
    equal(taken, false);
  });
});
