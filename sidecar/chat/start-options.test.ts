import { deepEqual, equal } from "node:assert/strict";
import type { ExtensionConfig } from "../../src/protocol/agents/extensions";
import type { NewChat } from "../../src/protocol/sidecar";
import { emptyConversation } from "../../src/protocol/chat/chat";
import { BATCH_MS } from "./outbox";
import { Fixture } from "../testing/sessions/chat-fixture";
import { RECORD } from "../testing/sessions/session-record";
import { NEW_SESSION_LIMIT_MS } from "../acp/connection";
import { RpcError } from "../rpc/message";

const RESUMES = { protocolVersion: 1, agentCapabilities: { sessionCapabilities: { resume: {}, close: {} } } },
  LOADS = { protocolVersion: 1, agentCapabilities: { loadSession: true, sessionCapabilities: { close: {} } } },
  VERSION_2 = { protocolVersion: 2, capabilities: { session: {} } };

/** A session that has answered one prompt, and whose agent exited afterwards and starts again. */
async function afterExit(fixture: Fixture, initialized: unknown, protocol: 1 | 2 = 1): Promise<string> {
  fixture.initialized = initialized;
  const id = await fixture.open({ protocol });
  await fixture.settle();
  await fixture.prompt(id, "remember blue");
  await fixture.settle();
  const [agent] = fixture.agents;
  agent?.report("s1", "I will remember it.");
  const request = await agent?.next("session/prompt");
  request?.respond(protocol === 2 ? {} : { stopReason: "end_turn" });
  if (protocol === 2) agent?.update("s1", { sessionUpdate: "state_update", state: "idle", stopReason: "end_turn" });
  await fixture.settle();
  await agent?.die();
  await fixture.settle();
  fixture.clock.advance(1_000);
  await fixture.settle();
  return id;
}

suite("chat session whose agent has exited", () => {
  for (const [method, initialized, protocol] of [
    ["session/resume", RESUMES, 1],
    ["session/load", LOADS, 1],
    ["session/resume", VERSION_2, 2],
  ] as const)
    test(`continues with the agent's memory by ${method} in version ${protocol}`, async () => {
      await using fixture = new Fixture();
      const id = await afterExit(fixture, initialized, protocol);
      const reopened = await fixture.agents[1]!.next(method);
      deepEqual(reopened.params, { sessionId: "s1", cwd: "/w", mcpServers: [] });
      reopened.respond({});
      await fixture.settle();
      equal(fixture.story(id).at(-1), "notice Ada continues this conversation.");
      await fixture.prompt(id, "which color?");
      await fixture.settle();
      deepEqual(fixture.agents[1]!.received, ["initialize", method, "session/prompt"]);
    });

  test("shows a replayed conversation once, with the lost end of its answer", async () => {
    await using fixture = new Fixture();
    const id = await afterExit(fixture, LOADS);
    const loaded = await fixture.agents[1]!.next("session/load");
    const part = (sessionUpdate: string, text: string) =>
      fixture.agents[1]!.update("s1", { sessionUpdate, content: { type: "text", text } });
    part("user_message_chunk", "remember blue");
    part("agent_message_chunk", "I will remember it. ");
    part("agent_message_chunk", "Blue it is.");
    fixture.agents[1]!.update("s1", {
      sessionUpdate: "available_commands_update",
      availableCommands: [{ name: "plan", description: "" }],
    });
    await fixture.settle();
    const before = fixture.story(id);
    loaded.respond({});
    await fixture.settle();
    equal(before.includes("agent I will remember it."), true);
    deepEqual(
      fixture.story(id).filter(each => each.startsWith("agent ") || each.startsWith("user ")),
      ["user remember blue", "agent I will remember it. Blue it is."],
    );
    deepEqual(
      fixture.shown.get(id)?.commands.map(({ name }) => name),
      ["plan"],
    );
  });

  test("opens a new session once if the agent refuses, with a button that sends the transcript", async () => {
    await using fixture = new Fixture();
    const id = await afterExit(fixture, RESUMES);
    const [, agent] = fixture.agents;
    (await agent!.next("session/resume")).fail(new RpcError(-32002, "no such session"));
    await fixture.settle();
    deepEqual(agent!.received, ["initialize", "session/resume", "session/new"]);
    const notice = fixture.entries(id).at(-1);
    equal(notice?.kind === "notice" && notice.text, "Ada does not remember the conversation above.");
    deepEqual(notice?.kind === "notice" && notice.actions, ["sendTranscript"]);
  });

  test("opens a new session if the agent does not answer in time", async () => {
    await using fixture = new Fixture();
    const id = await afterExit(fixture, RESUMES);
    const [, agent] = fixture.agents;
    await agent!.next("session/resume");
    fixture.clock.advance(NEW_SESSION_LIMIT_MS);
    await fixture.settle();
    equal(agent!.received.includes("session/new"), true);
    equal(fixture.story(id).at(-1), "notice Ada does not remember the conversation above.");
  });

  test("opens a new session after the agent exited while it resumed", async () => {
    await using fixture = new Fixture();
    const id = await afterExit(fixture, RESUMES);
    await fixture.agents[1]!.next("session/resume");
    await fixture.agents[1]!.die();
    await fixture.settle();
    fixture.clock.advance(5_000);
    await fixture.settle();
    deepEqual(fixture.agents[2]!.received, ["initialize", "session/new"]);
    equal(fixture.story(id).at(-1), "notice Ada does not remember the conversation above.");
  });

  test("continues its session after the user restarted the agent", async () => {
    await using fixture = new Fixture();
    const id = await afterExit(fixture, RESUMES);
    (await fixture.agents[1]!.next("session/resume")).respond({});
    await fixture.settle();
    await fixture.service.handlers["chat/restartAgent"](
      { sessionId: id },
      { aborted: false, addEventListener: () => undefined },
    );
    await fixture.settle();
    deepEqual(objectSession(await fixture.agents[2]!.next("session/resume")), "s1");
  });
});

