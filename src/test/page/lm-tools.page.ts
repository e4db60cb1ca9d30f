/**
 * Agents in VS Code's own chat: rounds of tools, confirmations, sub-agents, pictures, and user actions while a tool
 * runs. The scripted agent repeats the results; the trace shows their order.
 */
import assert from "node:assert/strict";
import type { Box } from "./harness";
import { ModelBox, type ModelStep } from "./model-box";
import type { ModelChat } from "./model-chat";

suite("tool of an agent in VS Code's chat", () => {
  let model: ModelBox, box: Box, chat: ModelChat;

  suiteSetup(async () => {
    model = await ModelBox.open();
    ({ box, chat } = model);
  });
  suiteTeardown(() => model.close());

  /** The status bar entry that ends a running `test_gate`. */
  const gate = (name: string) => box.page.locator(".statusbar-item", { hasText: `open ${name}` });
  const text = (content: readonly { readonly text?: string }[]): string =>
    content.map(block => block.text ?? "").join(" ");
  const results = (acts: readonly ModelStep[]): readonly string[] =>
    acts.flatMap(act => ("result" in act ? text(act.content) : []));

  test("runs in three rounds of one turn, each after the previous result", async () => {
    const acts = await model.acting(),
      prompts = model.prompts.length;
    await chat.send(
      [1, 2, 3]
        .map(n => `say round ${n}; mcp vsctools* test_add {"a":${n},"b":10}`)
        .concat("say all three")
        .join("; "),
    );
    await chat.answered(/sum 13\s*all three/);
    assert.deepEqual(
      (await acts()).map(act => ("call" in act ? act.args : text(act.content))),
      [1, 2, 3].flatMap(n => [{ a: n, b: 10 }, `sum ${n + 10}`]),
    );
    assert.equal(model.prompts.length, prompts + 1);
  });

  test("asks again after Allow Once, runs the other calls on Skip, and rejects a permission on Skip All", async () => {
    for (const what of ["first", "second"]) {
      await chat.send(`mcp vsctools* test_confirmed {"what":"the ${what}"}`);
      await chat.allowOnce();
      await chat.answered(`done the ${what}`);
    }

    const acts = await model.acting();
    await chat.send(
      `mcp* vsctools* test_add {"a":1,"b":2}; mcp* vsctools* test_confirmed {"what":"nothing"}; mcp* vsctools* test_add {"a":3,"b":4}; say it continues`,
    );
    await chat.button("Skip").click();
    await chat.answered("it continues");
    const done = await acts(),
      received = results(done).join("|");
    assert.deepEqual(
      done.map(act => "call" in act),
      [true, true, true, false, false, false],
    );
    assert.match(received, /sum 3\b/);
    assert.match(received, /chose to skip/);
    assert.match(received, /sum 7\b/);
    assert.doesNotMatch(received, /done nothing/);

    await chat.send(`ask one kind=edit title="Change it"; say that was no`);
    await box.page.locator(".chat-tool-carousel-dismiss-button:visible").last().click();
    await chat.answered(/chose reject_once\s*that was no/);
  });

  test("is cancelled by Stop, during a confirmation or while it runs, and keeps the session", async () => {
    const acts = await model.acting();
    await chat.send(`mcp vsctools* test_confirmed {"what":"what was stopped"}; say never`);
    await chat.button("Skip").waitFor();
    const { session } = model.prompt;
    await chat.stop();
    await chat.ended();
    await chat.send("say after the confirmation");
    await chat.answered("after the confirmation");
    assert.deepEqual(
      results(await acts()).filter(result => result.includes("what was stopped")),
      [],
    );
    assert.deepEqual(model.prompt.session, session);
    assert.equal(model.quoted.includes("do not remember"), false);

    await chat.send(`mcp vsctools* test_gate {"name":"the first gate"}; say never`);
    await gate("the first gate").waitFor();
    await chat.stop();
    await gate("the first gate").waitFor({ state: "hidden" });
    await chat.send("say after the tool");
    await chat.answered("after the tool");
    assert.equal(model.prompt.session, session);
  });

  test("returns its result and then a message sent while it runs", async () => {
    const acts = await model.acting(),
      cancelled = model.onEvent("session/cancel").length;
    await chat.send(`mcp* vsctools* test_gate {"name":"the second gate"}; mcp* vsctools* test_add {"a":5,"b":6}; hang`);
    await gate("the second gate").waitFor();
    const { session } = model.prompt;
    await chat.type("say I steer");
    await chat.view.locator(".chat-pending-request, .interactive-request", { hasText: "say I steer" }).last().waitFor();
    await box.screenshot("lm-steering");
    await gate("the second gate").click();
    await chat.answered("I steer");
    assert.deepEqual(results(await acts()).toSorted(), ["sum 11", "the second gate is open"]);
    assert.equal(model.onEvent("session/cancel").length, cancelled + 1, "the turn before is stopped");
    assert.deepEqual([model.prompt.session, model.prompt.words], [session, "say I steer"]);
  });

  test("runs sub-agents in separate concurrent sessions and continues the parent's", async () => {
    const prompts = model.prompts.length;
    await chat.send(
      [
        `mcp* vsctools* runSubagent {"prompt":"mcp vsctools* test_none","description":"one"}`,
        `mcp* vsctools* runSubagent {"prompt":"say of the other","description":"two"}`,
        "say both are through",
      ].join("; "),
    );
    await chat.answered("both are through");
    const [parent, ...subs] = model.prompts.slice(prompts),
      session = parent?.session;
    assert.equal(new Set([session, ...subs.map(sub => sub.session)]).size, 3);
    assert.deepEqual(subs.map(({ words }) => words).toSorted(), ["mcp vsctools* test_none", "say of the other"]);
    await chat.send("say back with the parent");
    await chat.answered("back with the parent");
    assert.equal(model.prompt.session, session);
  });

  test("returns a picture to the agent, which also receives the user's picture", async () => {
    const acts = await model.acting();
    await chat.send("mcp vsctools* test_image {}");
    await chat.answered("test_image: a picture image iVBORw0KGgo"); // as the agent received it; a trace omits the data
    const [content] = (await acts()).flatMap(act => ("result" in act ? [act.content] : []));
    assert.ok(
      content?.some(({ type, mimeType }) => type === "image" && mimeType === "image/png"),
      JSON.stringify(content),
    );

    await box.page.evaluate(async () => {
      const canvas = document.createElement("canvas");
      const png = await new Promise<Blob | null>(resolve => {
        canvas.toBlob(resolve, "image/png");
      });
      if (png) await navigator.clipboard.write([new ClipboardItem({ "image/png": png })]);
    });
    await chat.focus();
    await box.page.keyboard.press("ControlOrMeta+V");
    await chat.view.locator(".chat-attached-context-attachment", { hasText: /image/i }).last().waitFor();
    await box.screenshot("lm-picture");
    await chat.send("say I have seen it");
    await chat.answered("I have seen it");
    const [picture] = model.prompt.otherBlocks;
    assert.deepEqual(
      [picture?.type, picture?.mimeType, picture?.data?.slice(0, 11)],
      ["image", "image/png", "iVBORw0KGgo"],
    );
  });

  test("applies Allow in this Session to VS Code's tool in all chats, but not to the agent's actions", async () => {
    await chat.send(`mcp vsctools* test_confirmed {"what":"the third"}`);
    await chat.button("Allow in this Session").click();
    await chat.answered("done the third");
    await chat.newChat();
    await chat.send(
      `mcp vsctools* test_confirmed {"what":"the fourth"}; ask one kind=execute title="Run it"; say and that`,
    );
    await chat.button("Skip").click();
    await chat.answered(/chose reject_once\s*and that/);
    assert.match(await chat.last.innerText(), /chose reject_once/);
  });
});
