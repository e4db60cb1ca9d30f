import { deepEqual, equal, match } from "node:assert/strict";
import { QualifiedNames } from "../../permissions/bridged-calls";
import type { JsonObject } from "../../rpc/json";
import { OPTIONS, permission, SessionFixture } from "../../testing/sessions/session-fixture";
import { AnnouncedTools } from "./call-allowances";

const NAMES = new QualifiedNames("vsctools", { all: ["rename", "find"] });
/** As recorded from codex-acp 2.6.0. */
const codex = (toolCallId: string, server = "vsctools", tool = "rename", args: unknown = { a: 1 }): JsonObject => ({
  sessionUpdate: "tool_call",
  toolCallId,
  kind: "execute",
  title: `mcp.${server}.${tool}`,
  status: "in_progress",
  rawInput: { server, tool, arguments: args },
  _meta: { is_mcp_tool_call: true },
});
const question = (toolCallId: string): JsonObject => ({
  toolCallId,
  kind: "execute",
  status: "pending",
  _meta: { is_mcp_tool_approval: true },
});
const update = (toolCallId: string, overrides: JsonObject): JsonObject => ({
  sessionUpdate: "tool_call_update",
  toolCallId,
  ...overrides,
});

suite("AnnouncedTools", () => {
  test("expects a call from its announcement until it arrives", () => {
    const tools = new AnnouncedTools();
    equal(tools.onEvent(codex("c"), NAMES).expectsCall, true);
    tools.arrived("rename", { a: 1 });
    equal(tools.onEvent(update("c", { status: "in_progress" }), NAMES).expectsCall, false);
    equal(tools.onEvent(update("c", { title: "x" }), undefined).expectsCall, false);
  });

  test("matches an arriving call to an announcement by arguments, otherwise to the oldest", () => {
    const tools = new AnnouncedTools(),
      titled = (toolCallId: string, a: number) =>
        tools.onEvent(
          { sessionUpdate: "tool_call", toolCallId, kind: "other", title: "vsctools-rename", rawInput: { a } },
          NAMES,
        );
    titled("one", 1);
    titled("two", 2);
    titled("three", 3);
    const shown = () => ["one", "two", "three"].filter(toolCallId => tools.originOf({ toolCallId }) === "bridged");
    deepEqual(shown(), [], "a title proves nothing");
    tools.arrived("rename", { a: 2 });
    deepEqual(shown(), ["two"]);
    tools.arrived("rename", { a: 9 });
    deepEqual(shown(), ["one", "two"]);
    tools.arrived("find", { a: 3 });
    deepEqual(shown(), ["one", "two"]);
  });

  test("does not match an arriving call to one that a resumed session replays", () => {
    const tools = new AnnouncedTools();
    tools.onEvent({ ...codex("replayed"), status: "completed" }, NAMES);
    tools.onEvent(codex("c"), NAMES);
    tools.allowed(question("c"), tools.claim(question("c"), NAMES));
    tools.arrived("rename", { a: 1 });
    equal(tools.onEvent(update("c", { status: "completed" }), NAMES).broken, undefined);
  });

  test("proves a call for one question, and again after another announcement", () => {
    const tools = new AnnouncedTools(),
      claim = () => tools.claim(question("c"), NAMES);
    tools.onEvent(codex("c"), NAMES);
    equal(claim().kind, "proved");
    tools.allowed(question("c"), claim());
    equal(claim().kind, "reference");
    tools.arrived("rename", { a: 1 });
    equal(claim().kind, "reference");
    tools.onEvent(update("c", { status: "completed" }), NAMES);
    tools.onEvent(codex("c"), NAMES);
    equal(claim().kind, "proved");
  });

  const second: readonly [name: string, update: JsonObject][] = [
    ["a command", { rawInput: { command: "rm -rf /" } }],
    ["a terminal", { content: [{ type: "terminal", terminalId: "t" }] }],
    ["another name", { name: "exec_command" }],
    ["the end of the call", { status: "completed" }],
  ];
  for (const [name, overrides] of second)
    test(`revokes the trust in the agent when ${name} follows an allowed call`, () => {
      const tools = new AnnouncedTools();
      tools.onEvent(codex("c"), NAMES);
      tools.allowed(question("c"), tools.claim(question("c"), NAMES));
      equal(tools.onEvent(update("c", overrides), NAMES).broken, "rename");
      tools.onEvent(codex("d"), NAMES);
      equal(tools.claim(question("d"), NAMES).kind, "reference");
    });

  test("keeps the trust when a cancelled turn leaves allowed calls without an arrival", () => {
    const tools = new AnnouncedTools();
    tools.onEvent(codex("c"), NAMES);
    tools.allowed(question("c"), tools.claim(question("c"), NAMES));
    tools.stopped();
    equal(tools.onEvent(update("c", { status: "completed" }), NAMES).broken, undefined);
  });

  test("keeps the trust when an allowed call fails or is announced after its question", () => {
    const tools = new AnnouncedTools(),
      asked = { toolCallId: "mcp_vsctools_rename-1", kind: "other", title: "rename (vsctools MCP Server)" };
    tools.allowed(asked, tools.claim(asked, NAMES));
    equal(tools.onEvent({ ...asked, sessionUpdate: "tool_call", status: "in_progress" }, NAMES).broken, undefined);
    equal(tools.onEvent(update(asked.toolCallId, { status: "failed" }), NAMES).broken, undefined);
    tools.onEvent(codex("d"), NAMES);
    equal(tools.claim(question("d"), NAMES).kind, "proved");
  });

  test("separates the calls of a subagent from those of its parent", () => {
    const tools = new AnnouncedTools(),
      claim = (subagent?: string) => tools.claim(question("c"), NAMES, subagent).kind;
    tools.onEvent(codex("c"), NAMES, "child");
    deepEqual([claim(), claim("child"), claim("other")], ["unnamed", "proved", "unnamed"]);
    tools.onEvent({ sessionUpdate: "tool_call", toolCallId: "c", name: "Bash" }, NAMES);
    equal(claim("child"), "proved");
    tools.allowed(question("c"), tools.claim(question("c"), NAMES, "child"), "child");
    equal(claim("child"), "reference");
    equal(tools.onEvent(update("c", { status: "completed" }), NAMES).broken, undefined);
    equal(tools.onEvent(update("c", { status: "completed" }), NAMES, "child").broken, "rename");
  });

  test("proves no call from contradicting reports, in any order", () => {
    for (const reports of [
      [{ name: "Bash" }, { name: "mcp__vsctools__rename" }],
      [{ name: "mcp__vsctools__rename" }, { name: "Bash" }, { name: "mcp__vsctools__rename" }],
    ]) {
      const tools = new AnnouncedTools();
      for (const [i, report] of reports.entries())
        tools.onEvent({ ...report, toolCallId: "c", sessionUpdate: i === 0 ? "tool_call" : "tool_call_update" }, NAMES);
      equal(tools.claim({ toolCallId: "c" }, NAMES).kind, "reference");
    }
  });
});

