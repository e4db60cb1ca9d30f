/**
 * Delivery of Sparkle's text to a model (issue 14 item 4). The text never replaces the user's text, and requests a tool
 * only if the agent has listed the tool.
 */
import { deepEqual, doesNotMatch, equal, match, ok } from "node:assert/strict";
import fc from "fast-check";
import { arrayOr, objectOr, type JsonObject } from "../../rpc/json";
import { deferred } from "../../../src/protocol/wire/deferred";
import { turn } from "../../testing/turn";
import { partsOf, Sparkled, TOOLS, words, type SparkledOptions } from "../../testing/extensions/sparkle-fixture";
import { HTTP_AGENT } from "../../testing/mcp/mcp-fixture";
import { LISTING_MS } from "../../proxies/tool-listing";
import { propertyRuns } from "../../../src/protocol/testing/property-runs";

const namesTool = (value: unknown): boolean => TOOLS.some(tool => JSON.stringify(value).includes(tool));

const MEMBER = {
  ...HTTP_AGENT,
  agentCapabilities: { ...HTTP_AGENT.agentCapabilities, sessionCapabilities: { systemPrompt: {} } },
};
const META = { ...HTTP_AGENT, agentInfo: { name: "@agentclientprotocol/claude-agent-acp", version: "0.60.0" } };
const AGENTS = { none: HTTP_AGENT, member: MEMBER, meta: META };

/** The system prompt of the latest setup that the agent received, for either kind of support. */
function systemText({ fixture }: Sparkled): string {
  const { systemPrompt, _meta } = fixture.setups.at(-1)?.params ?? {};
  return [
    ...arrayOr(objectOr(systemPrompt).content).map(block => String(objectOr(block).text)),
    String(objectOr(objectOr(_meta).systemPrompt).append ?? ""),
  ].join("");
}

async function opened(options: SparkledOptions = {}): Promise<Sparkled> {
  const sparkled = await Sparkled.open(options);
  sparkled.keep(".sparkle/collaborator-profile.md", "# Mary\n\nShort answers.\n");
  return sparkled;
}

/** A bridge whose response to the request for a session's tools the test controls. */
class DeferredBridge {
  readonly asked = deferred<JsonObject>();
  readonly answer = deferred<unknown>();
  readonly delivery = (request: { readonly params: unknown }): Promise<unknown> => {
    this.asked.resolve(objectOr(request.params));
    return this.answer.promise;
  };
}

const NOTES = "Focus: the parser.";
const keepNotes = (sparkled: Sparkled): void => sparkled.keep("work/.sparkle-space/working-memory.md", `${NOTES}\n`);

