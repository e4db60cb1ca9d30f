import { deepEqual, equal, ok } from "node:assert/strict";
import type { ExtensionConfig } from "../../src/protocol/agents/extensions";
import { LM_DEFAULTS } from "../../src/protocol/lm/lm";
import { isSideSession } from "../proxies/side-session";
import { chatOf, lines, LmFixture } from "../testing/sessions/lm-fixture";
import { SessionFixture } from "../testing/sessions/session-fixture";
import { IDLE_MS } from "./live-sessions";

const extension = (id: string): ExtensionConfig => ({
  id,
  name: id,
  distribution: { local: { command: id } },
  _source: "custom",
});
const SENTENCE = "The agent extension “One” is skipped: it said *no* <b>.";
const LINE = "The agent extension “One” is skipped: it said \\*no\\* \\<b\\>\. This chat continues without it.";

suite("extensions in VS Code's chat", () => {
  test("keeps the chat's extensions after its session closed, and uses new ones in a new chat", async () => {
    await using fixture = new LmFixture();
    fixture.extensions = [extension("one"), extension("two")];
    const chat = chatOf("a");
    await fixture.turn(chat, "One", "1");
    fixture.extensions = [extension("two")];
    fixture.clock.advance(IDLE_MS);
    await fixture.settle();
    await fixture.turn(chat, "Two", "2");
    await fixture.turn(chatOf("b"), "Other", "3");
    deepEqual(fixture.behind, ["one two", "one two", "two"]);
  });

  test("uses the current extensions for a side request", async () => {
    await using fixture = new LmFixture();
    fixture.service.handlers["settings/languageModel"]({ ...LM_DEFAULTS, sideRequests: "agent" });
    fixture.extensions = [extension("one")];
    fixture.missing = [{ id: "one", sentence: SENTENCE }];
    const id = fixture.request(chatOf("a").side("title"));
    const { request, sessionId } = await fixture.prompted();
    fixture.agent.report(sessionId, "A title");
    request.respond({ stopReason: "end_turn" });
    await fixture.settle();
    deepEqual([fixture.behind, fixture.text(id)], [["one"], "A title"]);
  });

  for (const [whose, start, isSide] of [
    ["of the chat", {}, false],
    ["for a single answer", { isOneShot: true }, true],
    ["of another extension of VS Code", { isForeign: true }, true],
  ] as const)
    test(`marks a session ${whose} as ${isSide ? "a side session" : "a chat session"}`, async () => {
      await using fixture = new SessionFixture(start);
      fixture.ask(1);
      equal(isSideSession((await fixture.open()).request.params), isSide);
    });

  test("reports a missing extension once before the first answer and includes it in the chat's identity", async () => {
    await using fixture = new LmFixture();
    fixture.missing = [{ id: "one", sentence: SENTENCE }];
    const chat = chatOf("a");
    await fixture.turn(chat, "One", "1");
    deepEqual(lines(fixture, 1).slice(0, 2), [`1: ${LINE}`, "1: \n\n1"]);
    const prompt = await fixture.turn(chat, "Two", "2");
    ok(prompt.startsWith("s1 Two") && !prompt.includes("One"));
    equal(fixture.text(2), "2");
    await fixture.agent.die();
    await fixture.settle();
    await fixture.turn(chat, "Three", "3");
    deepEqual([fixture.agents.length, fixture.text(3)], [2, "3"]);
    await fixture.turn(chatOf("b"), "One", "1");
    equal(fixture.text(4), `${LINE}\n\n1`);
  });

  test("reports missing tools once at the end of the answer and as a warning in the log", async () => {
    await using fixture = new LmFixture();
    const id = fixture.ask(chatOf("a"), "One");
    const { request, sessionId } = await fixture.prompted();
    fixture.agent.report(sessionId, "1");
    await fixture.settle();
    fixture.missingTools = "Ada did not request the tools of VS Code (0 of 9).";
    fixture.toolLines = ["Notes: 1 offered", "VS Code: 9 offered"];
    for (let i = 0; i < 2; i++) fixture.onToolChange();
    request.respond({ stopReason: "end_turn" });
    await fixture.settle();
    equal(
      fixture.text(id),
      "1\n\nAda did not request the tools of VS Code (0 of 9). Tools of this chat: Notes: 1 offered; VS Code: 9 offered.",
    );
  });

  test("shows the notice of a cancelled first request before the next answer", async () => {
    await using fixture = new SessionFixture();
    fixture.missing = [{ id: "one", sentence: SENTENCE }];
    fixture.ask(1);
    fixture.session.cancel(1);
    await fixture.open();
    deepEqual(fixture.notifications, ["end 1"]);
    fixture.ask(2);
    await fixture.prompted();
    fixture.agent.report("s", "2");
    await fixture.settle();
    deepEqual(fixture.notifications.slice(1), [`2: ${LINE}`, "2: \n\n2"]);
  });

  test("omits the notice in a chat that continues a session of an earlier process", async () => {
    const chat = chatOf("a");
    let kept: LmFixture;
    {
      await using fixture = new LmFixture();
      await fixture.turn(chat, "One", "1");
      kept = fixture;
    }
    await using fixture = new LmFixture(kept);
    fixture.initialized = { protocolVersion: 1, agentCapabilities: { loadSession: true } };
    fixture.missing = [{ id: "one", sentence: SENTENCE }];
    const requestId = fixture.ask(chat, "Two");
    await fixture.settle();
    (await fixture.agent.next("session/load")).respond({});
    const { request, sessionId } = await fixture.prompted();
    fixture.agent.report(sessionId, "2");
    request.respond({ stopReason: "end_turn" });
    await fixture.settle();
    equal(fixture.text(requestId), "2");
  });

  test("adds no notice to the answer to another extension's request", async () => {
    await using fixture = new LmFixture();
    fixture.missing = [{ id: "one", sentence: SENTENCE }];
    const id = fixture.request({
      modelId: "m",
      agent: { eliza: {} },
      options: { requestInitiator: "other.caller" },
      messages: [{ role: "user", content: [{ type: "text", value: "JSON, please" }] }],
    });
    const { request, sessionId } = await fixture.prompted();
    fixture.agent.report(sessionId, "{}");
    request.respond({ stopReason: "end_turn" });
    await fixture.settle();
    equal(fixture.text(id), "{}");
  });
});
