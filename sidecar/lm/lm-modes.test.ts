/** Maps VS Code's chat modes to the agent's session mode and to instructions in the prompt. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { ChatMessage, ChatRequest, ChatTool } from "../../src/protocol/lm/lm";
import { objectOr } from "../rpc/json";
import { chatOf, lines, LmFixture } from "../testing/sessions/lm-fixture";
import type { SimulatedChat } from "./fixtures/simulated-chat";

const MODES = {
  modes: {
    currentModeId: "default",
    availableModes: [
      { id: "default", name: "Default" },
      { id: "acceptEdits", name: "Accept Edits" },
      { id: "plan", name: "Plan Mode" },
    ],
  },
};
const OPTIONS = [
  { optionId: "yes", kind: "allow_once", name: "Yes" },
  { optionId: "no", kind: "reject_once", name: "No" },
];

/** A request in this chat mode. Ask and Plan offer none of Symposium's tools. */
function inMode(
  request: ChatRequest,
  mode: string | undefined,
  tools: readonly ChatTool[] = request.options?.tools ?? [],
): ChatRequest {
  const system: ChatMessage = {
    role: "system",
    content: [
      {
        type: "text",
        value: `<modeInstructions>\nYou are currently running in "${mode}" mode. Below are your instructions.\n\nNever edit (${mode}).\n</modeInstructions>\n`,
      },
    ],
  };
  return {
    ...request,
    messages: [...(mode === undefined ? [] : [system]), ...request.messages],
    options: { ...request.options, tools },
  };
}

/** Runs a turn in this mode. Returns the prompt and the session modes that were set before the prompt. */
async function turn(
  fixture: LmFixture,
  chat: SimulatedChat,
  mode: string | undefined,
  words: string,
): Promise<{ readonly text: string; readonly set: readonly unknown[] }> {
  chat.ask({ id: 0, words, rounds: [], isCut: false });
  const requestId = fixture.request(inMode(chat.request(), mode));
  await fixture.settle();
  const set = fixture.agent.taken("session/set_mode").map(request => {
    request.respond({});
    return objectOr(request.params).modeId;
  });
  const { request, sessionId, text } = await fixture.prompted();
  fixture.agent.report(sessionId, "Well.");
  request.respond({ stopReason: "end_turn" });
  await fixture.settle();
  fixture.took(chat, requestId);
  return { text, set };
}

function fixture(before?: LmFixture): LmFixture {
  const lm = new LmFixture(before);
  lm.opened = MODES;
  lm.manual = ["session/set_mode"];
  return lm;
}

suite("chat modes of an agent", () => {
  test("enters the agent's plan mode with Plan, sends the instructions, and restores its mode afterwards", async () => {
    await using lm = fixture();
    const chat = chatOf("a"),
      plan = await turn(lm, chat, "Plan", "One"),
      still = await turn(lm, chat, "Plan", "Two"),
      agent = await turn(lm, chat, undefined, "Three");
    deepEqual([plan.set, still.set, agent.set], [["plan"], [], ["default"]]);
    match(plan.text, /^One[^]*chat mode “Plan”[^]*Never edit \(Plan\)/);
    ok(
      still.text.includes("(Still valid: The instructions of the chat mode “Plan”") &&
        !still.text.includes("Never edit"),
    );
    ok(agent.text.includes("(No longer valid: The instructions of the chat mode “Plan”"));
  });

  test("sends the instructions of a custom mode and keeps the agent's mode", async () => {
    await using lm = fixture();
    const { text, set } = await turn(lm, chatOf("a"), "Reviewer", "One");
    deepEqual(set, []);
    match(text, /chat mode “Reviewer”[^]*Never edit \(Reviewer\)/);
  });

  test("restores the mode after a restart in Plan", async () => {
    const chat = chatOf("a");
    let before: LmFixture;
    {
      await using lm = fixture();
      await turn(lm, chat, "Plan", "One");
      before = lm;
    }
    await using lm = fixture(before);
    lm.initialized = { protocolVersion: 1, agentCapabilities: { loadSession: true } };
    chat.ask({ id: 0, words: "Two", rounds: [], isCut: false });
    lm.request(inMode(chat.request(), undefined));
    await lm.settle();
    (await lm.agent.next("session/load")).respond({ modes: { ...MODES.modes, currentModeId: "plan" } });
    const set = await lm.agent.next("session/set_mode");
    equal(objectOr(set.params).modeId, "default");
    set.respond({});
    (await lm.prompted()).request.respond({ stopReason: "end_turn" });
    await lm.settle();
  });

  test("shows a notice when the agent rejects the mode, and answers", async () => {
    await using lm = fixture();
    const chat = chatOf("a");
    chat.ask({ id: 0, words: "One", rounds: [], isCut: false });
    const requestId = lm.request(inMode(chat.request(), "Plan"));
    await lm.settle();
    (await lm.agent.next("session/set_mode")).fail(new Error("not now"));
    const { request, sessionId } = await lm.prompted();
    lm.agent.report(sessionId, "Well.");
    request.respond({ stopReason: "end_turn" });
    await lm.settle();
    match(lm.text(requestId), /^a did not switch to its mode “Plan Mode”: .*\n\nWell\.$/);
  });

  test("sends no prompt that was cancelled while the mode was being set", async () => {
    await using lm = fixture();
    const chat = chatOf("a");
    chat.ask({ id: 0, words: "One", rounds: [], isCut: false });
    const requestId = lm.request(inMode(chat.request(), "Plan"));
    await lm.settle();
    const set = await lm.agent.next("session/set_mode");
    lm.service.handlers["lm/cancel"]({ requestId });
    await lm.settle();
    set.respond({});
    await lm.settle();
    deepEqual(
      [lines(lm, requestId), lm.agent.taken("session/prompt")],
      [[`complete ${requestId}`, `ok ${requestId}`], []],
    );
    ok(!lm.agent.received.some(method => method.startsWith("cancel")));
    equal((await turn(lm, chat, "Plan", "Two")).text.startsWith("Two"), true);
  });

  test("shows in Ask mode the rejected action and how to allow it", async () => {
    await using lm = fixture();
    const chat = chatOf("a");
    chat.ask({ id: 0, words: "One", rounds: [], isCut: false });
    const requestId = lm.request(inMode(chat.request(), "Ask", []));
    const { request, sessionId } = await lm.prompted();
    const answer = await lm.agent.peer.request("session/request_permission", {
      sessionId,
      toolCall: { toolCallId: "p", title: "Remove the folder", kind: "execute", rawInput: { command: "rm -rf build" } },
      options: OPTIONS,
    });
    deepEqual(answer, { outcome: { outcome: "selected", optionId: "no" } });
    request.respond({ stopReason: "end_turn" });
    await lm.settle();
    match(lm.text(requestId), /a requested permission to run a command[^]*`rm -rf build`[^]*Agent mode/);
  });
});