function objectSession({ params }: { readonly params: unknown }): unknown {
  return (params as { readonly sessionId?: unknown }).sessionId;
}

function extension(id: string): ExtensionConfig {
  return { id, name: id, distribution: { symposium: { subcommand: "proxy", args: [id] } }, _source: "built-in" };
}

/** A new process with the journal of one that has answered a prompt and was then killed. */
async function afterRestart(initialized: unknown, chat: Partial<NewChat> = {}, extensions: readonly string[] = []) {
  const first = new Fixture();
  first.initialized = initialized;
  first.extensions = extensions.map(extension);
  const id = await first.open();
  await first.settle();
  await first.prompt(id, "remember blue");
  await first.settle();
  first.agents[0]?.report("s1", "I will remember it.");
  (await first.agents[0]?.next("session/prompt"))?.respond({ stopReason: "end_turn" });
  await first.settle();
  await first[Symbol.asyncDispose]();
  const fixture = new Fixture(first.journal);
  fixture.initialized = initialized;
  return { fixture, open: () => fixture.open(chat) };
}

suite("branch of a chat session", () => {
  const FORKS = {
    protocolVersion: 1,
    agentCapabilities: { sessionCapabilities: { fork: {}, resume: {}, close: {} } },
  };
  const FORK = { ...RECORD, isFork: true } as const;

  function branch(initialized: unknown): Fixture {
    const fixture = new Fixture();
    fixture.initialized = initialized;
    fixture.journal.store("one", {
      ...emptyConversation({ id: "ada", name: "Ada" }, "/w"),
      origin: { conversation: "source", title: "Colors" },
      entries: [
        { kind: "user", id: "u", text: "remember blue" },
        { kind: "agent", id: "a", text: "I will." },
      ],
    });
    return fixture;
  }

  test("forks the agent's session, and continues its own one afterwards", async () => {
    await using fixture = branch(FORKS);
    fixture.journal.keep("one", FORK);
    const id = await fixture.open();
    const forked = await fixture.agents[0]!.next("session/fork");
    deepEqual(forked.params, { sessionId: "s1", cwd: "/w", mcpServers: [] });
    forked.respond({ sessionId: "s2" });
    await fixture.settle();
    equal(fixture.story(id).at(-1), "notice This is a branch of “Colors”. Ada continues this conversation.");
    await fixture.prompt(id, "which color?");
    await fixture.settle();
    deepEqual(
      [fixture.journal.records.get("one")?.agentSession, fixture.journal.records.get("one")?.isFork],
      ["s2", undefined],
    );
    deepEqual(fixture.service.open[0]?.state.origin, { conversation: "source", title: "Colors" });
  });

  test("starts a new session, which gets the transcript, if the agent's session is not forked", async () => {
    await using fixture = branch(FORKS);
    const id = await fixture.open();
    await fixture.settle();
    deepEqual(fixture.agents[0]!.received, ["initialize", "session/new"]);
    equal(
      fixture.story(id).at(-1),
      "notice This is a branch of “Colors”. Ada gets the transcript with your first prompt.",
    );
  });

  test("offers the transcript if the agent refuses the fork", async () => {
    await using fixture = branch(FORKS);
    fixture.journal.keep("one", FORK);
    const id = await fixture.open();
    (await fixture.agents[0]!.next("session/fork")).fail(new RpcError(-32002, "no such session"));
    await fixture.settle();
    const notice = fixture.entries(id).at(-1);
    deepEqual(notice?.kind === "notice" && [notice.text, notice.actions], [
      "This is a branch of “Colors”. Ada does not remember the conversation above.",
      ["sendTranscript", "openOrigin"],
    ]);
  });

  test("says where it comes from, also without content", async () => {
    await using fixture = branch(FORKS);
    fixture.journal.store("one", {
      ...emptyConversation({ id: "ada", name: "Ada" }, "/w"),
      origin: { conversation: "source", title: "Colors" },
    });
    const id = await fixture.open();
    await fixture.settle();
    const notice = fixture.entries(id).at(-1);
    deepEqual(notice?.kind === "notice" && [notice.text, notice.actions], [
      "This is a branch of “Colors”.",
      ["openOrigin"],
    ]);
  });
});

