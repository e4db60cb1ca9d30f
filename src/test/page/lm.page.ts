/**
 * Agents in VS Code's own chat, with the scripted agent: user input, and the prompts that the agent received. The tools
 * are VS Code's own and those of an extension with third-party schema styles.
 */
import assert from "node:assert/strict";
import type { Box } from "./harness";
import { ModelBox } from "./model-box";
import type { ModelChat } from "./model-chat";
import { barrier } from "./scripted";

suite("agent in VS Code's chat", () => {
  let model: ModelBox, box: Box, chat: ModelChat;

  suiteSetup(async () => {
    model = await ModelBox.open();
    ({ box, chat } = model);
  });
  suiteTeardown(() => model.close());

  test("appears in the model picker, answers and continues in the same session", async () => {
    await chat.picker.click();
    const filter = box.page.locator(".action-widget:visible input.action-list-filter-input");
    for (const name of ["Eliza", "Scripted", "Symposium"]) {
      await filter.fill(name);
      await box.page
        .locator(".action-widget:visible .monaco-list-row.action .title", { hasText: new RegExp(`^${name}$`) })
        .first()
        .waitFor();
    }
    await box.screenshot("lm-picker");
    await box.page.keyboard.press("Escape");

    await chat.send("say hello from the agent");
    await chat.answered("hello from the agent");
    await chat.send("say hello again");
    await chat.answered("hello again");
    assert.equal(model.sessions, 1);
    assert.deepEqual(
      model.prompts.map(({ words }) => words),
      ["say hello from the agent", "say hello again"],
    );
    await box.screenshot("lm-answer");
  });

  test("calls VS Code's tools of any schema style, with VS Code's confirmation", async () => {
    await chat.send(`mcp vsctools* test_add {"a":20,"b":22}`);
    await chat.answered("test_add: sum 42");
    await chat.send(`mcp vsctools* test_confirmed {"what":"a thing"}`);
    await chat.button("Allow").waitFor();
    await box.screenshot("lm-confirm");
    await chat.allowOnce();
    await chat.answered("test_confirmed: done a thing");

    await chat.send("tools vsctools*");
    const names = (await chat.answered(/test_add[\s\S]*test_throws/)).split(/[,\s]+/);
    for (const name of ["test_none", "test_empty", "test_any", "test_image"]) assert.ok(names.includes(name), name);
    assert.ok(names.filter(name => /^\w+$/.test(name)).length >= 40, names.join(" "));
    // VS Code folds the first of several rounds in one answer.
    for (const [call, result] of [
      ["test_none {}", "test_none: none"],
      ["test_empty {}", "test_empty: empty"],
      [`test_any {"x":"1"}`, `test_any: any {"x":"1"}`],
      ["test_throws {}", "it was not possible"],
      ["test_image {}", "test_image: a picture"],
    ] as const) {
      await chat.send(`mcp vsctools* ${call}`);
      await chat.answered(result);
    }
  });

  test("requests permission for its own actions, with a long question in a read-only editor", async () => {
    await chat.send(`ask one kind=execute title="Run a command" rawInput={"command":"ls -la"}`);
    await chat.button("Allow").waitFor();
    await box.screenshot("lm-permission");
    await chat.allowOnce();
    await chat.answered("chose allow_once");
    await chat.send(`ask two kind=edit title="Change a file"; say after it`);
    await chat.button("Skip").waitFor();
    await chat.button("Skip").click();
    await chat.answered(/chose reject_once[\s\S]*after it/);

    await chat.send(
      `ask long kind=read title="Read it" locations=/begin${"/folder".repeat(80)}/THE-END; say it is over`,
    );
    await box.page.locator(".chat-tool-confirmation-carousel-container:visible a", { hasText: "Show All" }).click();
    await box.page
      .locator(".editor-group-container .tab", { hasText: "Scripted requests permission to read" })
      .waitFor();
    const editor = box.page.locator(".editor-instance .monaco-editor:visible");
    await editor.filter({ hasText: `/begin${"/folder".repeat(80)}/THE-END` }).click();
    await box.page.keyboard.type("x");
    await box.page.locator(".monaco-editor-overlaymessage:visible", { hasText: /read-only/i }).waitFor();
    await box.screenshot("lm-question-whole");
    await chat.button("Skip").click();
    await chat.answered(/chose reject_once[^]*it is over/);
    await box.command("View: Close All Editors");
  });

  // Other numbers are tested in sidecar/lm/tools/tools-server.test.ts.
  test("runs twenty concurrent calls, all open before the first result", async () => {
    const n = 20,
      acts = await model.acting();
    await chat.send(
      [...Array.from({ length: n }, (_, i) => `mcp* vsctools* test_add {"a":1000,"b":${i}}`), "say all of them"].join(
        "; ",
      ),
    );
    const answer = await chat.answered("all of them");
    for (let i = 0; i < n; i++) assert.ok(answer.includes(`sum ${1_000 + i}`), `${i} of ${n}: ${answer}`);
    assert.deepEqual(
      (await acts()).map(act => "call" in act),
      Array.from({ length: 2 * n }, (_, i) => i < n),
      "the calls, then their results",
    );
  });

  test("shows its own tool from its start, and a failure once after the text", async () => {
    const held = barrier(),
      title = "cp $A/x elsewhere";
    await chat.send(
      `tool t1 execute ${title}; ${held.step}; toolupdate t1 completed; say some words; error -32603 the model is overloaded`,
    );
    await chat.answered(`▸ ${title}`);
    held.open();
    const answer = await chat.answered("the model is overloaded");
    assert.match(
      answer,
      /▸ cp \$A\/x elsewhere ✓\s*some words[^]*Reason: Scripted returned an error: the model is overloaded/,
    );
    assert.equal(answer.split("the model is overloaded").length, 2);
    await box.screenshot("lm-failure");
  });

  test("is cancelled by Stop, also during a question, and continues in the same session", async () => {
    const cancelled = model.onEvent("session/cancel").length;
    await chat.send("stream 100000 chunks of 20 chars every 50 ms");
    await chat.answered("w5 ");
    await chat.stop();
    await model.until(() => model.onEvent("session/cancel").length > cancelled, "the agent hears of it");
    await chat.send("say I am still here");
    await chat.answered("I am still here");

    await chat.send(`ask three kind=fetch title="Get a page"; say never`);
    await chat.button("Skip").waitFor();
    await chat.stop();
    await chat.send("say after the question");
    await chat.answered("after the question");
    await chat.send("say once more");
    await chat.answered("once more");
    assert.equal(model.sessions, 1, "also when the history has the call that was stopped");
  });

  test("receives the messages of another model when selected again, and has a session per chat", async () => {
    await chat.newChat();
    await chat.send("say I begin");
    await chat.answered("I begin");
    const sessions = model.sessions;
    await chat.pick("Eliza");
    await chat.send("I am curious about the garden");
    await chat.answered(/curious/i);
    await chat.pick("Scripted");
    await chat.send("say back again");
    await chat.answered("back again");
    assert.equal(model.sessions, sessions, "its session goes on");
    assert.match(model.quoted, /curious about the garden/);

    await chat.newChat();
    await chat.send("say hello from the agent"); // the first message of the first chat
    await chat.answered("hello from the agent");
    assert.equal(model.sessions, sessions + 1, "another chat with the same first message");
  });
});