suite("Sparkle text in prompts", () => {
  const block = fc.oneof(
    fc.constantFrom("hello", "/checkpoint", "/checkpoint it ", "meta moment\n", "/init", "", "save it").map(words),
    fc.constant({ type: "image", data: "" }),
  );

  test("follows the unchanged user blocks and names only listed tools", () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom("none" as const, "member" as const, "meta" as const),
        fc.boolean(),
        fc.boolean(),
        fc.constantFrom("first-prompt", "off"),
        fc.array(fc.array(block, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
        async (agent, isListed, hasNotes, embodiment, prompts) => {
          await using sparkled = await opened({ initialized: AGENTS[agent], settings: { embodiment } });
          if (hasNotes) keepNotes(sparkled);
          const sessionId = await sparkled.session();
          equal(namesTool(systemText(sparkled)), false);
          if (isListed) await sparkled.list();
          for (const prompt of prompts) {
            await sparkled.prompt(sessionId, ...prompt);
            deepEqual(sparkled.last.slice(0, prompt.length), prompt);
            const added = sparkled.last.slice(prompt.length),
              hasWords = prompt.some(item => "text" in item);
            for (const each of added) deepEqual(objectOr(each).annotations, { audience: ["assistant"] });
            if (!isListed) equal(namesTool(added), false);
            if (!hasWords) deepEqual(added, []);
          }
          const all = sparkled.prompts.flatMap(({ prompt }) => partsOf(prompt)),
            isSent = prompts.some(prompt => {
              const first = prompt.find(item => "text" in item);
              return first !== undefined && objectOr(first).text !== "/init";
            });
          equal(
            all.filter(part => part === "embodiment").length,
            embodiment === "off" || !isSent ? 0 : agent === "none" || hasNotes ? 1 : 0,
            "once, where the system prompt has not all of it",
          );
        },
      ),
      { numRuns: propertyRuns(60) },
    )).timeout(60_000);

  test("describes the tools only to an agent that listed them", async () => {
    for (const isListed of [true, false]) {
      await using sparkled = await opened();
      const sessionId = await sparkled.session();
      if (isListed) await sparkled.list();
      await sparkled.prompt(sessionId, words("/checkpoint after this meta moment"));
      deepEqual(sparkled.lastParts, ["/checkpoint after this meta moment", "embodiment", "checkpoint", "meta-moment"]);
      for (const text of sparkled.last.slice(1).map(item => String(objectOr(item).text)))
        equal(namesTool(text), isListed);
      equal(/nothing can be saved here/.test(JSON.stringify(sparkled.last)), !isListed);
    }
  });

  test("does not count the bridge's tool count as a list request of the agent", async () => {
    await using sparkled = await opened();
    const sessionId = await sparkled.session();
    for (const text of ["hello", "meta moment"]) await sparkled.prompt(sessionId, words(text));
    deepEqual([sparkled.lastParts, namesTool(sparkled.last)], [["meta moment", "meta-moment"], false]);
  });

  test("queues a prompt that would name tools until the agent lists them", async () => {
    const bridge = new DeferredBridge();
    await using sparkled = await opened({
      delivery: bridge.delivery,
    });
    const sessionId = await sparkled.session(),
      answered = sparkled.prompt(sessionId, words("hello"));
    deepEqual(await bridge.asked.promise, { sessionId, wait: true });
    equal(sparkled.prompts.length, 0);
    await sparkled.list();
    await answered;
    ok(namesTool(sparkled.last));
    bridge.answer.resolve({});
  });

  test("sends the prompt without tool names after a time limit or without a bridge", async () => {
    for (const isAnswered of [true, false]) {
      const bridge = new DeferredBridge();
      await using sparkled = await opened({
        delivery: bridge.delivery,
      });
      const answered = sparkled.prompt(await sparkled.session(), words("hello"));
      await bridge.asked.promise;
      if (isAnswered) bridge.answer.reject(new Error("no bridge"));
      else {
        sparkled.clock.advance(LISTING_MS - 1);
        await turn();
        equal(sparkled.prompts.length, 0);
        sparkled.clock.advance(1);
      }
      await answered;
      deepEqual([sparkled.lastParts, namesTool(sparkled.last)], [["hello", "embodiment"], false]);
      bridge.answer.resolve({});
    }
  });

  test("keeps the order of prompts while one is queued", async () => {
    const bridge = new DeferredBridge();
    await using sparkled = await opened({
      delivery: bridge.delivery,
    });
    const sessionId = await sparkled.session(),
      answered = [words("one"), words("two"), words("/init")].map(prompt => sparkled.prompt(sessionId, prompt));
    await bridge.asked.promise;
    bridge.answer.resolve({});
    await Promise.all(answered);
    deepEqual(
      sparkled.prompts.map(({ prompt }) => partsOf(prompt)),
      [["one", "embodiment"], ["two"], ["/init"]],
    );
  });

  test("ends a queued prompt of a cancelled turn without sending it", async () => {
    const bridge = new DeferredBridge();
    await using sparkled = await opened({
      delivery: bridge.delivery,
    });
    const sessionId = await sparkled.session(),
      answered = sparkled.prompt(sessionId, words("hello"));
    await bridge.asked.promise;
    sparkled.fixture.client.notify("session/cancel", { sessionId });
    deepEqual([await answered, sparkled.prompts.length], [{ stopReason: "cancelled" }, 0]);
    bridge.answer.resolve({});
  });

  test("sends the embodiment with the next prompt after all queued prompts were cancelled", async () => {
    const bridge = new DeferredBridge();
    await using sparkled = await opened({
      delivery: bridge.delivery,
    });
    const sessionId = await sparkled.session(),
      queued = ["one", "two"].map(text => sparkled.prompt(sessionId, words(text)));
    await bridge.asked.promise;
    sparkled.fixture.client.notify("session/cancel", { sessionId });
    const answers = await Promise.all(queued);
    bridge.answer.resolve({});
    await sparkled.prompt(sessionId, words("three"));
    deepEqual(answers, [{ stopReason: "cancelled" }, { stopReason: "cancelled" }]);
    deepEqual(
      sparkled.prompts.map(({ prompt }) => partsOf(prompt)),
      [["three", "embodiment"]],
    );
  });

  test("ends a cancelled turn with updates in version 2, where the prompt response only acknowledges the prompt", async () => {
    const bridge = new DeferredBridge();
    const initialized = { protocolVersion: 2, capabilities: { session: { mcp: { http: {} } } } };
    await using sparkled = await opened({
      initialized,
      delivery: bridge.delivery,
    });
    const sessionId = await sparkled.session(),
      answered = sparkled.prompt(sessionId, words("hello"));
    await bridge.asked.promise;
    sparkled.fixture.client.notify("session/cancel", { sessionId });
    equal(typeof objectOr(await answered).messageId, "string");
    deepEqual(
      sparkled.notifications,
      [{ state: "running" }, { state: "idle", stopReason: "cancelled" }].map(state => [
        "session/update",
        { sessionId, update: { sessionUpdate: "state_update", ...state } },
      ]),
    );
    bridge.answer.resolve({});
  });
});

