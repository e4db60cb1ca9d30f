/** The chat modes Plan and Ask of VS Code's own chat, with an agent that has modes. */
import assert from "node:assert/strict";
import type { Box } from "./harness";
import { ModelBox } from "./model-box";
import type { ModelChat } from "./model-chat";

suite("chat modes of VS Code's chat", () => {
  let model: ModelBox, box: Box, chat: ModelChat;

  suiteSetup(async () => {
    model = await ModelBox.open({}, ["--plan"]);
    ({ box, chat } = model);
  });
  suiteTeardown(() => model.close());

  test("enters the agent's plan mode with Plan and restores its mode with Agent", async () => {
    await chat.send("chosen");
    await chat.answered("mode=build");
    await chat.mode("Plan");
    await chat.send("chosen");
    await chat.answered("mode=plan");
    assert.match(model.quoted, /The instructions of the chat mode “Plan”, which the user selected[^]*PLANNING AGENT/);
    await box.screenshot("lm-mode-plan");
    await chat.mode("Agent");
    await chat.send("chosen");
    await chat.answered("mode=build");
    assert.match(model.quoted, /\(No longer valid: The instructions of the chat mode “Plan”/);
    assert.deepEqual(model.modes, ["plan", "build"]);
    assert.equal(model.sessions, 1);
  });

  test("enters the read-only mode with Ask and rejects permissions with an explanation", async () => {
    await chat.mode("Ask");
    await chat.send(`chosen; ask one kind=execute title="Clean up" rawInput={"command":"rm -rf build"}; say over`);
    const answer = await chat.answered(/over/);
    for (const words of [
      "mode=read-only",
      "rm -rf build",
      "VS Code cannot ask you in this chat mode",
      "select Agent mode",
      "chose reject_once",
    ])
      assert.ok(answer.includes(words), `${words}: ${answer}`);
    await box.screenshot("lm-mode-ask");
    await chat.mode("Agent");
    await chat.send(
      `chosen; ask two kind=execute title="Clean up" rawInput={"command":"rm -rf build"}; say over again`,
    );
    await chat.button("Allow").waitFor();
    await chat.allowOnce();
    await chat.answered(/mode=build[^]*chose allow_once[^]*over again/);
  });
});
