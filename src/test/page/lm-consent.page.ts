/**
 * Standing approvals in VS Code's own chat: the actions that "Allow in this Session" covers, and those that still ask.
 * One window, so that an approval applies to all later tests.
 */
import assert from "node:assert/strict";
import type { Box } from "./harness";
import { ModelBox } from "./model-box";
import type { ModelChat } from "./model-chat";
import { testAgent } from "./scripted";

const COMMAND = `ask own kind=execute title="rm -rf build" input={"command":"rm -rf build"}`;

suite("standing approval in VS Code's chat", () => {
  let model: ModelBox, box: Box, chat: ModelChat;

  suiteSetup(async () => {
    model = await ModelBox.open({
      "symposium.agents": [testAgent("scripted", "Scripted"), testAgent("second", "Second")],
      "symposium.currentAgentId": "scripted",
    });
    ({ box, chat } = model);
  });
  suiteTeardown(() => model.close());

  const asked = (text: string | RegExp) =>
    box.page.locator(".chat-tool-confirmation-carousel-container:visible", { hasText: text }).last();
  /** Waits for the question about the command and skips it. */
  async function isAsked(screenshot: string): Promise<void> {
    await asked(/requests permission to run a command/).waitFor();
    await box.screenshot(screenshot);
    await chat.button("Skip").click();
    await chat.answered("chose reject_once");
  }

  test("confirms a tool of a Codex-like agent once per session, but each command", async () => {
    await chat.send(`codex-mcp vsctools* test_confirmed {"what":"something harmless"}; say harmless is done`);
    await chat.button("Allow in this Session").waitFor();
    await box.screenshot("lm-consent-codex-harmless");
    await chat.button("Allow in this Session").click();
    await chat.answered(/done something harmless\s*harmless is done/);
    await chat.send(`codex-mcp vsctools* test_confirmed {"what":"it again"}; say not asked`);
    await chat.answered(/done it again\s*not asked/);
    await chat.send(COMMAND);
    await isAsked("lm-consent-codex-command");
  });

  test("is not offered to an agent with only the SERVER-TOOL title, nor for its commands", async () => {
    await chat.send(`titled-mcp vsctools* test_confirmed {"what":"by its title"}; say titled is done`);
    await chat.dialog.waitFor();
    await box.screenshot("lm-consent-titled-harmless");
    assert.match(
      await chat.dialog.innerText(),
      /Scripted requests your permission[^]*vsctools-test_confirmed[^]*cannot verify/,
    );
    assert.doesNotMatch(await chat.dialog.innerText(), /Session|Always/);
    await chat.press("Allow");
    await chat.answered(/done by its title\s*titled is done/);
    await chat.send(`titled-mcp vsctools* test_confirmed {"what":"no"}; say after a no`);
    await chat.press("Cancel");
    await chat.answered(/chose reject_once\s*after a no/);
    await chat.send(COMMAND);
    await isAsked("lm-consent-titled-command");
  });

  test("does not apply to another agent or kind", async () => {
    await chat.send(COMMAND);
    await asked(/Scripted requests permission to run a command/).waitFor();
    await chat.button("Allow in this Session").click();
    await chat.answered("chose allow_once");
    await chat.send(`${COMMAND}; say not asked again`);
    await chat.answered(/chose allow_once\s*not asked again/);
    await chat.send(`ask other kind=fetch title="get it" input={"url":"https://example.com"}`);
    await asked(/requests permission to fetch/).waitFor();
    await chat.button("Skip").click();
    await chat.answered("chose reject_once");
    await chat.send(`ask other kind=fetch title="get it" input={"command":"curl x"}; say by its command`);
    await chat.answered(/chose allow_once\s*by its command/);
    await chat.newChat();
    await chat.pick("Second");
    await chat.send(COMMAND);
    await asked(/Second requests permission to run a command/).waitFor();
    await isAsked("lm-consent-other-agent");
  });
});
