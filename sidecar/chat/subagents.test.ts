/** Subagents of an ACP v2 agent: their updates, questions and end, in the tab of their parent. */
import { deepEqual, equal } from "node:assert/strict";
import type { Entry } from "../../src/protocol/chat/chat";
import { Fixture as ChatFixture, NEVER } from "../testing/sessions/chat-fixture";
import type { MemoryAgent } from "../testing/memory-agent";
import type { IncomingRequest } from "../rpc/peer";

const V2 = { protocolVersion: 2, info: { name: "ada", version: "1" }, capabilities: { session: {} } };
const text = (words: string): object => ({ type: "text", text: words });
const state = (name: string, overrides: object = {}): object => ({
  sessionUpdate: "state_update",
  state: name,
  ...overrides,
});
const subagent = (sessionId: string, overrides: object = {}): object => ({
  sessionUpdate: "subagent_update",
  sessionId,
  ...overrides,
});
const OPTIONS = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

class Fixture extends ChatFixture {
  override initialized: unknown = V2;
  sessionId = "";
  prompted: IncomingRequest | undefined;

  get agent(): MemoryAgent {
    return (
      this.agents.at(-1) ??
      (() => {
        throw new Error("no agent was started");
      })()
    );
  }

  /** Opens a session and starts a turn. */
  async begin(): Promise<this> {
    this.sessionId = await this.open({ protocol: 2 });
    await this.settle();
    await this.next("go");
    return this;
  }
  async next(words: string): Promise<void> {
    await this.prompt(this.sessionId, words);
    this.prompted = await this.agent.next("session/prompt");
    this.prompted.respond({});
    await this.settle();
  }
  async send(...updates: readonly (readonly [sessionId: string, update: object])[]): Promise<void> {
    for (const [sessionId, update] of updates) this.agent.update(sessionId, update);
    await this.settle();
  }
  end(stopReason = "end_turn"): Promise<void> {
    return this.send(["s1", state("idle", { stopReason })]);
  }
  /** Sends the agent's request; `answer` resolves with the user's choice. */
  async ask(sessionId: string, command = "rm x"): Promise<{ readonly answer: Promise<unknown> }> {
    const answer = this.agent.peer
      .request("session/request_permission", {
        sessionId,
        title: `Run ${command}?`,
        subject: { type: "command", command, cwd: "/w" },
        options: OPTIONS,
      })
      .catch(String);
    await this.settle();
    return { answer };
  }
  async choose(optionId: string): Promise<void> {
    const open = this.all.find(entry => entry.kind === "permission" && !entry.answered);
    await this.service.handlers["chat/answerPermission"](
      { sessionId: this.sessionId, permissionId: open?.id ?? "", choice: { kind: "option", optionId } },
      NEVER,
    );
    await this.settle();
  }
  get all(): readonly Entry[] {
    return this.entries(this.sessionId);
  }
  get transcript(): readonly string[] {
    return lines(this.all);
  }
}

/** One line per entry; those of a subagent are indented. */
function lines(entries: readonly Entry[], indent = ""): readonly string[] {
  return entries.flatMap(entry => {
    switch (entry.kind) {
      case "subagent":
        return [`${indent}subagent ${entry.name} ${entry.status}`, ...lines(entry.entries, `${indent}  `)];
      case "tool":
        return [`${indent}tool ${entry.title} ${entry.status}`];
      case "message":
        return [`${indent}message ${entry.from} → ${entry.to}: ${entry.text}`];
      case "permission":
        return [`${indent}permission ${entry.subagent?.name ?? ""} ${entry.title} ${entry.answered?.kind ?? "open"}`];
      case "unknown":
        return [`${indent}unknown ${entry.what} ×${entry.count ?? 1}`];
      default:
        return [`${indent}${entry.kind}${"text" in entry ? ` ${entry.text ?? ""}` : ""}`];
    }
  });
}