suite("SessionActor with a Codex-like agent", () => {
  async function announced(
    fixture: SessionFixture,
    server: string,
    toolCallId: string,
    args: unknown = {},
  ): Promise<unknown> {
    fixture.agent.update("s", codex(toolCallId, server, "lookUp", args));
    return await fixture.agent.peer.request("session/request_permission", {
      sessionId: "s",
      toolCall: { toolCallId, kind: "execute", status: "pending" },
      _meta: { is_mcp_tool_approval: true },
      options: OPTIONS,
    });
  }
  const plain = (name: string) => ({ name, description: name, inputSchema: { type: "object", properties: {} } });
  const tools = ["lookUp", "symposium-agent-codex-execute", "symposium-agent-action"].map(plain),
    NO = { outcome: { outcome: "selected", optionId: "no" } };
  const YES = { outcome: { outcome: "selected", optionId: "yes" } };

  test("allows its call of a VS Code tool without a question and asks for a command with the same id", async () => {
    await using fixture = new SessionFixture({ tools });
    const { offer } = await fixture.begin();
    offer.list();
    deepEqual(await announced(fixture, offer.server, "c"), YES);
    deepEqual(fixture.notifications, []);
    const answer = permission(fixture.agent, "c");
    await fixture.debounced();
    deepEqual(fixture.notifications, ["1: [symposium-agent-action]", "pause 1"]);
    fixture.back(2, ...fixture.calls(1));
    deepEqual(await answer, NO);
  });

  test("serves three parallel calls in one round and shows them once", async () => {
    await using fixture = new SessionFixture({ tools });
    const { offer } = await fixture.begin();
    offer.list();
    for (const id of ["a", "b", "c"]) deepEqual(await announced(fixture, offer.server, id, { id }), YES);
    for (const id of ["a", "b", "c"]) void offer.call("lookUp", { id }, new AbortController().signal);
    await fixture.debounced();
    deepEqual(fixture.notifications, ["1: [lookUp]", "1: [lookUp]", "1: [lookUp]", "pause 1"]);
    for (const id of ["a", "b", "c"]) fixture.agent.update("s", update(id, { status: "completed" }));
    fixture.back(2, ...fixture.calls(1));
    await fixture.debounced();
    deepEqual(
      fixture.notifications.slice(4).filter(text => text.includes("✓")),
      [],
    );
  });

  test("counts a call as arrived even if VS Code no longer offers the tool", async () => {
    await using fixture = new SessionFixture({ tools });
    const { offer } = await fixture.begin();
    offer.list();
    await announced(fixture, offer.server, "c");
    offer.update(tools.slice(1), false);
    await offer.call("lookUp", {}, new AbortController().signal);
    fixture.agent.update("s", update("c", { status: "completed" }));
    await fixture.settle();
    deepEqual(fixture.notifications, []);
  });

  test("reports the misuse of an allowed call to the user and asks for the next call", async () => {
    await using fixture = new SessionFixture({ tools });
    const { offer } = await fixture.begin();
    offer.list();
    await announced(fixture, offer.server, "c");
    fixture.agent.update("s", update("c", { rawInput: { command: "rm -rf /" } }));
    await fixture.settle();
    match(fixture.notifications.at(-1) ?? "", /allowed to call VS Code's tool “lookUp”, but did not call it/);
    const answer = announced(fixture, offer.server, "d");
    await fixture.debounced();
    deepEqual(fixture.notifications.slice(-2), ["1: [symposium-agent-action]", "pause 1"]);
    fixture.session.decide(fixture.questionId, () => undefined);
    deepEqual(await answer, YES);
    equal(fixture.offers.isForeign(offer.server), true, "later sessions use another name");
  });

  const V2 = {
    protocolVersion: 2,
    capabilities: { session: { prompt: {} } },
    info: { name: "draft", version: "1" },
  };
  for (const version of [1, 2] as const)
    test(`proves a subagent's call by its announcements, and never asks for it as a command (version ${version})`, async () => {
      await using fixture = new SessionFixture({ tools, protocol: version }, version === 2 ? V2 : undefined);
      const { offer } = await fixture.begin();
      offer.list();
      fixture.agent.update("s", { sessionUpdate: "subagent_update", sessionId: "child", name: "Child" });
      const asking = (toolCallId: string) => {
        const toolCall = { toolCallId, kind: "execute", status: "pending" };
        return fixture.agent.peer.request("session/request_permission", {
          sessionId: "child",
          ...(version === 2 ? { title: "", subject: { type: "tool_call", toolCall } } : { toolCall }),
          _meta: { is_mcp_tool_approval: true },
          options: OPTIONS,
        });
      };
      const { sessionUpdate, ...call } = codex("c", offer.server, "lookUp", {});
      fixture.agent.update("child", {
        ...call,
        sessionUpdate: version === 2 ? "tool_call_update" : sessionUpdate,
      });
      const proved = asking("c");
      await fixture.debounced();
      deepEqual(fixture.notifications, []);
      deepEqual(await proved, YES);
      const unnamed = asking("d");
      await fixture.debounced();
      deepEqual(fixture.notifications, ["1: [symposium-agent-action]", "pause 1"]);
      fixture.session.decide(fixture.questionId, () => undefined);
      deepEqual(await unnamed, YES);
    });
});
