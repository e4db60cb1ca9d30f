/**
 * The chat view in VS Code: drafts, hidden views, notifications, keybindings, logs and the list of agents. Other tests
 * run in plain Chromium (`chat.webview.ts`, `agent-failures.webview.ts` and `composer.webview.ts`).
 */
import assert from "node:assert/strict";
import { firstIs, hasChips, hasInput, input, pasteImage, sendByKey } from "./prompt-steps";
import { lastExchange, sendPrompt, turnEnded, type Box } from "./harness";
import {
  answerShows,
  button,
  barrier,
  hideChat,
  newTab,
  notification,
  openChatBox,
  reloadWindow,
  scripted,
  seen,
  shownTab,
  showsText,
  testAgent,
  toggleChat,
} from "./scripted";

const ABSENT = { id: "absent", name: "Absent", distribution: { local: { command: "no-such-command-anywhere" } } };
const SCRIPTED = testAgent("scripted", "Scripted");

suite("chat view in VS Code", () => {
  let box: Box;
  suiteSetup(async () => {
    box = await openChatBox({
      "symposium.agents": [SCRIPTED, testAgent("exiting", "Exiting", ["--exit-at-start", "3"])],
    });
  });
  suiteTeardown(() => box.close());

  const chat = () => shownTab(box);
  const badge = () =>
    box.page
      .locator(".activitybar .action-item", { has: box.page.locator('.action-label[aria-label^="Symposium"]') })
      .locator(".badge");
  const tabs = () => box.frame.locator("[role=tab]");

  test("shows a badge and a notification for a question and for an answer while the view is hidden", async () => {
    const question = barrier();
    await sendPrompt(box.frame, `say at work; ${question.step}; ask p1 title="Delete everything?"`);
    await answerShows(box.frame, /at work/);
    await hideChat(box);
    assert.equal(await badge().isVisible(), false);
    question.open();
    const asks = await notification(box, "Scripted asks you a question.");
    await badge().locator(".badge-content", { hasText: /^1$/ }).waitFor();
    await asks.getByRole("button", { name: "Open Chat" }).hover(); // waits for the end of its animation
    await box.screenshot("badge-light");
    await asks.getByRole("button", { name: "Open Chat" }).click();
    await button(box.frame, "Allow once").waitFor();
    await seen(
      async () => /Delete everything\?/.test(await chat().locator('[data-kind="permission"]').last().innerText()),
      "the question",
    );
    await badge().waitFor({ state: "hidden" });
    await button(box.frame, "Allow once").click();
    await turnEnded(box.frame);
    assert.match((await lastExchange(box.frame)).answer, /chose allow_once/);

    // In the same session, because an answer of another one that ended shortly before may count as unread.
    const rest = barrier();
    await sendPrompt(box.frame, `stream 40 chunks of 10 chars every 20 ms; ${rest.step}; say END`);
    await hideChat(box);
    rest.open();
    const toast = await notification(box, "Scripted has finished.");
    await badge().locator(".badge-content", { hasText: /^1$/ }).waitFor();
    await toast.getByRole("button", { name: "Open Chat" }).click();
    await badge().waitFor({ state: "hidden" });
    await seen(async () => (await lastExchange(box.frame)).answer.endsWith("END"), "the end of the answer");
    assert.equal([...(await lastExchange(box.frame)).answer.matchAll(/END/g)].length, 1);
  });

  test("sends with Ctrl+Enter despite a VS Code keybinding, and opens the file of a clicked chip", async () => {
    await input(box.frame).click();
    await box.page.keyboard.type("say see @readm");
    await firstIs(box.frame, /README\.md/);
    await box.page.keyboard.press("Enter");
    await hasChips(box.frame, "README.md");
    await sendByKey(box, "Control+Enter");
    const { question, answer } = await lastExchange(box.frame);
    assert.match(question, /^say see @README\.md/);
    assert.match(answer, /^see @README\.md/);
    await box.frame.locator("[data-kind]:visible a.symposium-chip", { hasText: "README.md" }).click();
    await box.page.locator(".tabs-container .tab.active", { hasText: "README.md" }).waitFor();
    // the editor must not receive text typed into the prompt later
    await box.page.locator(".editor-group-container .monaco-editor.focused").waitFor();
  });

  test("keeps drafts with attachments in their tabs across switches, immediate hiding and Reload Window", async () => {
    const draft = async (text: string, ...names: readonly string[]) => {
      await hasInput(box.frame, text);
      await hasChips(box.frame, ...names);
    };
    await newTab(box);
    await input(box.frame).click();
    await box.page.keyboard.type("of the second");
    await pasteImage(box.frame, 3, 3, "second");
    await draft("of the second", "second.png");
    await tabs().first().click();
    await draft("");
    await input(box.frame).click();
    await box.page.keyboard.type("of the first @readm");
    await firstIs(box.frame, /README\.md/);
    await box.page.keyboard.press("Tab");
    await draft("of the first @README.md ", "README.md");
    await tabs().last().click();
    await draft("of the second", "second.png");
    await input(box.frame).press("End");
    await box.page.keyboard.type(" tab");
    await hideChat(box);
    await toggleChat(box);
    await draft("of the second tab", "second.png");
    await reloadWindow(box);
    await draft("of the second tab", "second.png");
    await tabs().first().click();
    await draft("of the first @README.md ", "README.md");
    await seen(async () => (await tabs().last().innerText()).includes("✎"), "the mark of the other draft");
  });

  test("shows the agent's last output with Show Logs, and sends the waiting prompt to a selected agent", async () => {
    await newTab(box);
    await chat().locator('select[aria-label^="The agent of this tab"]').selectOption("exiting");
    await button(box.frame, "Show Logs").click();
    await seen(
      async () =>
        (
          await box.page
            .locator(".panel .view-lines")
            .innerText()
            .catch(() => "")
        ).includes("licence"), // lines are wrapped at spaces
      "the last words in the log",
    );
    await box.command("View: Toggle Panel Visibility");

    box.writeSettings({ ...scripted(), "symposium.agents": [ABSENT, SCRIPTED], "symposium.currentAgentId": "absent" });
    await chat()
      .locator('select[aria-label^="The agent of this tab"] option[value=absent]')
      .waitFor({ state: "attached" });
    await newTab(box);
    await showsText(box.frame, /Absent could not be started/);
    await sendPrompt(box.frame, "say it was waiting");
    await button(box.frame, "Send Again").waitFor();
    await button(box.frame, "Change Agent").last().click();
    await box.page.locator(".quick-input-widget:visible .monaco-list-row", { hasText: "Scripted" }).click();
    await showsText(box.frame, /^it was waiting$/m); // otherwise the failed turn still counts as ended
    await turnEnded(box.frame);
    assert.deepEqual(await lastExchange(box.frame), { question: "say it was waiting", answer: "it was waiting" });
    assert.equal(
      await box.frame
        .locator("[role=tab]")
        .last()
        .innerText()
        .then(title => title.trim()),
      "say it was waiting",
    );
    await box.screenshot("agent-helped");
  });
});
