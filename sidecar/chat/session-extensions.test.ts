import { deepEqual, equal } from "node:assert/strict";
import type { ExtensionConfig } from "../../src/protocol/agents/extensions";
import type { ExtensionDetails, ToolDelivery } from "../../src/protocol/chat/session-details";
import { NEVER, Fixture } from "../testing/sessions/chat-fixture";

const extension = (id: string, name = id): ExtensionConfig => ({
  id,
  name,
  distribution: { local: { command: id } },
  _source: "custom",
});
const INSTALLING = { phase: "installing" } as const;
const startOf = (fixture: Fixture, id: string) => fixture.shown.get(id)?.start;
const noticesOf = (fixture: Fixture, id: string) =>
  fixture.entries(id).flatMap(entry => (entry.kind === "notice" ? [[entry.severity, entry.text, entry.actions]] : []));

suite("session with extensions", () => {
  test("keeps the extensions of its start; a changed list applies to the next session", async () => {
    await using fixture = new Fixture();
    fixture.extensions = [extension("one"), extension("two")];
    await fixture.open();
    await fixture.settle();
    fixture.extensions = [extension("two")];
    await fixture.open();
    await fixture.settle();
    await fixture.open();
    await fixture.settle();
    deepEqual(fixture.behind, ["one two", "two"]);
  });

  test("keeps its extensions when the agent restarts, by the user or after an exit", async () => {
    await using fixture = new Fixture();
    fixture.extensions = [extension("one")];
    const id = await fixture.open();
    await fixture.settle();
    fixture.extensions = [];
    await fixture.service.handlers["chat/restartAgent"]({ sessionId: id }, NEVER);
    await fixture.settle();
    await fixture.agents[1]!.die();
    await fixture.prompt(id, "hello");
    await fixture.agents.at(-1)?.next("session/prompt");
    deepEqual([...new Set(fixture.behind)], ["one"]);
  });

  test("shows one notice for a missing extension, with a link to the log", async () => {
    await using fixture = new Fixture();
    fixture.missing = [
      { id: "one", sentence: "The agent extension “One” is skipped: it hangs." },
      { id: "two", sentence: "The agent extension “Two” was not found." },
    ];
    const id = await fixture.open();
    await fixture.prompt(id, "hello");
    (await fixture.agents[0]!.next("session/prompt")).respond({ stopReason: "end_turn" });
    await fixture.settle();
    const notices = [
      [
        "warning",
        "The agent extension “One” is skipped: it hangs. This conversation continues without it.",
        ["showLogs"],
      ],
      ["warning", "The agent extension “Two” was not found. This conversation continues without it.", ["showLogs"]],
    ];
    deepEqual(noticesOf(fixture, id).slice(0, 2), notices);
    equal(fixture.shown.get(id)?.turn.state, "idle");
    await fixture.service.handlers["chat/restartAgent"]({ sessionId: id }, NEVER);
    await fixture.settle();
    deepEqual(
      noticesOf(fixture, id).filter(([severity]) => severity === "warning"),
      notices,
    );
  });

  test("includes the extensions in the conversation's details, from its start and after changes", async () => {
    await using fixture = new Fixture();
    fixture.initialized = {
      protocolVersion: 1,
      agentCapabilities: {},
      agentInfo: { name: "ada-acp", version: "1.2.0" },
    };
    const before: ExtensionDetails = { id: "one", name: "One", setup: { added: ["git"] } },
      after: ExtensionDetails = { ...before, time: { setup: 3 } };
    fixture.doing = [before, { id: "two", name: "Two", leftOut: "It hangs." }];
    const id = await fixture.open();
    await fixture.settle();
    deepEqual(fixture.shown.get(id)?.details, {
      program: { name: "ada-acp", version: "1.2.0" },
      extensions: fixture.doing,
    });
    fixture.doing = [after];
    for (const changed of fixture.hearing) changed();
    await fixture.settle();
    deepEqual(fixture.shown.get(id)?.details?.extensions, [after]);
    const { [id]: seq } = fixture.seqs;
    for (const changed of fixture.hearing) changed();
    await fixture.settle();
    equal(fixture.seqs[id], seq); // a repeated state sends no event
  });

  test("shows missing tools in one notice and in the details", async () => {
    await using fixture = new Fixture();
    fixture.doing = [{ id: "one", name: "One" }];
    const id = await fixture.open(),
      sentence = "Ada did not request the tools of One (0 of 9): it did not connect to any of these MCP servers.";
    await fixture.settle();
    equal(fixture.shown.get(id)?.details?.missingTools, undefined);
    fixture.missingTools = sentence;
    for (let i = 0; i < 2; i++) {
      fixture.doing = [{ id: "one", name: "One", time: { setup: i } }];
      for (const changed of fixture.hearing) changed();
      await fixture.settle();
    }
    deepEqual(
      [noticesOf(fixture, id), fixture.shown.get(id)?.details?.missingTools],
      [[["warning", sentence, ["showLogs"]]], sentence],
    );
  });

  test("reports tools that the agent lists later, but not after another session setup", async () => {
    await using fixture = new Fixture();
    const first = (stage: ToolDelivery["stage"]): ExtensionDetails => {
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
    fixture.doing = [first("offered")];
    const id = await fixture.open(),
      sentence = "Ada did not request the tools of One (0 of 2).";
    const change = async (missing: string | undefined, stage: ToolDelivery["stage"]): Promise<void> => {
      fixture.missingTools = missing;
      fixture.doing = [first(stage)];
      for (const changed of fixture.hearing) changed();
      await fixture.settle();
    };
    await fixture.settle();
    await change(sentence, "offered");
    await change(undefined, "listed");
    const arrived = ["info", "Ada has requested the missing tools now: its model has them.", []];
    deepEqual(noticesOf(fixture, id), [["warning", sentence, ["showLogs"]], arrived]);
    await change(sentence, "offered");
    await change(undefined, "connected");
    deepEqual(noticesOf(fixture, id).length, 3);
  });

  test("drops the extension status of a replaced agent", async () => {
    await using fixture = new Fixture();
    fixture.doing = [{ id: "one", name: "One" }];
    const id = await fixture.open();
    await fixture.settle();
    const [changed] = fixture.hearing;
    await fixture.service.handlers["chat/restartAgent"]({ sessionId: id }, NEVER);
    await fixture.settle();
    deepEqual([fixture.hearing.size, changed && fixture.hearing.has(changed)], [1, false]);
    await fixture.service.handlers["chat/close"]({ sessionId: id }, NEVER);
    await fixture.settle();
    equal(fixture.hearing.size, 0);
  });

  test("shows no details without extensions", async () => {
    await using fixture = new Fixture();
    const id = await fixture.open();
    await fixture.settle();
    equal(fixture.shown.get(id)?.details, undefined);
  });

  test("notifies every session that shares the process", async () => {
    await using fixture = new Fixture();
    fixture.missing = [{ id: "one", sentence: "The agent extension “One” is skipped: it hangs." }];
    const [a, b] = [await fixture.open(), await fixture.open()];
    await fixture.settle();
    deepEqual([fixture.agents.length, noticesOf(fixture, a).length, noticesOf(fixture, b).length], [1, 1, 1]);
  });

  test("shows an installation in the waiting sessions and suspends their start timeout", async () => {
    await using fixture = new Fixture();
    fixture.manual = ["initialize"];
    const without = await fixture.open();
    fixture.extensions = [extension("one", "One")];
    const id = await fixture.open();
    for (const [kind, extensionId] of [
      ["extension", "other"],
      ["extension", "one"],
      ["extension", "one"],
      ["agent", "one"],
    ] as const)
      fixture.service.installing(kind, extensionId, INSTALLING);
    await fixture.settle();
    fixture.clock.advance(40_000);
    await fixture.settle();
    deepEqual(noticesOf(fixture, id), []);
    deepEqual(startOf(fixture, id), {
      kind: "installing",
      of: "extension",
      id: "one",
      name: "One",
      progress: INSTALLING,
    });
    deepEqual(noticesOf(fixture, without).length, 1); // the session without the extension is late
    fixture.service.installing("extension", "one", undefined);
    for (const agent of fixture.agents)
      (await agent.next("initialize")).respond({ protocolVersion: 1, agentCapabilities: {} });
    await fixture.settle();
    fixture.service.installing("extension", "one", INSTALLING); // the session no longer waits for the installation
    await fixture.settle();
    deepEqual([noticesOf(fixture, id), startOf(fixture, id)], [[], undefined]);
  });

  test("suspends the start timeout while the agent or an extension is being installed", async () => {
    await using fixture = new Fixture();
    fixture.manual = ["initialize"];
    fixture.extensions = [extension("ada", "One")];
    const id = await fixture.open();
    fixture.service.installing("extension", "ada", INSTALLING);
    fixture.service.installing("agent", "ada", INSTALLING);
    fixture.service.installing("extension", "ada", INSTALLING);
    await fixture.settle();
    deepEqual(startOf(fixture, id), { kind: "installing", of: "agent", id: "ada", name: "Ada", progress: INSTALLING });
    fixture.service.installing("agent", "ada", undefined);
    await fixture.settle();
    fixture.clock.advance(20_000);
    await fixture.settle();
    deepEqual([noticesOf(fixture, id), startOf(fixture, id)], [[], { kind: "starting" }]);
    fixture.service.installing("extension", "ada", undefined);
    await fixture.settle();
    fixture.clock.advance(20_000);
    await fixture.settle();
    deepEqual(noticesOf(fixture, id), []);
    fixture.clock.advance(10_000);
    await fixture.settle();
    deepEqual(
      noticesOf(fixture, id).map(([, text]) => text),
      ["Ada has not started within 30 seconds. The first start can take long. See the log for its progress."],
    );
    for (const agent of fixture.agents)
      (await agent.next("initialize")).respond({ protocolVersion: 1, agentCapabilities: {} });
    await fixture.settle();
  });
});
