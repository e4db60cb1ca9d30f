/**
 * Random faults of agents, connections and the sidecar (issue 16): exits, hanging turns, and malformed, repeated, late,
 * reordered and unknown updates. Nothing is lost or shown twice, nothing stays open, and the journal contains the
 * conversation of the page.
 */
import { deepEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import type { Conversation } from "../../src/protocol/chat/chat";
import { propertyRuns } from "../../src/protocol/testing/property-runs";
import { restored, storedIn } from "../journal/stored-conversation";
import { lossesBetween, openIn } from "../testing/crash/survival";
import { RpcCode, RpcError } from "../rpc/message";
import { Fixture, NEVER } from "../testing/sessions/chat-fixture";
import { MemoryJournal } from "../testing/sessions/memory-journal";

const text = fc.constantFrom("word ", "", "\uD800", "x".repeat(5_000)),
  toolId = fc.constantFrom("t1", "t2", "t3"),
  status = fc.constantFrom("pending", "in_progress", "completed", "failed", "paused", 7);

/** Updates that agents were seen to send, and worse ones. */
const update = fc.oneof(
  text.map(each => ({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: each } })),
  text.map(each => ({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: each } })),
  text.map(each => ({ sessionUpdate: "user_message_chunk", content: { type: "text", text: each } })),
  fc.record({ toolCallId: toolId, status }).map(fields => ({ sessionUpdate: "tool_call", title: "Tool", ...fields })),
  fc.record({ toolCallId: toolId, status }).map(fields => ({ sessionUpdate: "tool_call_update", ...fields })),
  fc.constantFrom<unknown>(
    { sessionUpdate: "plan", entries: [{ content: "step", priority: "medium", status: "pending" }] },
    { sessionUpdate: "plan", entries: "none" },
    { sessionUpdate: "tool_call" },
    { sessionUpdate: "agent_message_chunk" },
    { sessionUpdate: "agent_message_chunk", content: { type: "hologram" } },
    { sessionUpdate: "invented_update", value: 1 },
    {},
    null,
    "text",
    [[]],
  ),
);
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant("update" as const), update, times: fc.constantFrom(1, 1, 2) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("reordered" as const), updates: fc.tuple(update, update) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("prompt" as const), isRepeated: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("ask" as const), toolId }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("answer" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("end" as const),
      response: fc.constantFrom<unknown>(
        { stopReason: "end_turn" },
        { stopReason: "unknown_reason" },
        {},
        null,
        "error",
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("elsewhere" as const), update }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("agentExits", "cancel", "restart") }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("sidecarExits" as const), torn: fc.constantFrom(0, 0, 7, 90) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(0, 48, 2_000, 60_000) }),
  },
);
type FaultStep = typeof step extends fc.Arbitrary<infer S> ? S : never;

class Run implements AsyncDisposable {
  fixture = new Fixture(new MemoryJournal());
  sessionId = "";
  readonly refused = new Set<string>();
  readonly prompts: string[] = [];
  unknown = 0;

  get conversation(): Conversation {
    const conversation = this.fixture.shown.get(this.sessionId);
    ok(conversation);
    return conversation;
  }
  async open(): Promise<void> {
    this.sessionId = await this.fixture.open();
    this.fixture.service.handlers["chat/replay"]({ sessionId: this.sessionId, requestNumber: 1 });
    await this.fixture.settle();
  }

  async do(step: FaultStep): Promise<void> {
    const { fixture, sessionId } = this,
      agent = fixture.agents.at(-1),
      session = "s1";
    switch (step.kind) {
      case "update":
        this.unknown += step.times;
        for (let i = 0; i < step.times; i++) agent?.update(session, step.update);
        break;
      case "reordered":
        this.unknown += 2;
        for (const each of step.updates.toReversed()) agent?.update(session, each);
        break;
      case "elsewhere":
        agent?.update("no such session", step.update);
        break;
      case "prompt": {
        const name = (step.isRepeated ? this.prompts.at(-1) : undefined) ?? `prompt ${this.prompts.length}`;
        if (!this.prompts.includes(name)) this.prompts.push(name);
        fixture.prompt(sessionId, name).catch(() => this.refused.add(name));
        break;
      }
      case "ask":
        agent?.peer
          .request("session/request_permission", {
            sessionId: session,
            toolCall: { toolCallId: step.toolId, title: "Tool" },
            options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
          })
          .catch(() => undefined);
        break;
      case "answer": {
        const open = this.conversation.entries.find(entry => entry.kind === "permission" && !entry.answered);
        if (open)
          await fixture.service.handlers["chat/answerPermission"](
            { sessionId, permissionId: open.id, choice: { kind: "option", optionId: "yes" } },
            NEVER,
          );
        break;
      }
      case "end":
        for (const request of agent?.taken("session/prompt") ?? [])
          if (step.response === "error") request.fail(new RpcError(RpcCode.internalError, "Internal error"));
          else request.respond(step.response);
        break;
      case "agentExits":
        await agent?.die();
        break;
      case "cancel":
        await fixture.service.handlers["chat/cancel"]({ sessionId }, NEVER);
        break;
      case "restart":
        await fixture.service.handlers["chat/restartAgent"]({ sessionId }, NEVER);
        break;
      case "sidecarExits": {
        const journal = fixture.journal.copy(),
          lines = journal.lines.get("one") ?? "";
        await fixture[Symbol.asyncDispose]();
        if (step.torn > 0) journal.lines.set("one", `${lines}${lines.slice(-step.torn - 1, -1).slice(0, step.torn)}`);
        this.fixture = new Fixture(journal);
        await this.open();
        break;
      }
      case "wait":
        fixture.clock.advance(step.ms);
        break;
    }
    await this.fixture.settle();
  }

  /** The user stops the turn and waits. */
  async stop(): Promise<void> {
    for (let i = 0; i < 10 && this.conversation.turn.state !== "idle"; i++) {
      await this.fixture.service.handlers["chat/cancel"]({ sessionId: this.sessionId }, NEVER);
      await this.fixture.settle();
      this.fixture.clock.advance(60_000);
      await this.fixture.settle();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.fixture[Symbol.asyncDispose]();
  }
}

suite("faults of agents and processes", () => {
  test("leave nothing open, lose nothing and show nothing twice (property)", function () {
    this.timeout(0);
    return fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async steps => {
        await using run = new Run();
        await run.open();
        for (const each of steps) {
          const before = run.conversation;
          await run.do(each);
          deepEqual(lossesBetween(before, run.conversation), [], each.kind);
        }
        await run.stop();
        const { conversation, fixture } = run,
          placeholders = conversation.entries.filter(({ kind }) => kind === "unknown");
        deepEqual(openIn(conversation), []);
        ok(placeholders.length <= run.unknown, "more placeholders than updates");
        const { entries, queue } = restored(storedIn(fixture.journal.lines.get("one") ?? ""), "why");
        deepEqual(entries, conversation.entries, "the journal contains what the page shows");
        deepEqual(queue?.prompts ?? [], conversation.queue?.prompts ?? []);
        const known = [...entries, ...(queue?.prompts.map(({ messageId: id }) => ({ id })) ?? [])].map(({ id }) => id);
        deepEqual(
          run.prompts.filter(name => !run.refused.has(name) && !known.includes(name)),
          [],
          "prompts that are neither shown nor refused",
        );
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });
});