suite("Sparkle in the agent's system prompt", () => {
  for (const agent of ["member", "meta"] as const)
    test(`is set where supported (${agent}), and prompts stay unchanged`, async () => {
      await using sparkled = await opened({ initialized: AGENTS[agent] });
      const sessionId = await sparkled.session();
      match(systemText(sparkled), /^<sparkle part="embodiment">\n[^]*Short answers\.[^]*<\/sparkle>$/);
      await sparkled.prompt(sessionId, words("hello"));
      deepEqual(sparkled.last, [words("hello")]);
      await sparkled.list();
      await sparkled.prompt(sessionId, words("meta moment"));
      deepEqual(sparkled.lastParts, ["meta moment", "meta-moment"]);
    });

  test("follows the client's own system prompt", async () => {
    await using sparkled = await opened({ initialized: MEMBER });
    await sparkled.session("session/new", {
      systemPrompt: { mode: "override", content: [words("Be brief.")] },
      _meta: { other: 1 },
    });
    const { systemPrompt, _meta } = sparkled.fixture.setups.at(-1)?.params ?? {},
      { mode, content } = objectOr(systemPrompt);
    deepEqual([mode, partsOf(arrayOr(content)), _meta], ["override", ["Be brief.", "embodiment"], { other: 1 }]);
  });

  test("stays the same at each setup of a session and is new for a new session", async () => {
    await using sparkled = await opened({ initialized: MEMBER });
    const sessionId = await sparkled.session(),
      first = systemText(sparkled);
    sparkled.keep(".sparkle/collaborator-profile.md", "# Mary\n\nLong answers.\n");
    for (const method of ["session/load", "session/resume", "session/fork"]) {
      await sparkled.session(method, { sessionId });
      equal(systemText(sparkled), first, method);
    }
    for (const method of ["session/new", "session/load"]) {
      await sparkled.session(method, { sessionId: "from an earlier process" });
      match(systemText(sparkled), /Long answers/, method);
    }
  });

  test("asks for the workspace notes with the first prompt and includes them from the next session", async () => {
    const asked: string[] = [];
    await using sparkled = await opened({
      initialized: MEMBER,
      client: request => {
        asked.push(request.method);
        request.respond({ outcome: { outcome: "selected", optionId: "always" } });
      },
    });
    keepNotes(sparkled);
    const sessionId = await sparkled.session();
    doesNotMatch(systemText(sparkled), /the parser/);
    deepEqual(asked, []);
    await sparkled.prompt(sessionId, words("hello"));
    deepEqual([asked, sparkled.lastParts], [["session/request_permission"], ["hello", "embodiment"]]);
    match(JSON.stringify(sparkled.last), /the parser/);
    doesNotMatch(JSON.stringify(sparkled.last), /Short answers/);
    const next = await sparkled.session();
    match(systemText(sparkled), /the parser/);
    await sparkled.prompt(next, words("hello"));
    deepEqual([asked.length, sparkled.last], [1, [words("hello")]]);
  });

  test("is not set if the embodiment is off or the session belongs to another extension", async () => {
    await using sparkled = await opened({ initialized: MEMBER, settings: { embodiment: "off" } });
    await sparkled.session();
    equal("systemPrompt" in (sparkled.fixture.setups.at(-1)?.params ?? {}), false);
  });
});