suite("subagents of an ACP v2 agent", () => {
  test("shows nine updates in one card with a transcript, without placeholders", async () => {
    await using fixture = await new Fixture().begin();
    await fixture.send(
      ["s1", subagent("c1", { title: "Explore", description: "Looks around", state: { state: "running" } })],
      [
        "s1",
        {
          sessionUpdate: "session_message",
          messageId: "m1",
          senderSessionId: "s1",
          recipientSessionId: "c1",
          content: [],
        },
      ],
      ["s1", { sessionUpdate: "session_message_chunk", messageId: "m1", content: text("Look ") }],
      ["s1", { sessionUpdate: "session_message_chunk", messageId: "m1", content: text("around.") }],
      ["c1", { sessionUpdate: "agent_message_chunk", messageId: "m2", content: text("I look") }],
      ["c1", { sessionUpdate: "tool_call_update", toolCallId: "t", title: "Read a", status: "in_progress" }],
      ["c1", { sessionUpdate: "tool_call_update", toolCallId: "t", status: "completed" }],
      ["c1", { sessionUpdate: "session_info_update", title: "No title of the tab" }],
      ["s1", subagent("c1", { state: { state: "idle", stopReason: "end_turn" } })],
    );
    await fixture.end();
    deepEqual(fixture.transcript, [
      "user go",
      "subagent Explore completed",
      "  agent I look",
      "  tool Read a completed",
      "message Ada → Explore: Look around.",
    ]);
    equal(fixture.shown.get(fixture.sessionId)?.title, undefined);
  });

  test("asks in the parent's session under its name and receives the answer", async () => {
    await using fixture = await new Fixture().begin();
    await fixture.send(["s1", subagent("c1", { title: "Explore", state: { state: "running" } })]);
    const { answer } = await fixture.ask("c1");
    deepEqual(fixture.transcript, [
      "user go",
      "subagent Explore running",
      "  tool rm x pending",
      "permission Explore Run rm x? open",
    ]);
    await fixture.choose("yes");
    deepEqual(await answer, { outcome: { outcome: "selected", optionId: "yes" } });
  });

  test("shows a nested subagent in the parent's card and asks in the same session", async () => {
    await using fixture = await new Fixture().begin();
    await fixture.send(
      ["s1", subagent("c1", { title: "Outer" })],
      ["c1", subagent("c2", { title: "Inner", state: { state: "running" } })],
      ["c2", { sessionUpdate: "agent_message_chunk", content: text("deep") }],
    );
    const { answer } = await fixture.ask("c2");
    deepEqual(fixture.transcript, [
      "user go",
      "subagent Outer unknown",
      "  subagent Inner running",
      "    agent deep",
      "    tool rm x pending",
      "permission Inner Run rm x? open",
    ]);
    await fixture.choose("no");
    deepEqual(await answer, { outcome: { outcome: "selected", optionId: "no" } });
  });

  test("closes open calls when it ends, and cancels its questions at the end of the turn", async () => {
    await using fixture = await new Fixture().begin();
    await fixture.send(
      ["s1", subagent("c1", { title: "Explore" })],
      ["c1", { sessionUpdate: "tool_call_update", toolCallId: "t", title: "Read", status: "in_progress" }],
    );
    const { answer } = await fixture.ask("c1");
    await fixture.end();
    deepEqual(fixture.transcript, [
      "user go",
      "subagent Explore unknown",
      "  tool Read cancelled",
      "  tool rm x cancelled",
      "permission Explore Run rm x? cancelled",
    ]);
    deepEqual(await answer, { outcome: { outcome: "cancelled" } });
  });

  test("asks between turns in the background and has a new card in the next turn", async () => {
    await using fixture = await new Fixture().begin();
    await fixture.send(
      ["s1", subagent("c1", { title: "Watch", state: { state: "running" } })],
      ["c1", { sessionUpdate: "agent_message_chunk", content: text("one") }],
    );
    await fixture.end();
    const { answer } = await fixture.ask("c1");
    await fixture.choose("yes");
    deepEqual(await answer, { outcome: { outcome: "selected", optionId: "yes" } });
    await fixture.next("more");
    await fixture.send(
      ["c1", { sessionUpdate: "agent_message_chunk", content: text("two") }],
      ["c1", state("idle", { stopReason: "end_turn" })],
    );
    deepEqual(fixture.transcript, [
      "user go",
      "subagent Watch running",
      "  agent one",
      "  tool rm x pending",
      "permission Watch Run rm x? selected",
      "user more",
      "subagent Watch completed",
      "  agent two",
    ]);
  });

  test("ends with a cancelled turn and with an agent exit", async () => {
    await using fixture = await new Fixture().begin();
    await fixture.send(
      ["s1", subagent("c1", { title: "Watch", state: { state: "running" } })],
      ["c1", { sessionUpdate: "tool_call_update", toolCallId: "t", title: "Run", status: "in_progress" }],
    );
    await fixture.end("cancelled");
    deepEqual(fixture.transcript, ["user go", "subagent Watch cancelled", "  tool Run cancelled", "notice Stopped."]);
    await fixture.next("again");
    await fixture.send(
      ["s1", subagent("c1", { state: { state: "running" } })],
      ["c1", { sessionUpdate: "tool_call_update", toolCallId: "u", title: "Run", status: "in_progress" }],
    );
    await fixture.agent.die();
    await fixture.settle();
    deepEqual(fixture.transcript.slice(4, 7), ["user again", "subagent Watch cancelled", "  tool Run cancelled"]);
  });

  test("cannot take over a session that another tab uses", async () => {
    await using fixture = await new Fixture().begin();
    const second = await fixture.open({ protocol: 2 });
    await fixture.settle();
    await fixture.send(
      ["s1", subagent("s2", { title: "Thief" })],
      ["s2", { sessionUpdate: "agent_message_chunk", content: text("for the other tab") }],
    );
    deepEqual(fixture.story(second), ["agent for the other tab"]);
  });

  test("shares one placeholder per unknown update kind and turn", async () => {
    await using fixture = await new Fixture().begin();
    const onWarning = (sessionUpdate: string): readonly [string, object] => ["s1", { sessionUpdate, x: 1 }];
    await fixture.send(onWarning("_a"), onWarning("_a"), onWarning("_b"), onWarning("_a"));
    await fixture.end();
    await fixture.next("more");
    await fixture.send(onWarning("_a"));
    deepEqual(fixture.transcript, ["user go", "unknown _a ×3", "unknown _b ×1", "user more", "unknown _a ×1"]);
  });

  test("hides a removed plan and replaces a plan by one of another kind", async () => {
    await using fixture = await new Fixture().begin();
    const plan = (overrides: object): readonly [string, object] => [
      "s1",
      { sessionUpdate: "plan_update", plan: { planId: "p", ...overrides } },
    ];
    const steps = (): unknown =>
      fixture.all.flatMap(entry => (entry.kind === "plan" ? [[entry.steps.length, entry.text]] : []));
    await fixture.send(plan({ type: "items", entries: [{ content: "a", status: "pending", priority: "low" }] }));
    deepEqual(steps(), [[1, undefined]]);
    await fixture.send(plan({ type: "markdown", content: "# First" }));
    deepEqual(steps(), [[0, "# First"]]);
    await fixture.send(plan({ type: "file", uri: "file:///plan.md" }));
    deepEqual(steps(), [[0, "[file:///plan.md](file:///plan.md)"]]);
    await fixture.send(
      ["s1", { sessionUpdate: "plan_removed", planId: "p" }],
      ["s1", { sessionUpdate: "plan_removed", planId: "other" }],
    );
    deepEqual(steps(), [[0, undefined]]);
  });
});
