import { deepEqual, equal, match, ok } from "node:assert/strict";
import { SessionWorld, callOf, permission, OPTIONS } from "../testing/session-world";

suite("a model's session, what it is asked", () => {
  test("a call that nobody waits for is withdrawn, and its result no stranger's", async () => {
    await using world = new SessionWorld();
    world.ask(1);
    const { offer } = await world.open(),
      gone = new AbortController();
    await world.prompted();
    const answer = callOf(offer, "lookUp", gone.signal);
    await world.quiet();
    gone.abort();
    await answer;
    await world.settle();
    world.agent.say("s", "Never mind.");
    world.back(2, ...world.calls(1));
    await world.settle();
    deepEqual(world.told.slice(2), ["2: Never mind."]);
  });

  test("one that is withdrawn before it was shown is not shown", async () => {
    await using world = new SessionWorld();
    world.ask(1);
    const { offer } = await world.open(),
      gone = new AbortController();
    await world.prompted();
    const first = callOf(offer, "lookUp");
    await world.quiet();
    const second = callOf(offer, "count", gone.signal);
    await world.settle();
    gone.abort();
    await second;
    world.back(2, ...world.calls(1));
    await first;
    await world.quiet();
    deepEqual(world.told, ["1: [lookUp]", "pause 1"]);
  });

  test("a permission is asked by a call of our tool, and given by the decision alone, once", async () => {
    await using world = new SessionWorld();
    await world.begin();
    const first = permission(world.agent, "p1"),
      second = permission(world.agent, "p2", "ls");
    await world.settle();
    const [one, two] = world.words.flatMap(word => (word.kind === "asked" ? [word] : []));
    await world.quiet();
    deepEqual(world.told, ["1: [symposium-agent-codex-execute]", "1: [symposium-agent-codex-execute]", "pause 1"]);
    deepEqual([one?.callId, two?.callId], world.calls(1));
    match(one!.question.message, /rm -rf/);
    const taken: boolean[] = [];
    world.session.decide(one!.questionId, isTaken => taken.push(isTaken));
    world.session.decide(one!.questionId, isTaken => taken.push(isTaken));
    world.session.decide("unknown", isTaken => taken.push(isTaken));
    await world.settle();
    deepEqual(taken, [true, false, false]);
    deepEqual(await first, { outcome: { outcome: "selected", optionId: "yes" } });
    world.back(2, ...world.calls(1));
    deepEqual(await second, { outcome: { outcome: "selected", optionId: "no" } });
    deepEqual(
      world.words.flatMap(word => (word.kind === "settled" ? [word.questionId] : [])),
      [one!.questionId, two!.questionId],
    );
  });

  suite("a permission whose tool VS Code has put behind another one", () => {
    const plain = (name: string, description = name) => ({ name, description, inputSchema: { type: "object" } }),
      action = plain("symposium-agent-action");
    const group = plain(
        "activate_fallback_symposium-agent-codex-edit_1",
        "Contains the tools: symposium-agent-codex-edit, symposium-agent-codex-execute",
      ),
      tools = [action, group];
    async function begin(world: SessionWorld): Promise<void> {
      await world.begin();
    }
    async function called(world: SessionWorld): Promise<void> {
      await world.quiet();
      deepEqual(world.told, [`1: [${group.name}]`, "pause 1"]);
    }

    test("is asked with it when that one has been called", async () => {
      await using world = new SessionWorld({ tools });
      await begin(world);
      const answer = permission(world.agent, "p1");
      await called(world);
      world.session.offer([action, plain("symposium-agent-codex-execute")], false);
      world.back(2, ...world.calls(1));
      await world.quiet();
      deepEqual(world.told.slice(2), ["2: [symposium-agent-codex-execute]", "pause 2"]);
      world.session.decide(world.questionId, () => undefined);
      deepEqual(await answer, { outcome: { outcome: "selected", optionId: "yes" } });
    });

    test("is asked with the tool for all when it is not there even so", async () => {
      await using world = new SessionWorld({ tools });
      await begin(world);
      const answer = permission(world.agent, "p1");
      await called(world);
      world.back(2, ...world.calls(1));
      await world.quiet();
      deepEqual(world.told.slice(2), ["2: [symposium-agent-action]", "pause 2"]);
      world.back(3, ...world.calls(2));
      deepEqual(await answer, { outcome: { outcome: "selected", optionId: "no" } });
    });

    test("is rejected when the turn ends with it, and nobody is asked", async () => {
      await using world = new SessionWorld({ tools });
      await begin(world);
      const answer = permission(world.agent, "p1");
      await called(world);
      await world.session.close("over");
      deepEqual(await answer, { outcome: { outcome: "selected", optionId: "no" } });
      equal(
        world.words.some(({ kind }) => kind === "asked"),
        false,
      );
    });

    test("is not asked when the agent has taken it back", async () => {
      await using world = new SessionWorld({ tools });
      await begin(world);
      const asking = world.agent.peer.call(
        "session/request_permission",
        { sessionId: "s", toolCall: { toolCallId: "p1", kind: "execute" }, options: OPTIONS },
        () => undefined,
      );
      await called(world);
      asking.cancel();
      await world.settle();
      world.session.offer([action, plain("symposium-agent-codex-execute")], false);
      world.back(2, ...world.calls(1));
      await world.quiet();
      equal(
        world.words.some(({ kind }) => kind === "asked"),
        false,
      );
    });
  });

  test("a permission is refused outside of a turn, and where nobody can be asked, with a sentence in the chat", async () => {
    await using world = new SessionWorld({ tools: [] });
    const { prompt } = await world.begin();
    deepEqual(await permission(world.agent, "p1"), { outcome: { outcome: "selected", optionId: "no" } });
    prompt.respond({ stopReason: "end_turn" });
    await world.settle();
    match(world.told[0]!, /^1: Ada asked to .* VS Code cannot ask you in this chat mode/);
    world.policy = "allow";
    deepEqual(await permission(world.agent, "p2"), { outcome: { outcome: "cancelled" } });
  });

  test("what the settings allow is allowed; a foreign caller's agent is refused all the same", async () => {
    for (const [isForeign, optionId] of [
      [false, "yes"],
      [true, "no"],
    ] as const) {
      await using world = new SessionWorld({ isForeign });
      world.policy = "allow";
      await world.begin();
      deepEqual(await permission(world.agent, "p1"), { outcome: { outcome: "selected", optionId } });
    }
  });

  test("a permission for a tool of VS Code's is given at once: VS Code asks", async () => {
    await using world = new SessionWorld();
    const { offer } = await world.begin();
    const answer = await world.agent.peer.request("session/request_permission", {
      sessionId: "s",
      toolCall: { toolCallId: "x", _meta: { claudeCode: { toolName: `mcp__${offer.server}__lookUp` } } },
      options: OPTIONS,
    });
    deepEqual(answer, { outcome: { outcome: "selected", optionId: "yes" } });
    deepEqual(world.told, []);
  });

  test("a question that the agent takes back is not decided", async () => {
    await using world = new SessionWorld();
    await world.begin();
    const asking = world.agent.peer.call(
      "session/request_permission",
      { sessionId: "s", toolCall: { toolCallId: "p1", kind: "execute" }, options: OPTIONS },
      () => undefined,
    );
    await world.settle();
    ok(world.questionId !== undefined);
    asking.cancel();
    await world.settle();
    let taken: boolean | undefined;
    world.session.decide(world.questionId, isTaken => {
      taken = isTaken;
    });
    await world.settle();
    equal(taken, false);
  });
});
