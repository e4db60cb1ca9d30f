import { deepEqual, equal, match, ok } from "node:assert/strict";
import { LM_DEFAULTS, type ChatRequest } from "../../src/protocol/lm/lm";
import { objectOr } from "../rpc/json";
import { chatOf, lines, LmFixture } from "../testing/sessions/lm-fixture";
import { callOf } from "../testing/sessions/session-fixture";
import { ONE_SHOT_LIMIT_MS } from "./session/one-shot-session";

const withoutCorrelation = (request: ChatRequest): ChatRequest => {
  const { _capturingTokenCorrelationId: _, ...modelOptions } = request.options?.modelOptions ?? {};
  return { ...request, options: { ...request.options, modelOptions } };
};

const NEVER = { aborted: false, addEventListener: () => undefined };

suite("LmService", () => {
  test("continues a chat in one session and sends only the new user text", async () => {
    await using fixture = new LmFixture();
    const chat = chatOf("a");
    const first = await fixture.turn(chat, "Hello", "Hi!"),
      second = await fixture.turn(chat, "And now?", "Well.");
    match(first, /^s1 Hello/);
    match(second, /^s1 And now\?/);
    ok(!/Hello|Hi!/.test(second));
    deepEqual(fixture.notifications, ["1: Hi!", "complete 1", "ok 1", "2: Well.", "complete 2", "ok 2"]);
    equal(fixture.agents.length, 1);
  });

  test("separates the sessions of two chats with the same messages", async () => {
    await using fixture = new LmFixture();
    const [first, second] = [chatOf("a"), chatOf("b")];
    match(await fixture.turn(first, "Hello", "Hi!"), /^s1 /);
    match(await fixture.turn(second, "Hello", "Hi!"), /^s2 /);
    match(await fixture.turn(first, "More", "1"), /^s1 /);
    match(await fixture.turn(second, "More", "2"), /^s2 /);
  });

  test("starts another session with the remaining history after an edit", async () => {
    await using fixture = new LmFixture();
    const chat = chatOf("a");
    await fixture.turn(chat, "One", "1");
    await fixture.turn(chat, "Two", "2");
    chat.drop(1);
    const prompt = await fixture.turn(chat, "Three", "3");
    match(prompt, /^s2 Three/);
    match(prompt, /One[^]*1/);
    ok(!prompt.includes("Two"));
  });

  test("sends VS Code's tool calls, matches their results, and repeats a retried round", async () => {
    await using fixture = new LmFixture();
    const chat = chatOf("a"),
      requestId = fixture.ask(chat, "Read it"),
      { request, sessionId } = await fixture.prompted();
    fixture.agent.report(sessionId, "I look.");
    const answers = [callOf(fixture.offer, "read"), callOf(fixture.offer, "read")];
    await fixture.debounced();
    deepEqual(fixture.notifications, ["1: I look.", "1: [read]", "1: [read]", "complete 1", "ok 1"]);
    fixture.took(chat, requestId, id => `result ${id.at(-1)}`);
    const next = fixture.request(chat.request());
    deepEqual(await Promise.all(answers), ["result 1", "result 2"]);
    fixture.agent.report(sessionId, "Done.");
    request.respond({ stopReason: "end_turn" });
    await fixture.settle();
    deepEqual(lines(fixture, next), ["2: Done.", "complete 2", "ok 2"]);
    const again = fixture.request(chat.request());
    await fixture.settle();
    deepEqual(lines(fixture, again), ["3: Done.", "complete 3", "ok 3"]);
    equal(fixture.agent.received.filter(method => method === "session/prompt").length, 1);
  });

  test("keeps tool results for the continuation during a background compaction", async () => {
    await using fixture = new LmFixture();
    const chat = chatOf("a"),
      requestId = fixture.ask(chat, "Read it"),
      { sessionId } = await fixture.prompted();
    const answer = callOf(fixture.offer, "read");
    await fixture.debounced();
    fixture.took(chat, requestId, () => "result");
    const compaction = fixture.request(chat.backgroundCompaction()),
      next = fixture.request(chat.request());
    equal(await answer, "result");
    fixture.agent.report(sessionId, "Done.");
    await fixture.settle();
    match(fixture.text(compaction), /^<summary>[^]*Read it/);
    equal(fixture.text(next), "Done.");
  });

  test("answers a title request without an agent when the host omits the correlation key", async () => {
    await using fixture = new LmFixture();
    const title = fixture.request(withoutCorrelation(chatOf("a").side("title")));
    await fixture.settle();
    equal(fixture.agents.length, 0, "no agent is prompted with the title's instructions");
    match(fixture.text(title), /\w/);
  });

  test("keeps tool results for the continuation during a background compaction without a correlation key", async () => {
    await using fixture = new LmFixture();
    const chat = chatOf("a"),
      requestId = fixture.ask(chat, "Read it"),
      { request, sessionId } = await fixture.prompted();
    const answer = callOf(fixture.offer, "read");
    await fixture.debounced();
    fixture.took(chat, requestId, () => "result");
    const compaction = fixture.request(withoutCorrelation(chat.backgroundCompaction())),
      next = fixture.request(withoutCorrelation(chat.request()));
    equal(await answer, "result");
    fixture.agent.report(sessionId, "Done.");
    request.respond({ stopReason: "end_turn" });
    await fixture.settle();
    match(fixture.text(compaction), /^<summary>[^]*Read it/);
    equal(fixture.text(next), "Done.");
    ok(!fixture.agent.received.includes("session/cancel"), "the turn is not stopped");
  });

  test("asks for a permission by its question and resolves it with the decision for its call", async () => {
    await using fixture = new LmFixture();
    const chat = chatOf("a"),
      tools = [{ name: "symposium-agent-action", description: "" }];
    chat.ask({ id: 0, words: "Do it", rounds: [], isCut: false });
    fixture.request({ ...chat.request(), options: { ...chat.request().options, tools } });
    const { sessionId } = await fixture.prompted();
    const options = [
      { optionId: "yes", kind: "allow_once", name: "Yes" },
      { optionId: "no", kind: "reject_once", name: "No" },
    ];
    const answer = fixture.agent.peer.request("session/request_permission", {
      sessionId,
      toolCall: { toolCallId: "p", title: "rm -rf /", kind: "execute" },
      options,
    });
    await fixture.debounced();
    deepEqual(fixture.notifications, ["1: [symposium-agent-action]", "complete 1", "ok 1"]);
    const { handlers } = fixture.service,
      [callId] = fixture.calls(1);
    // VS Code passes the call's parameters to the permission tool. The parameters contain the question's id.
    const questionId = fixture.questions.at(-1)!;
    match((await handlers["lm/question"]({ questionId }, NEVER)).question!.message, /rm -rf/);
    deepEqual(await handlers["lm/question"]({ questionId: "other" }, NEVER), {});
    deepEqual(await handlers["lm/decide"]({ questionId, callId: "another call" }, NEVER), { isTaken: false });
    deepEqual(await handlers["lm/decide"]({ questionId: "other" }, NEVER), { isTaken: false });
    deepEqual(await handlers["lm/decide"]({ questionId, callId: callId! }, NEVER), { isTaken: true });
    deepEqual(await handlers["lm/decide"]({ questionId, callId: callId! }, NEVER), { isTaken: false });
    deepEqual(await answer, { outcome: { outcome: "selected", optionId: "yes" } });
    deepEqual(await handlers["lm/question"]({ questionId }, NEVER), {});
  });

  test("applies the permission policy by agent id, allows none without an id, and reports image support", async () => {
    await using fixture = new LmFixture();
    fixture.policy.set("ada", "allow");
    fixture.initialized = { protocolVersion: 1, agentCapabilities: { promptCapabilities: { image: true } } };
    const chat = chatOf("a");
    chat.ask({ id: 0, words: "Do it", rounds: [], isCut: false });
    fixture.request({ ...chat.request(), agentId: "ada", cwd: "/project" });
    const { sessionId } = await fixture.prompted();
    const answer = await fixture.agent.peer.request("session/request_permission", {
      sessionId,
      toolCall: { toolCallId: "p", kind: "execute" },
      options: [{ optionId: "yes", kind: "allow_once" }],
    });
    deepEqual(answer, { outcome: { outcome: "selected", optionId: "yes" } });
    deepEqual(fixture.notifications, ["learned ada true"]);
  });

  test("records all folders of the workspace, and only the folder of a request without them", async () => {
    await using fixture = new LmFixture();
    for (const folders of [["/project", "/other"], undefined]) {
      const chat = chatOf(folders === undefined ? "b" : "a");
      chat.ask({ id: 0, words: "Do it", rounds: [], isCut: false });
      fixture.request({ ...chat.request(), cwd: "/project", ...(folders === undefined ? {} : { folders }) });
      await fixture.prompted();
    }
    deepEqual(fixture.recordedFolders, [["/project", "/other"], ["/project"]]);
  });

  test("reports an agent's context size and counts the usage in the prompt response", async () => {
    await using fixture = new LmFixture();
    const chat = chatOf("a");
    chat.ask({ id: 0, words: "Do it", rounds: [], isCut: false });
    const requestId = fixture.request({ ...chat.request(), agentId: "ada" }),
      { request, sessionId } = await fixture.prompted();
    for (const used of [10, 20])
      fixture.agent.update(sessionId, { sessionUpdate: "usage_update", used, size: 200_000 });
    fixture.agent.report(sessionId, "Done.");
    request.respond({ stopReason: "end_turn", usage: { inputTokens: 5, outputTokens: 7, totalTokens: 12 } });
    await fixture.settle();
    deepEqual(
      fixture.notifications.filter(line => line.startsWith("learned")),
      ["learned ada false", "learned ada 200000"],
    );
    deepEqual(lines(fixture, requestId), ["1: data", "1: data", "1: Done.", "1: data", "complete 1", "ok 1"]);
  });

  test("answers side requests without an agent", async () => {
    await using fixture = new LmFixture();
    const title = fixture.request(chatOf("a").side("title"));
    await fixture.settle();
    equal(fixture.agents.length, 0);
    ok(fixture.text(title).length > 0);
    deepEqual(lines(fixture, title).slice(-2), ["complete 1", "ok 1"]);
  });

  test("answers side requests in a separate session without tools and permissions, and caches a title", async () => {
    await using fixture = new LmFixture();
    fixture.policy.set(undefined, "allow");
    fixture.service.handlers["settings/languageModel"]({ ...LM_DEFAULTS, sideRequests: "agent" });
    const title = fixture.request(chatOf("a").side("title")),
      { request, sessionId } = await fixture.prompted();
    deepEqual(fixture.offer.tools, []);
    deepEqual(
      await fixture.agent.peer.request("session/request_permission", {
        sessionId,
        toolCall: { toolCallId: "p" },
        options: [
          { optionId: "yes", kind: "allow_once" },
          { optionId: "no", kind: "reject_once" },
        ],
      }),
      { outcome: { outcome: "selected", optionId: "no" } },
    );
    fixture.agent.update(sessionId, {
      sessionUpdate: "tool_call",
      toolCallId: "1",
      title: "Read",
      status: "completed",
    });
    fixture.agent.report(sessionId, "A title");
    request.respond({ stopReason: "end_turn" });
    await fixture.settle();
    deepEqual(lines(fixture, title), ["1: A title", "complete 1", "ok 1"]);
    deepEqual(fixture.agent.received.slice(-2), ["session/close", "closed"]);
    const again = fixture.request(chatOf("b").side("title"));
    await fixture.settle();
    deepEqual(lines(fixture, again), ["2: A title", "complete 2", "ok 2"]);
    equal(fixture.agents.length, 1);
  });

  test("ends a side request that times out, is cancelled or fails, and closes its session", async () => {
    await using fixture = new LmFixture();
    fixture.service.handlers["settings/languageModel"]({ ...LM_DEFAULTS, sideRequests: "agent" });
    const slow = fixture.request(chatOf("a").side("title"));
    await fixture.prompted();
    fixture.clock.advance(ONE_SHOT_LIMIT_MS);
    await fixture.settle();
    deepEqual(lines(fixture, slow), [
      "complete 1",
      "failed 1: a did not respond within 20 seconds.".replace("a did", `${chatOf("a").model} did`),
    ]);
    const gone = fixture.request(chatOf("a").side("title"));
    await fixture.prompted();
    fixture.service.handlers["lm/cancel"]({ requestId: gone });
    await fixture.settle();
    deepEqual(lines(fixture, gone), ["complete 2", "ok 2"]);
    const failed = fixture.request(chatOf("a").side("title"));
    (await fixture.prompted()).request.fail(new Error("no"));
    await fixture.settle();
    match(lines(fixture, failed).at(-1)!, /^failed 3: .* returned an error/);
    equal(fixture.agents.filter(agent => agent.received.at(-1) === "closed").length, 3);
  });

  test("refuses side requests from the next request after the setting changes", async () => {
    await using fixture = new LmFixture();
    fixture.service.handlers["settings/languageModel"]({ ...LM_DEFAULTS, sideRequests: "refuse" });
    const title = fixture.request(chatOf("a").side("title"));
    await fixture.settle();
    match(lines(fixture, title).at(-1)!, /^failed 1: Symposium answers only conversations/);
  });

  test("settles a cancelled request immediately, cancels the turn, and ignores unknown request ids", async () => {
    await using fixture = new LmFixture();
    const chat = chatOf("a"),
      requestId = fixture.ask(chat, "Hello"),
      { request, sessionId } = await fixture.prompted();
    fixture.agent.report(sessionId, "Hi");
    await fixture.settle();
    fixture.service.handlers["lm/cancel"]({ requestId });
    fixture.service.handlers["lm/cancel"]({ requestId: 99 });
    await fixture.settle();
    deepEqual(fixture.notifications, ["1: Hi", "complete 1", "ok 1"]);
    ok(fixture.agent.received.includes(`cancel ${sessionId}`));
    request.respond({ stopReason: "cancelled" });
    fixture.took(chat, requestId);
    match(await fixture.turn(chat, "Again", "Yes."), /^s1 Again/);
  });

  test("cancels the turn before it sends new user text as the next prompt of the session", async () => {
    await using fixture = new LmFixture();
    const chat = chatOf("a");
    await fixture.turn(chat, "One", "1");
    const cut = fixture.ask(chat, "Two"),
      { request, sessionId } = await fixture.prompted();
    fixture.agent.report(sessionId, "Half");
    await fixture.settle();
    chat.last?.rounds.push({ text: "Half", calls: [] });
    const next = fixture.ask(chat, "Three");
    await fixture.settle();
    deepEqual(lines(fixture, cut), ["2: Half", "complete 2", "ok 2"]);
    ok(fixture.agent.received.includes(`cancel ${sessionId}`));
    request.respond({ stopReason: "cancelled" });
    const third = await fixture.prompted();
    match(third.text, /^Three/);
    deepEqual(lines(fixture, next), []);
    fixture.agent.report(sessionId, "3");
    third.request.respond({ stopReason: "end_turn" });
    await fixture.settle();
    fixture.took(chat, next);
    match(await fixture.turn(chat, "Four", "4"), /^s1 Four/);
  });

  test("does not add late output of the previous request to the next answer", async () => {
    await using fixture = new LmFixture();
    const chat = chatOf("a");
    await fixture.turn(chat, "One", "1");
    fixture.ask(chat, "Two");
    const { request, sessionId } = await fixture.prompted();
    await fixture.settle();
    fixture.agent.report(sessionId, "Half");
    await new Promise<void>(resolve => setImmediate(resolve)); // the request is in transit
    const next = fixture.ask(chat, "Three");
    await fixture.settle();
    request.respond({ stopReason: "cancelled" });
    const third = await fixture.prompted();
    fixture.agent.report(sessionId, "3");
    third.request.respond({ stopReason: "end_turn" });
    await fixture.settle();
    fixture.took(chat, next);
    match(await fixture.turn(chat, "Four", "4"), /^s1 Four/);
  });

  test("keeps the session for a request that was cancelled before its prompt was sent", async () => {
    await using fixture = new LmFixture();
    const chat = chatOf("a");
    await fixture.turn(chat, "One", "1");
    const cut = fixture.ask(chat, "Two"),
      { request } = await fixture.prompted();
    fixture.service.handlers["lm/cancel"]({ requestId: cut });
    await fixture.settle();
    const waiting = fixture.ask(chat, "Three");
    await fixture.settle();
    fixture.service.handlers["lm/cancel"]({ requestId: waiting });
    await fixture.settle();
    deepEqual(lines(fixture, waiting), ["complete 3", "ok 3"]);
    request.respond({ stopReason: "cancelled" });
    match(await fixture.turn(chat, "Four", "4"), /^s1 Four/);
  });

  test("starts a session without memory when the cancelled first message is edited", async () => {
    await using fixture = new LmFixture();
    const chat = chatOf("a"),
      cut = fixture.ask(chat, "The secret plan"),
      { request } = await fixture.prompted();
    fixture.service.handlers["lm/cancel"]({ requestId: cut });
    request.respond({ stopReason: "cancelled" });
    await fixture.settle();
    chat.drop(0);
    const prompt = await fixture.turn(chat, "Something else", "Yes.");
    match(prompt, /^s2 Something else/);
    ok(!prompt.includes("secret"));
    match(await fixture.turn(chat, "And now?", "Well."), /^s2 And now/);
  });

  test("cancels a turn that waits for results when the user removes it", async () => {
    await using fixture = new LmFixture();
    const chat = chatOf("a");
    fixture.ask(chat, "Read it");
    const { sessionId } = await fixture.prompted(),
      answer = callOf(fixture.offer, "read");
    await fixture.debounced();
    chat.drop(0);
    const next = fixture.ask(chat, "Do not read it");
    match(await answer, /stopped/);
    const { request, sessionId: other } = await fixture.prompted();
    ok(fixture.agent.received.includes(`cancel ${sessionId}`) && other !== sessionId);
    fixture.agent.report(other, "No.");
    request.respond({ stopReason: "end_turn" });
    await fixture.settle();
    equal(fixture.text(next), "No.");
  });

  test("offers the tools of the newest request", async () => {
    await using fixture = new LmFixture();
    const chat = chatOf("a");
    await fixture.turn(chat, "One", "1");
    chat.ask({ id: 0, words: "Two", rounds: [], isCut: false });
    fixture.request({
      ...chat.request(),
      options: { ...chat.request().options, tools: [{ name: "other", description: "" }] },
    });
    await fixture.prompted();
    deepEqual(
      fixture.offer.tools.map(({ name }) => name),
      ["other"],
    );
  });

  test("persists that an edit of the first message superseded the session", async () => {
    await using fixture = new LmFixture();
    const chat = chatOf("a");
    await fixture.turn(chat, "One", "1");
    await fixture.turn(chat, "Two", "2");
    chat.drop(1);
    await fixture.turn(chat, "Three", "3");
    deepEqual(
      [...fixture.persisted.values()].map(kept => objectOr(kept).isSuperseded),
      [true, false],
    );
  });

  test("rejects a request id that is in use", async () => {
    await using fixture = new LmFixture();
    const chat = chatOf("a");
    fixture.ask(chat, "Hello");
    await fixture.prompted();
    const simulatedChat = chatOf("b");
    simulatedChat.ask({ id: 0, words: "x", rounds: [], isCut: false });
    fixture.request(simulatedChat.request(), 1);
    await fixture.settle();
    match(fixture.notifications.at(-1)!, /^failed 1: A request with this id is open already/);
    equal(fixture.agents.length, 1);
  });

  test("rejects an invalid request with the name of the invalid member", async () => {
    await using fixture = new LmFixture();
    fixture.request({ modelId: "" } as unknown as ChatRequest);
    await fixture.settle();
    match(fixture.notifications[0]!, /^failed 1: message\.modelId: expected/);
    const unnamed: unknown = chatOf("a").side("title");
    await fixture.service.handlers["lm/provideLanguageModelChatResponse"](unnamed as ChatRequest, NEVER).then(
      () => ok(false),
      (error: unknown) => match(String(error), /requestId must be/),
    );
    fixture.service.handlers["lm/cancel"]({} as never);
    ok(fixture.log.includes("A cancellation was invalid"));
  });

  test("estimates tokens and offers one model without settings", async () => {
    await using fixture = new LmFixture();
    const { handlers } = fixture.service,
      count = async (text: string) => (await handlers["lm/provideTokenCount"]({ modelId: "x", text }, NEVER)).count;
    deepEqual([await count("Hello, world!"), await count(""), await count("abcd".repeat(10))], [3, 1, 10]);
    deepEqual(
      (await handlers["lm/provideLanguageModelChatInformation"]({ silent: true }, NEVER)).models.map(({ id }) => id),
      ["symposium-eliza"],
    );
  });
});