suite("chat session after a restart of Symposium", () => {
  test("continues with the agent's memory", async () => {
    const { fixture, open } = await afterRestart(RESUMES);
    await using _ = fixture;
    const id = await open();
    const resumed = await fixture.agents[0]!.next("session/resume");
    deepEqual(resumed.params, { sessionId: "s1", cwd: "/w", mcpServers: [] });
    resumed.respond({});
    await fixture.settle();
    equal(fixture.story(id).at(-1), "notice The session was reopened. Ada continues this conversation.");
    fixture.journal.records.clear();
    await fixture.prompt(id, "which color?");
    await fixture.settle();
    equal(
      fixture.journal.records.get("one")?.agentSession,
      "s1",
      "stored again, so that it is not removed while in use",
    );
  });

  test("loads a session that only the agent knows, with the title of the agent's list", async () => {
    await using fixture = new Fixture();
    fixture.initialized = { protocolVersion: 1, agentCapabilities: { loadSession: true } };
    fixture.journal.keep("one", { ...RECORD, agentSession: "theirs", title: "Colors" });
    const id = await fixture.open(),
      loaded = await fixture.agents[0]!.next("session/load");
    fixture.agents[0]!.update("theirs", {
      sessionUpdate: "user_message_chunk",
      content: { type: "text", text: "remember blue" },
    });
    loaded.respond({});
    await fixture.settle();
    equal(fixture.story(id)[0], "user remember blue");
    equal(fixture.service.open[0]?.state.title, "Colors");
  });

  test("starts a new session if the agent refuses, with a button that sends the transcript", async () => {
    const { fixture, open } = await afterRestart(RESUMES);
    await using _ = fixture;
    const id = await open();
    (await fixture.agents[0]!.next("session/resume")).fail(new RpcError(-32002, "no such session"));
    await fixture.settle();
    deepEqual(fixture.agents[0]!.received, ["initialize", "session/resume", "session/new"]);
    const notice = fixture.entries(id).at(-1);
    equal(
      notice?.kind === "notice" && notice.text,
      "The session was reopened. Ada does not remember the conversation above.",
    );
    deepEqual(notice?.kind === "notice" && notice.actions, ["sendTranscript"]);
  });

  for (const [what, chat] of [
    ["another agent", { agent: { id: "bob", name: "Bob", distribution: { local: { command: "bob" } } } }],
    ["another folder", { cwd: "/v" }],
    ["another conversation", { conversation: "two" }],
  ] as const)
    test(`starts a new session for ${what}`, async () => {
      const { fixture, open } = await afterRestart(RESUMES, chat);
      await using _ = fixture;
      await open();
      await fixture.settle();
      deepEqual(fixture.agents[0]!.received, ["initialize", "session/new"]);
    });

  test("uses the extensions of the earlier session, and names one that is no longer available", async () => {
    const { fixture, open } = await afterRestart(RESUMES, {}, ["sparkle", "gone"]);
    await using _ = fixture;
    fixture.extensions = ["new", "sparkle"].map(extension);
    const id = await open();
    await fixture.settle();
    deepEqual(fixture.behind, ["sparkle"]);
    equal(
      fixture
        .story(id)
        .includes("notice The agent extension “gone” is no longer available. This conversation continues without it."),
      true,
    );
  });

  test("shows the whole stored conversation after a kill in the middle of a turn", async () => {
    const first = new Fixture();
    first.initialized = RESUMES;
    const id = await first.open();
    await first.settle();
    await first.prompt(id, "count");
    await first.settle();
    first.agents[0]?.report("s1", "One");
    first.agents[0]?.update("s1", { sessionUpdate: "tool_call", toolCallId: "t", title: "Run", status: "in_progress" });
    await first.settle();
    first.clock.advance(BATCH_MS);
    const fixture = new Fixture(first.journal.copy());
    await first[Symbol.asyncDispose]();
    await using _ = fixture;
    fixture.initialized = RESUMES;
    const next = await fixture.open();
    fixture.service.handlers["chat/replay"]({ sessionId: next, requestNumber: 1 });
    await fixture.settle();
    deepEqual(fixture.story(next), ["user count", "agent One", "tool Run cancelled"]);
  });
});
