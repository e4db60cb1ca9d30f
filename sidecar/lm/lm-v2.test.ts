/** Agents that use ACP v2 (a draft) behind VS Code's chat. */
import { deepEqual, equal, match } from "node:assert/strict";
import { arrayOr, objectOr } from "../rpc/json";
import { chatOf, LmFixture } from "../testing/sessions/lm-fixture";

const V2 = { protocolVersion: 2, capabilities: { session: { prompt: {} } }, info: { name: "draft", version: "1" } };

/** Sets the highest ACP version. The agent supports v2. */
function fixture(protocol: 1 | 2 = 2): LmFixture {
  const lm = new LmFixture();
  lm.initialized = V2;
  lm.service.handlers["settings/languageModel"]({ sideRequests: "local", bridgeDuplicates: false, protocol });
  return lm;
}

suite("ACP v2 behind VS Code's chat", () => {
  test("streams messages and calls, and ends the turn with the idle state", async () => {
    await using lm = fixture();
    const chat = chatOf("a"),
      requestId = lm.ask(chat, "Hello"),
      { request, sessionId } = await lm.prompted();
    request.respond({});
    lm.agent.update(sessionId, { sessionUpdate: "state_update", state: "running" });
    lm.agent.report(sessionId, "First");
    lm.agent.update(sessionId, {
      sessionUpdate: "tool_call_update",
      toolCallId: "c",
      title: "Count",
      kind: "other",
      status: "in_progress",
    });
    lm.agent.update(sessionId, {
      sessionUpdate: "tool_call_content_chunk",
      toolCallId: "c",
      content: { type: "content", content: { type: "text", text: "42" } },
    });
    lm.agent.update(sessionId, { sessionUpdate: "tool_call_update", toolCallId: "c", status: "completed" });
    lm.agent.update(sessionId, {
      sessionUpdate: "agent_message",
      messageId: "m",
      content: [{ type: "text", text: "Last" }],
    });
    await lm.settle();
    equal(lm.notifications.includes(`ok ${requestId}`), false);
    lm.agent.update(sessionId, { sessionUpdate: "state_update", state: "idle", stopReason: "end_turn" });
    await lm.settle();
    equal(lm.notifications.includes(`ok ${requestId}`), true);
    match(lm.text(requestId), /^First\n\n▸ Count [^]*42[^]*✓[^]*Last$/);
    lm.took(chat, requestId);
  });

  test("continues its session with the next message", async () => {
    await using lm = fixture();
    const chat = chatOf("a"),
      sessions: string[] = [];
    for (const words of ["One", "Two"]) {
      const requestId = lm.ask(chat, words),
        { request, sessionId } = await lm.prompted();
      sessions.push(sessionId);
      request.respond({});
      lm.agent.report(sessionId, `${words}.`);
      lm.agent.update(sessionId, { sessionUpdate: "state_update", state: "idle", stopReason: "end_turn" });
      await lm.settle();
      lm.took(chat, requestId);
    }
    deepEqual(sessions, ["s1", "s1"]);
  });

  test("asks about a permission and answers it", async () => {
    await using lm = fixture();
    lm.policy.set(undefined, "allow");
    const chat = chatOf("a"),
      requestId = lm.ask(chat, "Hello"),
      { request, sessionId } = await lm.prompted();
    request.respond({});
    const answer = await lm.agent.peer.request("session/request_permission", {
      sessionId,
      title: "Delete everything",
      subject: { type: "command", command: "rm -rf x", cwd: "/" },
      options: [
        { optionId: "yes", name: "Yes", kind: "allow_once" },
        { optionId: "no", name: "No", kind: "reject_once" },
      ],
    });
    deepEqual(answer, { outcome: { outcome: "selected", optionId: "yes" } });
    lm.agent.update(sessionId, { sessionUpdate: "state_update", state: "idle", stopReason: "end_turn" });
    await lm.settle();
    lm.took(chat, requestId);
  });

  test("cancels a turn, which ends with the idle state", async () => {
    await using lm = fixture();
    const chat = chatOf("a"),
      requestId = lm.ask(chat, "Hello"),
      { request, sessionId } = await lm.prompted();
    request.respond({});
    lm.service.handlers["lm/cancel"]({ requestId });
    await lm.settle();
    deepEqual(
      lm.agent.received.filter(line => line.startsWith("cancel")),
      [`cancel ${sessionId}`],
    );
    lm.agent.update(sessionId, { sessionUpdate: "state_update", state: "idle", stopReason: "cancelled" });
    await lm.settle();
  });

  test("offers v1 without the setting", async () => {
    await using lm = fixture(1);
    const requestId = lm.ask(chatOf("a"), "Hello");
    await lm.settle();
    match(lm.notifications.filter(line => line.includes(`${requestId}:`)).join("\n"), /version 2/);
    equal(arrayOr(objectOr(lm.agents[0]).heard).includes("session/new"), false);
  });
});
