import { deepEqual, equal } from "node:assert/strict";
import type { ExtensionConfig } from "../../src/protocol/extensions";
import type { ExtensionDetails, ToolDelivery } from "../../src/protocol/session-details";
import { NEVER, World } from "../testing/chat-world";

const extension = (id: string, name = id): ExtensionConfig => ({
  id,
  name,
  distribution: { local: { command: id } },
  _source: "custom",
});
const told = (world: World, id: string) =>
  world.entries(id).flatMap(entry => (entry.kind === "notice" ? [[entry.severity, entry.text, entry.actions]] : []));

suite("extensions of a session", () => {
  test("are those that were there when it began; a changed list is for the next", async () => {
    await using world = new World();
    world.extensions = [extension("one"), extension("two")];
    await world.open();
    await world.settle();
    world.extensions = [extension("two")];
    await world.open();
    await world.settle();
    await world.open();
    await world.settle();
    deepEqual(world.behind, ["one two", "two"]);
  });

  test("stay with it when its agent is started again, by a person or after its death", async () => {
    await using world = new World();
    world.extensions = [extension("one")];
    const id = await world.open();
    await world.settle();
    world.extensions = [];
    await world.service.handlers["chat/restartAgent"]({ sessionId: id }, NEVER);
    await world.settle();
    await world.agents[1]!.die();
    await world.prompt(id, "hello");
    await world.agents.at(-1)?.next("session/prompt");
    deepEqual([...new Set(world.behind)], ["one"]);
  });

  test("one that is not there is told once, with a way to the log, and the conversation goes on", async () => {
    await using world = new World();
    world.missing = [
      { id: "one", sentence: "The agent extension “One” is left out: it hangs." },
      { id: "two", sentence: "The agent extension “Two” was not found." },
    ];
    const id = await world.open();
    await world.prompt(id, "hello");
    (await world.agents[0]!.next("session/prompt")).respond({ stopReason: "end_turn" });
    await world.settle();
    const notices = [
      [
        "warning",
        "The agent extension “One” is left out: it hangs. This conversation goes on without it.",
        ["showLogs"],
      ],
      ["warning", "The agent extension “Two” was not found. This conversation goes on without it.", ["showLogs"]],
    ];
    deepEqual(told(world, id).slice(0, 2), notices);
    equal(world.shown.get(id)?.turn.state, "idle");
    await world.service.handlers["chat/restartAgent"]({ sessionId: id }, NEVER);
    await world.settle();
    deepEqual(
      told(world, id).filter(([severity]) => severity === "warning"),
      notices,
    );
  });

  test("what they do is part of the conversation, from the session's beginning, and again when it is another", async () => {
    await using world = new World();
    world.initialized = { protocolVersion: 1, agentCapabilities: {}, agentInfo: { name: "ada-acp", version: "1.2.0" } };
    const before: ExtensionDetails = { id: "one", name: "One", setup: { added: ["git"] } },
      after: ExtensionDetails = { ...before, time: { setup: 3 } };
    world.doing = [before, { id: "two", name: "Two", leftOut: "It hangs." }];
    const id = await world.open();
    await world.settle();
    deepEqual(world.shown.get(id)?.details, {
      program: { name: "ada-acp", version: "1.2.0" },
      extensions: world.doing,
    });
    world.doing = [after];
    for (const changed of world.hearing) changed();
    await world.settle();
    deepEqual(world.shown.get(id)?.details?.extensions, [after]);
    const { [id]: seq } = world.seqs;
    for (const changed of world.hearing) changed();
    await world.settle();
    equal(world.seqs[id], seq); // the same again is no news
  });

  test("shows missing tools as a notice, once, and among the details", async () => {
    await using world = new World();
    world.doing = [{ id: "one", name: "One" }];
    const id = await world.open(),
      sentence = "Ada did not request the tools of One (0 of 9): it did not connect to any of these MCP servers.";
    await world.settle();
    equal(world.shown.get(id)?.details?.missingTools, undefined);
    world.missingTools = sentence;
    for (let i = 0; i < 2; i++) {
      world.doing = [{ id: "one", name: "One", time: { setup: i } }];
      for (const changed of world.hearing) changed();
      await world.settle();
    }
    deepEqual(
      [told(world, id), world.shown.get(id)?.details?.missingTools],
      [[["warning", sentence, ["showLogs"]]], sentence],
    );
  });

  test("says that the missing tools arrived when the agent lists them later, and not when its session is set up anew", async () => {
    await using world = new World();
    const one = (stage: ToolDelivery["stage"]): ExtensionDetails => {
      const tools: ToolDelivery = {
        server: "one",
        transport: "http",
        stage,
        offered: 2,
        connections: 0,
        listed: 0,
        calls: 0,
      };
      return { id: "one", name: "One", tools: [tools] };
    };
    world.doing = [one("offered")];
    const id = await world.open(),
      sentence = "Ada did not request the tools of One (0 of 2).";
    const change = async (missing: string | undefined, stage: ToolDelivery["stage"]): Promise<void> => {
      world.missingTools = missing;
      world.doing = [one(stage)];
      for (const changed of world.hearing) changed();
      await world.settle();
    };
    await world.settle();
    await change(sentence, "offered");
    await change(undefined, "listed");
    const arrived = ["info", "Ada has requested the missing tools now: its model has them.", []];
    deepEqual(told(world, id), [["warning", sentence, ["showLogs"]], arrived]);
    await change(sentence, "offered");
    await change(undefined, "connected");
    deepEqual(told(world, id).length, 3);
  });

  test("what those of an agent did that was left is nobody's any more", async () => {
    await using world = new World();
    world.doing = [{ id: "one", name: "One" }];
    const id = await world.open();
    await world.settle();
    const [changed] = world.hearing;
    await world.service.handlers["chat/restartAgent"]({ sessionId: id }, NEVER);
    await world.settle();
    deepEqual([world.hearing.size, changed && world.hearing.has(changed)], [1, false]);
    await world.service.handlers["chat/close"]({ sessionId: id }, NEVER);
    await world.settle();
    equal(world.hearing.size, 0);
  });

  test("where there is nothing to tell, nothing is told", async () => {
    await using world = new World();
    const id = await world.open();
    await world.settle();
    equal(world.shown.get(id)?.details, undefined);
  });

  test("each tab that shares the process is told", async () => {
    await using world = new World();
    world.missing = [{ id: "one", sentence: "The agent extension “One” is left out: it hangs." }];
    const [a, b] = [await world.open(), await world.open()];
    await world.settle();
    deepEqual([world.agents.length, told(world, a).length, told(world, b).length], [1, 1, 1]);
  });

  test("one that is being installed is told in the tabs that wait for it, which are not late", async () => {
    await using world = new World();
    world.manual = ["initialize"];
    const without = await world.open();
    world.extensions = [extension("one", "One")];
    const id = await world.open();
    for (const [of, which] of [
      ["extension", "other"],
      ["extension", "one"],
      ["extension", "one"],
      ["agent", "one"],
    ] as const)
      world.service.installing(of, which, true);
    await world.settle();
    world.clock.advance(40_000);
    await world.settle();
    deepEqual(told(world, id), [["info", "The agent extension “One” is being installed. That happens once.", []]]);
    deepEqual(told(world, without).length, 2); // that one is late
    world.service.installing("extension", "one", false);
    for (const agent of world.agents)
      (await agent.next("initialize")).respond({ protocolVersion: 1, agentCapabilities: {} });
    await world.settle();
    world.service.installing("extension", "one", true); // it is not waited for any more
    await world.settle();
    equal(told(world, id).length, 1);
  });

  test("while its agent or an extension is being installed it is not late; after that it is", async () => {
    await using world = new World();
    world.manual = ["initialize"];
    world.extensions = [extension("ada", "One")];
    const id = await world.open();
    world.service.installing("agent", "ada", true);
    world.service.installing("extension", "ada", true);
    world.service.installing("agent", "ada", false);
    await world.settle();
    world.clock.advance(20_000);
    await world.settle();
    const installing = [
        "Ada is being installed. That happens once.",
        "The agent extension “One” is being installed. That happens once.",
      ],
      texts = () => told(world, id).map(([, text]) => text);
    deepEqual(texts(), installing);
    world.service.installing("extension", "ada", false);
    await world.settle();
    world.clock.advance(20_000);
    await world.settle();
    deepEqual(texts(), [
      ...installing,
      "Ada has not started for 30 seconds. The first start can take long; the log says what it does.",
    ]);
    for (const agent of world.agents)
      (await agent.next("initialize")).respond({ protocolVersion: 1, agentCapabilities: {} });
    await world.settle();
  });
});
