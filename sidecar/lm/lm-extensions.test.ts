import { deepEqual, equal, ok } from "node:assert/strict";
import type { ExtensionConfig } from "../../src/protocol/extensions";
import { LM_DEFAULTS } from "../../src/protocol/lm";
import { isSideSession } from "../proxies/side-session";
import { chatOf, lines, LmWorld } from "../testing/lm-world";
import { SessionWorld } from "../testing/session-world";
import { IDLE_MS } from "./live";

const extension = (id: string): ExtensionConfig => ({
  id,
  name: id,
  distribution: { local: { command: id } },
  _source: "custom",
});
const SENTENCE = "The agent extension “One” is left out: it said *no* <b>.";
const LINE = "The agent extension “One” is left out: it said \\*no\\* \\<b\\>. This chat goes on without it.";

suite("extensions in VS Code's chat", () => {
  test("a chat has those of when it began, also when its session was closed meanwhile; the next chat has others", async () => {
    await using world = new LmWorld();
    world.extensions = [extension("one"), extension("two")];
    const chat = chatOf("a");
    await world.turn(chat, "One", "1");
    world.extensions = [extension("two")];
    world.clock.advance(IDLE_MS);
    await world.settle();
    await world.turn(chat, "Two", "2");
    await world.turn(chatOf("b"), "Other", "3");
    deepEqual(world.behind, ["one two", "one two", "two"]);
  });

  test("an answer beside the chats has those of now", async () => {
    await using world = new LmWorld();
    world.service.handlers["settings/languageModel"]({ ...LM_DEFAULTS, sideRequests: "agent" });
    world.extensions = [extension("one")];
    world.missing = [{ id: "one", sentence: SENTENCE }];
    const id = world.request(chatOf("a").side("title"));
    const { request, sessionId } = await world.prompted();
    world.agent.say(sessionId, "A title");
    request.respond({ stopReason: "end_turn" });
    await world.settle();
    deepEqual([world.behind, world.text(id)], [["one"], "A title"]);
  });

  for (const [whose, start, isSide] of [
    ["of the chat", {}, false],
    ["for one answer", { isAside: true }, true],
    ["of another extension of VS Code", { isForeign: true }, true],
  ] as const)
    test(`a session ${whose} is ${isSide ? "left as it is" : "what they are for"}`, async () => {
      await using world = new SessionWorld(start);
      world.ask(1);
      equal(isSideSession((await world.open()).request.params), isSide);
    });

  test("one that is not there is a line before the first answer, once, and the chat is known by it", async () => {
    await using world = new LmWorld();
    world.missing = [{ id: "one", sentence: SENTENCE }];
    const chat = chatOf("a");
    await world.turn(chat, "One", "1");
    deepEqual(lines(world, 1).slice(0, 2), [`1: ${LINE}`, "1: \n\n1"]);
    const prompt = await world.turn(chat, "Two", "2");
    ok(prompt.startsWith("s1 Two") && !prompt.includes("One"));
    equal(world.text(2), "2");
    await world.agent.die();
    await world.settle();
    await world.turn(chat, "Three", "3");
    deepEqual([world.agents.length, world.text(3)], [2, "3"]);
    await world.turn(chatOf("b"), "One", "1");
    equal(world.text(4), `${LINE}\n\n1`);
  });

  test("missing tools are a line at the end of the answer, once, and a warning in the log", async () => {
    await using world = new LmWorld();
    const id = world.ask(chatOf("a"), "One");
    const { request, sessionId } = await world.prompted();
    world.agent.say(sessionId, "1");
    await world.settle();
    world.missingTools = "Ada did not request the tools of VS Code (0 of 9).";
    for (let i = 0; i < 2; i++) world.onToolChange();
    request.respond({ stopReason: "end_turn" });
    await world.settle();
    equal(world.text(id), "1\n\nAda did not request the tools of VS Code (0 of 9).");
  });

  test("what nobody could be told, because the first request was cancelled, is said before the next answer", async () => {
    await using world = new SessionWorld();
    world.missing = [{ id: "one", sentence: SENTENCE }];
    world.ask(1);
    world.session.cancel(1);
    await world.open();
    deepEqual(world.told, ["end 1"]);
    world.ask(2);
    await world.prompted();
    world.agent.say("s", "2");
    await world.settle();
    deepEqual(world.told.slice(1), [`2: ${LINE}`, "2: \n\n2"]);
  });

  test("a chat that goes on with its session of an earlier process was told then", async () => {
    const chat = chatOf("a");
    let kept: LmWorld;
    {
      await using world = new LmWorld();
      await world.turn(chat, "One", "1");
      kept = world;
    }
    await using world = new LmWorld(kept);
    world.initialized = { protocolVersion: 1, agentCapabilities: { loadSession: true } };
    world.missing = [{ id: "one", sentence: SENTENCE }];
    const requestId = world.ask(chat, "Two");
    await world.settle();
    (await world.agent.next("session/load")).respond({});
    const { request, sessionId } = await world.prompted();
    world.agent.say(sessionId, "2");
    request.respond({ stopReason: "end_turn" });
    await world.settle();
    equal(world.text(requestId), "2");
  });

  test("another extension's request is answered with the agent's words alone", async () => {
    await using world = new LmWorld();
    world.missing = [{ id: "one", sentence: SENTENCE }];
    const id = world.request({
      modelId: "m",
      agent: { eliza: {} },
      options: { requestInitiator: "other.caller" },
      messages: [{ role: "user", content: [{ type: "text", value: "JSON, please" }] }],
    });
    const { request, sessionId } = await world.prompted();
    world.agent.say(sessionId, "{}");
    request.respond({ stopReason: "end_turn" });
    await world.settle();
    equal(world.text(id), "{}");
  });
});
